import { expect, it } from "vitest";
import { failSealed, readLastDoneRun } from "../../../src/warehouse/runs/runs.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";
import { ListedCalls, problemsOf } from "./warehouses.ts";

/** Warehouses that look odd but were not forged. */
const HONEST: Record<string, (service: ListedCalls, warehouse: Warehouse) => Promise<void>> = {
  "nothing was ever read": async () => {},
  "the list was empty, and is filled": async (service) => {
    const calls = service.calls.splice(0);
    await service.sync("full");
    service.calls.push(...calls);
    await service.sync("full");
  },
  "a rejected row became readable": async (service) => {
    service.unreadable.add(service.calls[30]?.call_id ?? 0);
    await service.sync("full");
    service.unreadable.clear();
    await service.sync("incremental");
    await service.sync("full");
    service.unreadable.add(service.calls[31]?.call_id ?? 0);
    await service.sync("full");
  },
  "a rejected row became readable after the certified pass": async (service) => {
    service.unreadable.add(service.calls[1]?.call_id ?? 0);
    await service.sync("full");
    service.unreadable.clear();
    await service.sync("incremental");
  },
  "a gone call came back, and went again": async (service) => {
    await service.sync("full");
    const [call] = service.calls.splice(2, 1);
    await service.sync("full");
    await service.sync("full", { hours: 8 });
    if (call) service.calls.splice(2, 0, call);
    await service.sync("incremental");
    await service.sync("full");
    service.calls.splice(2, 1);
    await service.sync("full");
    await service.sync("full", { hours: 8 });
  },
  "what follows a pass failed, after it marked calls": async (service, warehouse) => {
    await service.sync("full");
    service.calls.splice(2, 1);
    await service.sync("full");
    for (const marks of ["missing", "gone"]) {
      if (marks === "gone") await service.sync("full", { hours: 8 });
      const run = readLastDoneRun(warehouse);
      writeTransaction(warehouse, (tx) => failSealed(tx, run?.run_id ?? 0, "disk full"));
      expect(await problemsOf(warehouse)).toEqual([]);
    }
  },
  "a missing call came back after the certified pass": async (service) => {
    await service.sync("full");
    const [call] = service.calls.splice(2, 1);
    await service.sync("full");
    if (call) service.calls.splice(2, 0, call);
    await service.sync("incremental");
  },
  "the oldest calls left the list": async (service) => {
    await service.sync("full");
    service.calls.splice(50);
    await service.sync("full");
    service.add();
    await service.sync("incremental");
  },
  "more calls than the threshold are missing at once": async (service) => {
    await service.sync("full");
    service.calls.splice(5, 30);
    await service.sync("full");
    service.add();
    await service.sync("incremental");
  },
  "calls changed": async (service) => {
    await service.sync("full");
    for (const call of service.calls.slice(0, 5)) call.disposition = "BUSY";
    await service.sync("incremental");
    for (const call of service.calls.slice(0, 9)) call.disposition = "ANSWERED";
    await service.sync("full");
  },
  "a first load was interrupted, then resumed": async (service, warehouse) => {
    service.failAfter = 2;
    await expect(service.sync("full")).rejects.toThrow();
    expect(await problemsOf(warehouse)).toEqual([]);
    service.failAfter = Number.POSITIVE_INFINITY;
    await service.sync("full", { hours: 0 });
  },
  "a first load was interrupted, and begins again": async (service) => {
    service.failAfter = 2;
    await expect(service.sync("full")).rejects.toThrow();
    service.failAfter = Number.POSITIVE_INFINITY;
    await service.sync("full", { hours: 5 });
  },
};

it.each(Object.entries(HONEST))("verify finds no problem when %s", async (_, live) => {
  using warehouse = newWarehouse();
  await live(new ListedCalls(warehouse), warehouse);
  expect(await problemsOf(warehouse)).toEqual([]);
});
