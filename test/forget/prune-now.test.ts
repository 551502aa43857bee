import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { type PruneNowOptions, pruneNow } from "../../src/forget/prune-now.ts";
import { KEEP_ALL } from "../../src/privacy/keep-settings.ts";
import { tryAcquireLock } from "../../src/warehouse/lock.ts";
import { CALLS, dump, makePlace } from "../support/small-warehouse.ts";
import { readRows } from "../support/warehouse.ts";

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
    const { database } = place;
    expect(readFiles(database)).toContain("a leaking tap");
    expect(await pruneWarehouse(database)).toEqual({ removed: WORDS, isErased: true });
    expect(readRows(database, "SELECT * FROM transcripts")).toEqual([]);
    expect(readFiles(database)).not.toContain("a leaking tap");
    expect(readActs(database)).toEqual([{ at: NOW, act: "prune", erased_at: NOW }]);
    expect(await pruneWarehouse(database)).toEqual({ removed: NOTHING, isErased: false });
  });

  it("only counts in a dry run, even during a sync", async () => {
    using place = makePlace();
    const { database } = place;
    const before = dump(database);
    using _lock = tryAcquireLock(database);
    expect(await pruneWarehouse(database, { isDryRun: true })).toEqual({ removed: WORDS, isErased: false });
    expect(dump(database)).toEqual(before);
    expect(readActs(database)).toEqual([]);
  });

  it("refuses a warehouse that is being synced", async () => {
    using place = makePlace();
    const { database } = place;
    const before = dump(database);
    {
      using _lock = tryAcquireLock(database);
      await expect(pruneWarehouse(database)).rejects.toMatchObject({
        exitCode: 6,
        message: `Cannot prune ${database}: it is being synced`,
        hint: "Wait for the sync to end; it removed expired data before it began to read.",
      });
    }
    expect(dump(database)).toEqual(before);
    expect(await pruneWarehouse(database)).toMatchObject({ removed: WORDS });
  });

  it("identifies callers by digests if the rules say so, without attributing again, and releases the lock", async () => {
    using place = makePlace();
    const { database } = place;
    const attributed: unknown[] = [];
    await pruneWarehouse(database, {
      keep: { ...KEEP_ALL, caller_numbers: "never" },
      rules: { ...DEFAULT_RULES, caller_digests: true },
      onAttributed: (progress) => attributed.push(progress),
    });
    expect(attributed).toEqual([]);
    expect(readRows(database, "SELECT DISTINCT caller_id FROM calls")).toEqual([{ caller_id: null }]);
    const [facts] = readRows(
      database,
      "SELECT DISTINCT caller FROM call_facts JOIN callers USING (caller_id)",
    );
    expect(facts).toEqual({ caller: expect.not.stringContaining("30123456") });
    using lock = tryAcquireLock(database);
    expect(lock).toBeDefined();
  });

  it("erases what an earlier run had removed but not erased", async () => {
    using place = makePlace();
    const { database } = place;
    await pruneWarehouse(database);
    const sqlite = new Database(database);
    sqlite.exec("UPDATE privacy_acts SET erased_at = NULL");
    sqlite.close();
    expect(await pruneWarehouse(database, { nowMs: Date.parse(NOW) + 5 })).toEqual({
      removed: NOTHING,
      isErased: true,
    });
    expect(readActs(database)).toMatchObject([{ erased_at: "2026-11-20T15:00:00.005Z" }]);
  });

  it("does not change the file if everything is always kept", async () => {
    using place = makePlace();
    const { database } = place;
    const before = readFiles(database);
    expect(await pruneWarehouse(database, { keep: KEEP_ALL })).toEqual({ removed: NOTHING, isErased: false });
    expect(readFiles(database) === before).toBe(true);
  });

  it("overwrites removed data even if the run fails", async () => {
    using place = makePlace();
    const { database } = place;
    dropRejected(database);
    await expect(pruneWarehouse(database)).rejects.toThrow("SQLITE_ERROR");
    expect(readRows(database, "SELECT * FROM transcripts")).toEqual([]);
    expect(readActs(database)).toEqual([{ at: NOW, act: "prune", erased_at: null }]);
    expect(readFiles(database)).not.toContain("a leaking tap");
  });

  it("makes SQLite create its temporary files in the folder of the warehouse", async () => {
    using place = makePlace();
    const { folder, database } = place;
    const before = process.env.SQLITE_TMPDIR;
    delete process.env.SQLITE_TMPDIR;
    try {
      await pruneWarehouse(database, { isDryRun: true });
      expect(process.env.SQLITE_TMPDIR).toBe(folder);
    } finally {
      delete process.env.SQLITE_TMPDIR;
      if (before !== undefined) process.env.SQLITE_TMPDIR = before;
    }
  });

  it.each([true, false])("throws the signal's reason (a dry run: %s)", async (isDryRun) => {
    using place = makePlace();
    const { database } = place;
    const signal = AbortSignal.abort(new Error("Enough"));
    await expect(pruneWarehouse(database, { isDryRun, signal })).rejects.toThrow("Enough");
    expect(readRows(database, "SELECT 1 FROM transcripts")).toHaveLength(CALLS.length);
  });

  it("names the file that SQLite cannot use", async () => {
    using place = makePlace();
    const { database } = place;
    dropRejected(database);
    await expect(pruneWarehouse(database, { isDryRun: true })).rejects.toMatchObject({
      exitCode: 7,
      message: `Cannot use ${database} (SQLITE_ERROR)`,
    });
  });
});
