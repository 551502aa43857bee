import { describe, expect, it } from "vitest";
import { hasEnded, markProcess } from "../../src/base/process-mark.ts";
import {
  readLastDueRun,
  readLastReportRuns,
  startReportRun,
  updateReportRun,
} from "../../src/delivery/report-run-table.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { endedProcess } from "../support/processes.ts";
import { newWarehouse } from "../support/warehouse.ts";

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
      updateReportRun(warehouse, 1, {
        verdict: "exact",
        range_from: "2026-10-19",
        range_to: "2026-11-15",
        is_stale: true,
        folder: "/r",
        files: "[]",
      });
      expect(readOnly(warehouse)).toMatchObject({
        status: "running",
        finished_at: null,
        is_stale: true,
        process: markProcess(),
      });
      updateReportRun(warehouse, 1, DONE);
      expect(readOnly(warehouse)).toEqual({
        report_run_id: 1,
        report: "weekly",
        account: "acme",
        scheduled_for: DUE,
        started_at: "2026-11-16T07:00:02.000Z",
        finished_at: "2026-11-16T07:01:00.000Z",
        status: "done",
        news_until: null,
        verdict: "exact",
        range_from: "2026-10-19",
        range_to: "2026-11-15",
        is_stale: true,
        folder: "/r",
        files: "[]",
        error: null,
        process: markProcess(),
      });
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
      expect(readOnly(warehouse)).toMatchObject({
        status: "running",
        error: null,
        finished_at: null,
      });
    }));
});

describe("readLastDueRun", () => {
  it("is the last run that was due by the schedule, optionally of a time and status", () =>
    withWarehouse((warehouse) => {
      const later = "2026-11-23T07:00:00.000Z";
      for (const scheduledFor of [DUE, later]) start(warehouse, "weekly", "acme", scheduledFor);
      start(warehouse, "weekly", "acme", null);
      start(warehouse, "weekly", "beta");
      start(warehouse, "daily");
      updateReportRun(warehouse, 1, DONE);
      const read = (only?: Parameters<typeof readLastDueRun>[2]) =>
        readLastDueRun(warehouse, { report: "weekly", account: "acme" }, only)?.report_run_id;
      expect([read(), read({ scheduledFor: DUE }), read({ status: "done" })]).toEqual([2, 1, 1]);
      expect(read({ scheduledFor: later, status: "done" })).toBeUndefined();
      orphan(warehouse);
      expect(readLastDueRun(warehouse, { report: "weekly", account: "acme" })?.status).toBe("interrupted");
      expect(
        readLastDueRun(warehouse, { report: "weekly", account: "acme" }, { scheduledFor: DUE })?.status,
      ).toBe("done");
    }));
});

describe("readLastReportRuns", () => {
  it("returns the last run of each report and account, by name", () =>
    withWarehouse((warehouse) => {
      for (const account of ["b", "a", null]) start(warehouse, "weekly", account);
      start(warehouse, "daily", "a");
      start(warehouse, "weekly", "a", null);
      orphan(warehouse);
      const runs = readLastReportRuns(warehouse).map((run) => [
        run.report,
        run.account,
        run.report_run_id,
        run.status,
      ]);
      expect(runs).toEqual([
        ["daily", "a", 4, "interrupted"],
        ["weekly", null, 3, "interrupted"],
        ["weekly", "a", 5, "interrupted"],
        ["weekly", "b", 1, "interrupted"],
      ]);
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
