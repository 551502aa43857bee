import { describe, expect, it } from "vitest";
import { loadSettings } from "../../src/config/load-settings.ts";
import { findFailedSync, findProblems, trustIn } from "../../src/status/find-problems.ts";
import { readStatus } from "../../src/status/read-status.ts";
import { acquireLock } from "../../src/warehouse/acquire-lock.ts";
import { startRun } from "../../src/warehouse/runs/runs.ts";
import { newWarehouse, storeRun } from "../support/warehouses/warehouse.ts";

const STARTED_AT = "2026-11-20T11:00:00.000Z";

describe("findProblems", () => {
  it("finds no problem in a running sync, and one in a killed sync", () => {
    using warehouse = newWarehouse();
    const problems = () => {
      const settings = loadSettings({
        env: { CALLTALLY_DATABASE: warehouse.path },
        folder: warehouse.folder,
      });
      return findProblems(readStatus(settings, { runs: 1, nowMs: Date.parse(STARTED_AT) }));
    };
    const start = () =>
      startRun(warehouse, { started_at: STARTED_AT, mode: "full", plan_reason: "a test", pid: 1 });
    {
      using _held = acquireLock(warehouse.path);
      start();
      expect(problems()).toEqual({
        failures: ["No sync has finished yet: only the calls read so far are here."],
        remarks: [],
      });
      storeRun(warehouse, [], { startedAt: STARTED_AT, finishedAt: STARTED_AT });
      start();
      expect(problems()).toEqual({ failures: [], remarks: [] });
    }
    expect(problems()).toEqual({ failures: ["The process was killed"], remarks: [] });
  });

  it("names a full disk, which no job can record", () => {
    using warehouse = newWarehouse();
    const settings = loadSettings({ env: { CALLTALLY_DATABASE: warehouse.path }, folder: warehouse.folder });
    const status = readStatus(settings, { runs: 1, nowMs: Date.parse(STARTED_AT) });
    expect(status.disk_problem).toBeNull();
    expect(findProblems({ ...status, disk_problem: "12 kB free" }).failures).toContain(
      "the disk is nearly full: 12 kB free",
    );
    const { statements } = status;
    expect(trustIn({ statements: [], disk_problem: null })).toBe("yes");
    expect(trustIn({ statements: [], disk_problem: "12 kB free" })).toBe("at risk");
    expect(trustIn({ statements, disk_problem: "12 kB free" })).toBe("in doubt");
  });
});

describe("findFailedSync", () => {
  const at = (finished_at: string, failing_since: string | null = finished_at) => ({
    job: "sync",
    started_at: STARTED_AT,
    finished_at,
    exit_code: 7,
    error: "x",
    succeeded_at: null,
    failing_since,
    failed_runs: 1,
  });

  it("finds a sync by the schedule that failed after the last run", () => {
    using warehouse = newWarehouse();
    storeRun(warehouse, [], { startedAt: STARTED_AT, finishedAt: STARTED_AT });
    const settings = loadSettings({ env: { CALLTALLY_DATABASE: warehouse.path }, folder: warehouse.folder });
    const { runs } = readStatus(settings, { runs: 1, nowMs: Date.parse(STARTED_AT) });
    const later = at("2026-11-20T11:30:00.000Z");
    expect(findFailedSync({ runs, jobs: [later] })).toBe(later);
    expect(findFailedSync({ runs: [], jobs: [later] })).toBe(later);
    expect(findFailedSync({ runs, jobs: [at("2026-11-20T10:30:00.000Z")] })).toBeUndefined();
    expect(findFailedSync({ runs, jobs: [at("2026-11-20T11:30:00.000Z", null)] })).toBeUndefined();
    expect(findFailedSync({ runs, jobs: [{ ...later, job: "export" }] })).toBeUndefined();
  });
});
