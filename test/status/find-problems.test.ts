import { describe, expect, it } from "vitest";
import { loadSettings } from "../../src/config/load-settings.ts";
import { findProblems } from "../../src/status/find-problems.ts";
import { readStatus } from "../../src/status/read-status.ts";
import { acquireLock } from "../../src/warehouse/acquire-lock.ts";
import { startRun } from "../../src/warehouse/runs/runs.ts";
import { newWarehouse, storeRun } from "../support/warehouse.ts";

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
});
