import { expect, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { claimDelivery, openDeliveries } from "../../src/reports/delivery/delivery-table.ts";
import { startRun } from "../../src/reports/start-run.ts";
import { newWarehouse } from "../support/warehouses/warehouse.ts";

it("startRun keeps the original error of a run when the ledger cannot record it", () => {
  using warehouse = newWarehouse();
  const report = { name: "weekly", account: null };
  const run = startRun(warehouse, report, { scheduledFor: null, clock: systemClock });
  warehouse.sqlite.exec("DROP TABLE deliveries; DROP TABLE report_runs");
  expect(() => run?.end("done", null)).toThrow("report_runs");
  expect(() => run?.fail(new Error("the first error"), false)).not.toThrow();
});

it("startRun counts a run as possibly sent if it is resumed with no recipients or one that is not pending", () => {
  using warehouse = newWarehouse();
  const start = () =>
    startRun(warehouse, { name: "weekly", account: null }, { scheduledFor: AT, clock: systemClock });
  const mayBeSent = () => {
    const run = start();
    run?.fail(new Error("no"), true);
    return [run?.mayBeSent(0), run?.mayBeSent(2)];
  };
  expect(mayBeSent()).toEqual([false, false]);
  expect(mayBeSent()).toEqual([true, false]);
  const recipients = ["a", "b"].map((recipient) => ({
    channel: "command" as const,
    recipient,
    message_id: null,
  }));
  openDeliveries(warehouse, 1, recipients, AT);
  expect(mayBeSent()).toEqual([true, false]);
  claimDelivery(warehouse, 2);
  expect(mayBeSent()).toEqual([true, true]);
});

const AT = "2026-11-16T07:00:00.000Z";
