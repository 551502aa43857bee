import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { KEEP_ALL } from "../../../src/calls/privacy/keep-settings.ts";
import { type PruneNowOptions, pruneNow } from "../../../src/operate/forget/prune-now.ts";
import { tryAcquireLock } from "../../../src/warehouse/file/lock.ts";
import { CALLS, dump, makePlace } from "../../support/warehouses/small-warehouse.ts";
import { readRows } from "../../support/warehouses/warehouse.ts";

const NOW = "2026-11-20T15:00:00.000Z";
/** Two months after the calls. */
const KEEP_NO_WORDS = { ...KEEP_ALL, transcripts: "never", summaries: 30 } as const;
const NOTHING = {
  transcripts: 0,
  summaries: 0,
  caller_numbers: 0,
  recording_urls: 0,
  extra: 0,
  rejected_rows: 0,
};
const WORDS = { ...NOTHING, transcripts: CALLS.length, summaries: CALLS.length, extra: CALLS.length };

const pruneWarehouse = (database: string, options: Partial<PruneNowOptions> = {}) =>
  pruneNow({
    database,
    keep: KEEP_NO_WORDS,
    rules: DEFAULT_RULES,
    isDryRun: false,
    nowMs: Date.parse(NOW),
    ...options,
  });

const readFiles = (database: string) =>
  ["", "-wal"].map((suffix) => readFileSync(database + suffix, { encoding: "latin1", flag: "a+" })).join("");

const readActs = (database: string) => readRows(database, "SELECT at, act, erased_at FROM privacy_acts");

/** Drops the table that pruning reads last. */
function dropRejected(database: string): void {
  const sqlite = new Database(database);
  sqlite.exec("DROP TABLE rejected_calls");
  sqlite.close();
}

describe("pruneNow", () => {
  it("removes expired data, erases it from the files, and finds nothing the next time", async () => {
    using place = makePlace();
    expect(readFiles(place.database)).toContain("a leaking tap");
    expect(await pruneWarehouse(place.database)).toEqual({ removed: WORDS, isErased: true });
    expect(readRows(place.database, "SELECT * FROM transcripts")).toEqual([]);
    expect(readFiles(place.database)).not.toContain("a leaking tap");
    expect(readActs(place.database)).toEqual([{ at: NOW, act: "prune", erased_at: NOW }]);
    expect(await pruneWarehouse(place.database)).toEqual({ removed: NOTHING, isErased: false });
  });

  it("only counts in a dry run, even during a sync", async () => {
    using place = makePlace();
    const before = dump(place.database);
    using _lock = tryAcquireLock(place.database);
    expect(await pruneWarehouse(place.database, { isDryRun: true })).toEqual({
      removed: WORDS,
      isErased: false,
    });
    expect(dump(place.database)).toEqual(before);
    expect(readActs(place.database)).toEqual([]);
  });

  it("refuses a warehouse that is being synced", async () => {
    using place = makePlace();
    const before = dump(place.database);
    {
      using _lock = tryAcquireLock(place.database);
      await expect(pruneWarehouse(place.database)).rejects.toMatchObject({
        exitCode: 6,
        message: `Cannot prune ${place.database}: it is being synced`,
        hint: "Wait for the sync to end; it removed expired data before it began to read.",
      });
    }
    expect(dump(place.database)).toEqual(before);
    expect(await pruneWarehouse(place.database)).toMatchObject({ removed: WORDS });
  });

  it("identifies callers by digests if the rules say so, without attributing again, and releases the lock", async () => {
    using place = makePlace();
    const attributed: unknown[] = [];
    await pruneWarehouse(place.database, {
      keep: { ...KEEP_ALL, caller_numbers: "never" },
      rules: { ...DEFAULT_RULES, caller_digests: true },
      onAttributed: (progress) => attributed.push(progress),
    });
    expect(attributed).toEqual([]);
    expect(readRows(place.database, "SELECT DISTINCT caller_id FROM calls")).toEqual([{ caller_id: null }]);
    const [facts] = readRows(
      place.database,
      "SELECT DISTINCT caller FROM call_facts JOIN callers USING (caller_id)",
    );
    expect(facts).toEqual({ caller: expect.not.stringContaining("30123456") });
    using lock = tryAcquireLock(place.database);
    expect(lock).toBeDefined();
  });

  it("erases what an earlier run had removed but not erased", async () => {
    using place = makePlace();
    await pruneWarehouse(place.database);
    const sqlite = new Database(place.database);
    sqlite.exec("UPDATE privacy_acts SET erased_at = NULL");
    sqlite.close();
    expect(await pruneWarehouse(place.database, { nowMs: Date.parse(NOW) + 5 })).toEqual({
      removed: NOTHING,
      isErased: true,
    });
    expect(readActs(place.database)).toMatchObject([{ erased_at: "2026-11-20T15:00:00.005Z" }]);
  });

  it("does not change the file if everything is always kept", async () => {
    using place = makePlace();
    const before = readFiles(place.database);
    expect(await pruneWarehouse(place.database, { keep: KEEP_ALL })).toEqual({
      removed: NOTHING,
      isErased: false,
    });
    expect(readFiles(place.database) === before).toBe(true);
  });

  it("overwrites removed data even if the run fails", async () => {
    using place = makePlace();
    dropRejected(place.database);
    await expect(pruneWarehouse(place.database)).rejects.toMatchObject({
      exitCode: 7,
      message: `Cannot use ${place.database} (SQLITE_ERROR)`,
    });
    expect(readRows(place.database, "SELECT * FROM transcripts")).toEqual([]);
    expect(readActs(place.database)).toEqual([{ at: NOW, act: "prune", erased_at: null }]);
    expect(readFiles(place.database)).not.toContain("a leaking tap");
  });

  it("makes SQLite create its temporary files in the folder of the warehouse", async () => {
    using place = makePlace();
    const before = process.env.SQLITE_TMPDIR;
    delete process.env.SQLITE_TMPDIR;
    try {
      await pruneWarehouse(place.database, { isDryRun: true });
      expect(process.env.SQLITE_TMPDIR).toBe(place.folder);
    } finally {
      delete process.env.SQLITE_TMPDIR;
      if (before !== undefined) process.env.SQLITE_TMPDIR = before;
    }
  });

  it.each([true, false])("throws the signal's reason (a dry run: %s)", async (isDryRun) => {
    using place = makePlace();
    const signal = AbortSignal.abort(new Error("Enough"));
    await expect(pruneWarehouse(place.database, { isDryRun, signal })).rejects.toThrow("Enough");
    expect(readRows(place.database, "SELECT 1 FROM transcripts")).toHaveLength(CALLS.length);
  });
});
