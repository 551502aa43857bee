import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { hasEnded, markProcess } from "../../src/base/process-mark.ts";
import { readLastReportRuns, startReportRun, updateReportRun } from "../../src/delivery/report-run-table.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
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

/** Makes a run look as if another process, which has ended, had it. */
function orphan({ sqlite }: Warehouse): void {
  const { pid } = spawnSync("true");
  sqlite.prepare("UPDATE report_runs SET process = ?").run(`${pid}@1`);
}

describe("startReportRun", () => {
  it("records a run that is under way, and what came of it", () =>
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

  it("leaves a due run that is under way or done, and makes one by hand each time", () =>
    withWarehouse((warehouse) => {
      start(warehouse);
      expect(() => start(warehouse)).toThrow("Cannot run the report weekly: another process is making it");
      updateReportRun(warehouse, 1, DONE);
      expect(start(warehouse)).toBeUndefined();
      expect(start(warehouse, "weekly", null)).toEqual({ runId: 2, isResumed: false });
      expect(() => start(warehouse, "weekly", null)).toThrow("another process");
      expect([start(warehouse, "weekly", "acme", null), start(warehouse, "weekly", "acme", null)]).toEqual([
        { runId: 3, isResumed: false },
        { runId: 4, isResumed: false },
      ]);
    }));

  it("takes a due run up again that failed, or whose process was killed", () =>
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

describe("readLastReportRuns", () => {
  it("returns the last of each report and account, by name", () =>
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
  it("tells a process from one that has its number now", () => {
    const mark = markProcess() ?? "";
    expect(hasEnded(mark)).toBe(false);
    expect(hasEnded(`${process.pid}@1`)).toBe(process.platform === "linux");
    expect(hasEnded(`${spawnSync("true").pid}@1`)).toBe(true);
  });
});
