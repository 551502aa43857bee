import { describe, expect, it } from "vitest";
import { markProcess } from "../../../src/base/process-mark.ts";
import {
  type Channel,
  claimDelivery,
  type DeliveryStatus,
  openDeliveries,
  readDeliveredTo,
  readDeliveries,
  readDeliveriesSince,
  readDelivery,
  readNewsSpan,
  recordAttempt,
  recordAttemptEnd,
} from "../../../src/reports/delivery/delivery-table.ts";
import { startReportRun, updateReportRun } from "../../../src/reports/delivery/report-run-table.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { endedProcess } from "../../support/processes.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const NOW = "2026-11-16T07:00:00.000Z";
const ANN = { channel: "email", recipient: "ann@example.com", message_id: "<1@example.com>" } as const;
const HOOK = { channel: "webhook", recipient: "example.com #12345678", message_id: null } as const;

function withRun(test: (warehouse: Warehouse) => void): void {
  using warehouse = newWarehouse();
  startReportRun(warehouse, { report: "weekly", account: null, scheduledFor: null, startedAt: NOW });
  test(warehouse);
}

const BOB = { ...ANN, recipient: "bob@example.com" } as const;

const open = (warehouse: Warehouse) => openDeliveries(warehouse, 1, [HOOK, ANN], NOW);
const statuses = (warehouse: Warehouse) => readDeliveries(warehouse, 1).map(({ status }) => status);

describe("openDeliveries", () => {
  it("records each recipient once, and returns them in the requested order", () =>
    withRun((warehouse) => {
      warehouse.sqlite.pragma("synchronous = NORMAL");
      openDeliveries(warehouse, 1, [ANN], NOW);
      expect(warehouse.sqlite.pragma("synchronous", { simple: true })).toBe(2);
      const unsent = { report_run_id: 1, status: "pending", attempts: 0, process: null, last_error: null };
      const times = { started_at: null, finished_at: null };
      expect(openDeliveries(warehouse, 1, [HOOK, BOB, ANN], NOW)).toEqual([
        { delivery_id: 2, ...HOOK, ...unsent, ...times },
        { delivery_id: 3, ...BOB, ...unsent, ...times },
        { delivery_id: 1, ...ANN, ...unsent, ...times },
      ]);
      expect(readDeliveries(warehouse, 1)).toHaveLength(3);
    }));

  it("distinguishes recipients of the same name by their channel", () =>
    withRun((warehouse) => {
      const named = (channel: Channel) => ({ channel, recipient: "rclone", message_id: null });
      const opened = openDeliveries(warehouse, 1, [named("webhook"), named("command")], NOW);
      expect(opened.map(({ channel }) => channel)).toEqual(["webhook", "command"]);
    }));

  it("settles the deliveries of a killed process as unknown, and does not repeat them", () =>
    withRun((warehouse) => {
      open(warehouse);
      expect([claimDelivery(warehouse, 1), claimDelivery(warehouse, 2)]).toEqual([true, true]);
      warehouse.sqlite.prepare("UPDATE deliveries SET process = ? WHERE delivery_id = 1").run(endedProcess());
      expect(statuses(warehouse)).toEqual(["outcome unknown", "sending"]);
      open(warehouse);
      expect(
        warehouse.sqlite
          .prepare("SELECT status, last_error, finished_at FROM deliveries WHERE delivery_id = 1")
          .get(),
      ).toEqual({
        status: "outcome unknown",
        last_error: "The process ended while sending",
        finished_at: NOW,
      });
      expect(claimDelivery(warehouse, 1)).toBe(false);
      expect(statuses(warehouse)).toEqual(["outcome unknown", "sending"]);
      warehouse.sqlite.exec("UPDATE deliveries SET process = NULL");
      expect(statuses(warehouse)).toEqual(["outcome unknown", "outcome unknown"]);
    }));
});

it("recordAttempt counts attempts, and keeps the start of the first", () =>
  withRun((warehouse) => {
    open(warehouse);
    for (const at of [NOW, "2026-11-16T08:00:00.000Z"]) recordAttempt(warehouse, 1, at);
    const begun = { attempts: 2, started_at: NOW, process: markProcess(), status: "pending" };
    expect(readDelivery(warehouse, 1)).toMatchObject(begun);
    expect(readDelivery(warehouse, 2)).toMatchObject({ attempts: 0, started_at: null, process: null });
    expect(() => readDelivery(warehouse, 3)).toThrow("There is no delivery 3");
  }));

describe("recordAttemptEnd", () => {
  it.each([
    ["pending", null],
    ["delivered", NOW],
    ["failed", NOW],
    ["outcome unknown", NOW],
  ] as const)("a delivery that is %s has an end: %s", (status, finished_at) =>
    withRun((warehouse) => {
      open(warehouse);
      recordAttemptEnd(warehouse, 1, { status, error: "421", isClaimed: false, now: NOW });
      expect(readDelivery(warehouse, 1)).toMatchObject({ status, last_error: "421", finished_at });
      expect(readDelivery(warehouse, 2)).toMatchObject({ status: "pending", last_error: null });
    }),
  );

  it("does not change a delivery that another attempt has claimed", () =>
    withRun((warehouse) => {
      open(warehouse);
      claimDelivery(warehouse, 1);
      recordAttemptEnd(warehouse, 1, { status: "pending", error: "421", isClaimed: false, now: NOW });
      expect(readDeliveries(warehouse, 1)[0]).toMatchObject({ status: "sending", last_error: null });
      recordAttemptEnd(warehouse, 1, { status: "delivered", error: null, isClaimed: true, now: NOW });
      recordAttemptEnd(warehouse, 1, { status: "failed", error: "550", isClaimed: false, now: NOW });
      expect(readDeliveries(warehouse, 1)[0]).toMatchObject({ status: "delivered", last_error: null });
    }));
});

describe("readNewsSpan", () => {
  it.each<[statuses: (DeliveryStatus | "killed")[], after: number | undefined]>([
    [["pending"], undefined],
    [["sending"], 7],
    [["delivered"], 7],
    [["failed"], undefined],
    [["outcome unknown"], 7],
    [["killed"], 7],
    [["failed", "delivered"], 7],
    [["failed", "pending"], undefined],
    [[], undefined],
  ])("omits news of an earlier run whose deliveries are %j: after %s", (statuses, after) => {
    using warehouse = newWarehouse();
    const report = { report: "weekly", account: null };
    for (const runId of [1, 2]) {
      startReportRun(warehouse, { ...report, scheduledFor: null, startedAt: NOW });
      updateReportRun(warehouse, runId, { news_until: 5 + 2 * runId });
    }
    openDeliveries(warehouse, 1, [HOOK, ANN].slice(0, statuses.length), NOW);
    for (const [index, status] of statuses.entries()) {
      if (status === "sending" || status === "killed") claimDelivery(warehouse, index + 1);
      else recordAttemptEnd(warehouse, index + 1, { status, error: null, isClaimed: true, now: NOW });
      if (status === "killed")
        warehouse.sqlite.prepare("UPDATE deliveries SET process = ?").run(endedProcess());
    }
    expect(readNewsSpan(warehouse, { runId: 2, ...report })).toEqual({ after, upTo: 9 });
    expect(readNewsSpan(warehouse, { runId: 3, ...report }).upTo).toBeNull();
    expect(readNewsSpan(warehouse, { runId: 2, report: "weekly", account: "beta" }).after).toBeUndefined();
    expect(readNewsSpan(warehouse, { runId: 2, report: "monthly", account: null }).after).toBeUndefined();
  });
});

describe("readDeliveriesSince", () => {
  it.each([null, "acme"])(
    "reads the latest run with recipients of that report and account (%s)",
    (account) => {
      using warehouse = newWarehouse();
      const runs: [report: string, account: string | null, recipients: (typeof ANN | typeof HOOK)[]][] = [
        ["weekly", account, [ANN]],
        ["weekly", account, []],
        ["weekly", account, [HOOK]],
        ["weekly", account, [HOOK, ANN]],
        ["weekly", account, []],
        ["monthly", account, [ANN]],
        ["weekly", "beta", [ANN]],
      ];
      for (const [index, [report, account, recipients]] of runs.entries()) {
        startReportRun(warehouse, { report, account, scheduledFor: null, startedAt: NOW });
        openDeliveries(warehouse, index + 1, recipients, NOW);
      }
      const since = (report_run_id: number) =>
        readDeliveriesSince(warehouse, { report_run_id, report: "weekly", account }).map((row) => [
          row.report_run_id,
          row.recipient,
        ]);
      const latest = [HOOK, ANN].map(({ recipient }) => [4, recipient]);
      expect([1, 4, 5, 99].map(since)).toEqual([latest, latest, [], []]);
    },
  );
});

it("readDeliveredTo counts what each recipient got or may have got", () => {
  using warehouse = newWarehouse();
  const ends: DeliveryStatus[][] = [
    ["delivered", "outcome unknown", "failed"],
    ["delivered", "failed", "pending"],
  ];
  for (const [index, statuses] of ends.entries()) {
    startReportRun(warehouse, { report: "weekly", account: null, scheduledFor: null, startedAt: NOW });
    const opened = openDeliveries(warehouse, index + 1, [HOOK, ANN, BOB], NOW);
    for (const [at, status] of statuses.entries()) {
      warehouse.sqlite
        .prepare("UPDATE deliveries SET status = ? WHERE delivery_id = ?")
        .run(status, opened[at]?.delivery_id);
    }
  }
  expect(readDeliveredTo(warehouse)).toEqual([
    { channel: "email", recipient: "ann@example.com", deliveries: 1 },
    { channel: "webhook", recipient: HOOK.recipient, deliveries: 2 },
  ]);
});
