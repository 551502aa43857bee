import { describe, expect, it } from "vitest";
import { hasEnded, markProcess } from "../../../src/base/process-mark.ts";
import {
  readLastDueRun,
  readLastReportRuns,
  startReportRun,
  updateReportRun,
} from "../../../src/reports/delivery/report-run-table.ts";
import type { Warehouse } from "../../../src/warehouse/warehouse.ts";
import { endedProcess } from "../../support/processes.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

const DUE = "2026-11-16T07:00:00.000Z";
const DONE = { status: "done", finished_at: "2026-11-16T07:01:00.000Z", error: null } as const;

function withWarehouse(test: (warehouse: Warehouse) => void): void {
  using warehouse = newWarehouse();
  test(warehouse);
}

function start(
  warehouse: Warehouse,
  report = "weekly",
  account: string | null = "acme",
  scheduledFor: string | null = DUE,
) {
  return startReportRun(warehouse, { report, account, scheduledFor, startedAt: "2026-11-16T07:00:02.000Z" });
}

const readOnly = (warehouse: Warehouse) => readLastReportRuns(warehouse)[0];

/** Makes a run look like that of another process, which has ended. */
function orphan({ sqlite }: Warehouse): void {
  sqlite.prepare("UPDATE report_runs SET process = ?").run(endedProcess());
}

describe("startReportRun", () => {
  it("records a running report and its result", () =>
    withWarehouse((warehouse) => {
      expect(start(warehouse)).toEqual({ runId: 1, isResumed: false });
      const range = { range_from: "2026-10-19", range_to: "2026-11-15" };
      const made = { ...range, verdict: "exact", is_stale: true, folder: "/r", files: "[]" } as const;
      updateReportRun(warehouse, 1, made);
      const run = {
        ...made,
        report_run_id: 1,
        report: "weekly",
        account: "acme",
        scheduled_for: DUE,
        started_at: "2026-11-16T07:00:02.000Z",
        news_until: null,
        process: markProcess(),
      };
      expect(readOnly(warehouse)).toEqual({ ...run, status: "running", finished_at: null, error: null });
      updateReportRun(warehouse, 1, DONE);
      expect(readOnly(warehouse)).toEqual({ ...run, ...DONE });
    }));

  it("does not repeat a due run that is running or done, but makes a manual one each time", () =>
    withWarehouse((warehouse) => {
      start(warehouse);
      expect(() => start(warehouse)).toThrow(
        expect.objectContaining({
          exitCode: 6,
          message: "Cannot run the report weekly: another process is making it",
          hint: "Wait until it ends; `calltally status` shows reports and deliveries.",
        }),
      );
      updateReportRun(warehouse, 1, DONE);
      expect(start(warehouse)).toBeUndefined();
      expect(start(warehouse, "weekly", null)).toEqual({ runId: 2, isResumed: false });
      expect(() => start(warehouse, "weekly", null)).toThrow("another process");
      expect([start(warehouse, "weekly", "acme", null), start(warehouse, "weekly", "acme", null)]).toEqual([
        { runId: 3, isResumed: false },
        { runId: 4, isResumed: false },
      ]);
    }));

  it("resumes a due run that failed or whose process was killed", () =>
    withWarehouse((warehouse) => {
      start(warehouse);
      orphan(warehouse);
      expect(readOnly(warehouse)?.status).toBe("interrupted");
      expect(start(warehouse)).toEqual({ runId: 1, isResumed: true });
      updateReportRun(warehouse, 1, { ...DONE, status: "failed", error: "the disk is full" });
      expect(start(warehouse)).toEqual({ runId: 1, isResumed: true });
      expect(readOnly(warehouse)).toMatchObject({ status: "running", error: null, finished_at: null });
    }));
});

describe("readLastDueRun", () => {
  it("returns the last run that was due by the schedule, optionally of a time and status", () =>
    withWarehouse((warehouse) => {
      const later = "2026-11-23T07:00:00.000Z";
      for (const scheduledFor of [DUE, later]) start(warehouse, "weekly", "acme", scheduledFor);
      start(warehouse, "weekly", "acme", null);
      start(warehouse, "weekly", "beta");
      start(warehouse, "daily");
      updateReportRun(warehouse, 1, DONE);
      const read = (only?: Parameters<typeof readLastDueRun>[2]) => {
        const run = readLastDueRun(warehouse, { report: "weekly", account: "acme" }, only);
        return run && `${run.report_run_id} ${run.status}`;
      };
      const ofDue = { scheduledFor: DUE };
      expect([read(), read(ofDue), read({ status: "done" })]).toEqual(["2 running", "1 done", "1 done"]);
      expect(read({ scheduledFor: later, status: "done" })).toBeUndefined();
      orphan(warehouse);
      expect([read(), read(ofDue)]).toEqual(["2 interrupted", "1 done"]);
    }));
});

describe("readLastReportRuns", () => {
  it("returns the last run of each report and account, by name", () =>
    withWarehouse((warehouse) => {
      for (const account of ["b", "a", null]) start(warehouse, "weekly", account);
      start(warehouse, "daily", "a");
      start(warehouse, "weekly", "a", null);
      orphan(warehouse);
      const runs = readLastReportRuns(warehouse);
      expect(runs.map(({ report, account, report_run_id }) => [report, account, report_run_id])).toEqual([
        ["daily", "a", 4],
        ["weekly", null, 3],
        ["weekly", "a", 5],
        ["weekly", "b", 1],
      ]);
      expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(["interrupted"]));
    }));
});

describe("hasEnded", () => {
  it("distinguishes a process from a later one with the same number", () => {
    const mark = markProcess() ?? "";
    expect(hasEnded(mark)).toBe(false);
    expect(hasEnded(`${process.pid}@1`)).toBe(process.platform === "linux");
    expect(hasEnded(endedProcess())).toBe(true);
  });
});
