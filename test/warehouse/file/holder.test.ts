import { writeFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { acquireLock } from "../../../src/warehouse/file/acquire-lock.ts";
import { isLocked } from "../../../src/warehouse/file/holder.ts";
import { nameFile } from "../../../src/warehouse/file/sqlite-errors.ts";
import { startRun } from "../../../src/warehouse/runs/runs.ts";
import { newWarehouse } from "../../support/warehouses/warehouse.ts";

describe("nameFile of a locked warehouse", () => {
  it.each([
    ["another program", false, 417, "another program has it locked"],
    ["a sync", true, 417, "it is being synced by process 417 since 2026-11-20T00:00:00.000Z"],
    [
      "a sync that has just started",
      true,
      undefined,
      "it is being synced by another process that has just started",
    ],
    ["another program, during a sync of this process", true, process.pid, "another program has it locked"],
  ])("names %s", (_title, lock, pid, says) => {
    using warehouse = newWarehouse();
    const { path, sqlite } = warehouse;
    const run = { started_at: "2026-11-20T00:00:00.000Z", mode: "full", plan_reason: "" } as const;
    if (pid !== undefined) startRun(warehouse, { ...run, pid });
    using _held = lock ? acquireLock(path) : undefined;
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    sqlite.pragma("busy_timeout = 0");
    const write = () => {
      try {
        sqlite.exec("DELETE FROM jobs");
      } catch (error) {
        throw nameFile(error, path);
      }
    };
    try {
      expect(write).toThrow(expect.objectContaining({ exitCode: 6, message: `Cannot use ${path}: ${says}` }));
    } finally {
      other.close();
    }
  });
});

describe("isLocked", () => {
  it("sees whether the lock is held; undefined for a file that is no lock", () => {
    using warehouse = newWarehouse();
    const { path } = warehouse;
    expect(isLocked(path)).toBe(false);
    {
      using _held = acquireLock(path);
      expect(isLocked(path)).toBe(true);
    }
    expect(isLocked(path)).toBe(false);
    writeFileSync(`${path}.lock`, "a text that is longer than the header of a database ".repeat(100));
    expect(isLocked(path)).toBeUndefined();
  });
});
