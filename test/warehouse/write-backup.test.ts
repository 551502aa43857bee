import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { prepareUpsertCalls } from "../../src/warehouse/call-table.ts";
import { tryAcquireLock } from "../../src/warehouse/lock.ts";
import { openReader, openWarehouse } from "../../src/warehouse/open.ts";
import { restoreWarehouse } from "../../src/warehouse/restore.ts";
import { startRun } from "../../src/warehouse/runs.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import { backupWarehouse } from "../../src/warehouse/write-backup.ts";
import { FULL_CALL } from "../calls.ts";
import { readIds, readRows } from "../sync/row-service.ts";
import { makeTempFolder } from "../temp-folder.ts";

const NOW = { nowMs: Date.parse("2026-11-20T12:00:00.000Z") };
const KEPT = "calls.db.replaced-20261120T120000000Z";
const CALLS = Array.from({ length: 1100 }, (_, index) => ({
  ...FULL_CALL,
  call_id: 1000 + index,
  // Half a surrogate pair is stored as U+FFFD; its hash must not speak of damage.
  summary: index === 7 ? "cut \ud83d off" : `Call ${index}: ${"a leaking tap ".repeat(20)}`,
}));

/** Makes a warehouse of 1,100 calls with transcripts and a run, and closes it. */
function makeWarehouse(file: string, calls = CALLS): void {
  using warehouse = openWarehouse(file);
  const started = { started_at: "2026-11-20T11:00:00.000Z", mode: "full", plan_reason: "", pid: 1 } as const;
  writeTransaction(warehouse, () => prepareUpsertCalls(warehouse, startRun(warehouse, started))(calls));
}

function names(folder: string): string[] {
  return readdirSync(folder).sort();
}

/** Every row of a warehouse. */
function dump(file: string): unknown {
  return ["calls", "transcripts", "sync_runs", "call_facts"].map((table) =>
    readRows(file, `SELECT * FROM ${table} ORDER BY 1`),
  );
}

/** Takes away what the last migration brought. */
function makeOlder(file: string): void {
  const sqlite = new Database(file);
  sqlite.exec("DROP TABLE webhook_changes; PRAGMA user_version = 2");
  sqlite.close();
}

/** Writes over the text of a stored call, as a failing disk would: SQLite's own check does not see it. */
function flipByte(file: string): void {
  const bytes = readFileSync(file);
  const at = bytes.indexOf("Call 1034: a leaking");
  bytes.write("X", at + 13);
  writeFileSync(file, bytes);
}

describe("backupWarehouse", () => {
  it("makes one file of the same rows that its owner alone may read, with no log beside it", async () => {
    using folder = makeTempFolder();
    const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "backups", "calls.db")];
    makeWarehouse(database);
    const backup = await backupWarehouse(database, file);
    expect(backup).toEqual({ file, bytes: statSync(file).size, calls: 1100, runs: 1 });
    expect(names(join(folder.path, "backups"))).toEqual(["calls.db"]);
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    expect(readRows(file, "PRAGMA journal_mode")).toEqual([{ journal_mode: "delete" }]);
    expect(dump(file)).toEqual(dump(database));
  });

  it("holds what was committed to the log and is not in the warehouse's file yet", async () => {
    using folder = makeTempFolder();
    const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "backup.db")];
    using warehouse = openWarehouse(database);
    writeTransaction(warehouse, () => prepareUpsertCalls(warehouse, 1)(CALLS));
    expect(statSync(`${database}-wal`).size).toBeGreaterThan(100_000);
    await backupWarehouse(database, file);
    expect(dump(file)).toEqual(dump(database));
  });

  it("is of one moment, though a writer commits all the time", async () => {
    using folder = makeTempFolder();
    const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "backup.db")];
    makeWarehouse(database);
    using warehouse = openWarehouse(database);
    const upsert = prepareUpsertCalls(warehouse, 2);
    let [writes, done] = [0, false];
    const write = () => {
      if (done) return;
      // In pairs: a copy that is not of one moment would have one without the other.
      writes++;
      writeTransaction(warehouse, () =>
        upsert([
          { ...FULL_CALL, call_id: 1_000_000 + writes },
          { ...FULL_CALL, call_id: -writes },
        ]),
      );
      setImmediate(write);
    };
    write();
    await backupWarehouse(database, file);
    done = true;
    expect(writes).toBeGreaterThan(2);
    const ids = readIds(file).filter((id) => id < 0 || id > 1_000_000);
    expect(
      ids
        .filter((id) => id < 0)
        .map((id) => 1_000_000 - id)
        .sort(),
    ).toEqual(ids.filter((id) => id > 0).sort());
    expect(ids.length).toBeLessThan(2 * writes);
  });

  it("copies a warehouse that an older calltally left, before it is brought forward", async () => {
    using folder = makeTempFolder();
    const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "backup.db")];
    makeWarehouse(database);
    makeOlder(database);
    expect(await backupWarehouse(database, file)).toMatchObject({ calls: 1100, runs: 1 });
    expect(await restoreWarehouse(file, database, NOW)).toMatchObject({ calls: 1100, runs: 1 });
    expect(readRows(database, "PRAGMA user_version")).toEqual([{ user_version: 2 }]);
  });

  it("replaces an earlier backup, and keeps it where the warehouse is damaged", async () => {
    using folder = makeTempFolder();
    const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "backup.db")];
    makeWarehouse(database, CALLS.slice(0, 10));
    await backupWarehouse(database, file);
    makeWarehouse(database);
    expect(await backupWarehouse(database, file)).toMatchObject({ calls: 1100 });
    const good = readFileSync(file);
    flipByte(database);
    expect(readRows(database, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    await expect(backupWarehouse(database, file)).rejects.toMatchObject({
      exitCode: 7,
      message: expect.stringContaining("1 call is not as it was read from the service: 2034"),
    });
    expect(readFileSync(file).equals(good)).toBe(true);
    expect(names(folder.path).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it.each([
    { title: "the warehouse", file: "calls.db", exitCode: 2 },
    { title: "a link to the warehouse", file: "link.db", exitCode: 2 },
    { title: "the name of its log", file: "calls.db-wal", exitCode: 2 },
    { title: "somebody's notes", file: "notes.txt", exitCode: 7 },
    { title: "a folder", file: "folder", exitCode: 7 },
    { title: "another warehouse", file: "other.db", exitCode: 7 },
  ])("does not write over $title", async ({ file, exitCode }) => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    makeWarehouse(database, CALLS.slice(0, 3));
    makeWarehouse(join(folder.path, "other.db"), CALLS.slice(0, 5));
    writeFileSync(join(folder.path, "notes.txt"), "notes");
    mkdirSync(join(folder.path, "folder"));
    symlinkSync(database, join(folder.path, "link.db"));
    const before = names(folder.path);
    await expect(backupWarehouse(database, join(folder.path, file))).rejects.toMatchObject({ exitCode });
    expect(names(folder.path)).toEqual(before);
    expect(readIds(database)).toHaveLength(3);
    expect(readIds(join(folder.path, "other.db"))).toHaveLength(5);
  });

  it("removes what killed backups have left, and not what a living one writes", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    makeWarehouse(database, CALLS.slice(0, 3));
    const draft = (pid: number) => `.backup.db.${pid}-6f1c1c52-8d0c-4c8c-9a55-0b8c3c1f2a77.tmp`;
    writeFileSync(join(folder.path, draft(2 ** 22 + 1)), "left by a process that is no more");
    writeFileSync(join(folder.path, draft(process.ppid)), "being written");
    await backupWarehouse(database, join(folder.path, "backup.db"));
    expect(names(folder.path).filter((name) => name.startsWith("."))).toEqual([draft(process.ppid)]);
  });

  it("ends between two steps when it is told to, and leaves nothing", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    makeWarehouse(database);
    const stop = new AbortController();
    const backup = backupWarehouse(database, join(folder.path, "backup.db"), stop.signal);
    stop.abort(new Error("enough"));
    await expect(backup).rejects.toThrow("enough");
    expect(names(folder.path).filter((name) => !name.startsWith("calls.db"))).toEqual([]);
  });
});

describe("restoreWarehouse", () => {
  it("puts the backup in the warehouse's place, and keeps all of the one that was there", async () => {
    using folder = makeTempFolder();
    const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "backup.db")];
    makeWarehouse(database);
    await backupWarehouse(database, file);
    const saved = dump(database);
    {
      // A warehouse whose writer was killed: the last rows are in the log alone.
      using warehouse = openWarehouse(database);
      prepareUpsertCalls(warehouse, 2)([{ ...FULL_CALL, call_id: 5 }]);
      for (const suffix of ["", "-wal"])
        copyFileSync(database + suffix, `${join(folder.path, "killed.db")}${suffix}`);
    }
    const killed = join(folder.path, "killed.db");
    expect(statSync(`${killed}-wal`).size).toBeGreaterThan(0);
    const restored = await restoreWarehouse(file, killed, NOW);
    const kept = join(folder.path, "killed.db.replaced-20261120T120000000Z");
    expect(restored).toEqual({
      database: killed,
      replaced: kept,
      forgotten_again: false,
      bytes: statSync(file).size,
      calls: 1100,
      runs: 1,
      caller_key: null,
    });
    expect(dump(killed)).toEqual(saved);
    expect(readIds(kept)).toEqual([5, ...CALLS.map((call) => call.call_id)]);
    expect((statSync(killed).mode & 0o777).toString(8)).toBe("600");
    expect(existsSync(`${killed}-wal`)).toBe(false);
  });

  it("makes a warehouse where there is none", async () => {
    using folder = makeTempFolder();
    const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "new", "calls.db")];
    makeWarehouse(database);
    await backupWarehouse(database, join(folder.path, "backup.db"));
    const restored = await restoreWarehouse(join(folder.path, "backup.db"), file, NOW);
    expect(restored.replaced).toBeNull();
    expect(dump(file)).toEqual(dump(database));
    using warehouse = openWarehouse(file);
    expect(warehouse.sqlite.pragma("journal_mode", { simple: true })).toBe("wal");
  });

  it.each([0, 1, 99, 100, 16_384, 20_000, 0.5, 0.999])(
    "refuses a backup that is cut off after %d (a share below 1), and changes nothing",
    async (length) => {
      using folder = makeTempFolder();
      const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "backup.db")];
      makeWarehouse(database);
      await backupWarehouse(database, file);
      truncateSync(file, length > 0 && length < 1 ? Math.floor(statSync(file).size * length) : length);
      const bytes = readFileSync(database);
      const before = names(folder.path);
      await expect(restoreWarehouse(file, database, NOW)).rejects.toMatchObject({ exitCode: 7 });
      expect(readFileSync(database).equals(bytes)).toBe(true);
      expect(names(folder.path).filter((name) => name !== "calls.db.lock")).toEqual(before);
    },
  );

  it("refuses a backup that lost its last page", async () => {
    using folder = makeTempFolder();
    const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "backup.db")];
    makeWarehouse(database);
    await backupWarehouse(database, file);
    truncateSync(file, statSync(file).size - 16_384);
    await expect(restoreWarehouse(file, database, NOW)).rejects.toMatchObject({ exitCode: 7 });
  });

  it("refuses a backup of which one byte is another, and names the call", async () => {
    using folder = makeTempFolder();
    const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "backup.db")];
    makeWarehouse(database);
    await backupWarehouse(database, file);
    flipByte(file);
    const before = readFileSync(database);
    await expect(restoreWarehouse(file, database, NOW)).rejects.toMatchObject({
      exitCode: 7,
      message: expect.stringContaining("service: 2034"),
    });
    expect(readFileSync(database).equals(before)).toBe(true);
  });

  it.each([
    { title: "is text", ruins: () => Buffer.from("ruins") },
    { title: "is empty", ruins: () => Buffer.alloc(0) },
    { title: "is its header alone", ruins: (file: string) => readFileSync(file).subarray(0, 5000) },
    { title: "is cut off", ruins: (file: string) => readFileSync(file).subarray(0, 100_000) },
  ])(
    "keeps a warehouse that $title, with its log, which is not written into the new one",
    async ({ ruins }) => {
      using folder = makeTempFolder();
      const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "backup.db")];
      makeWarehouse(database);
      await backupWarehouse(database, file);
      const left = ruins(database);
      writeFileSync(database, left);
      writeFileSync(`${database}-wal`, "a log");
      const restored = await restoreWarehouse(file, database, NOW);
      expect(restored.replaced).toBe(join(folder.path, KEPT));
      expect(readFileSync(join(folder.path, KEPT)).subarray(0, left.length).equals(left)).toBe(true);
      // One that SQLite can open has its log written into it, or dropped as none.
      if (left.length < 65_536) expect(readFileSync(join(folder.path, `${KEPT}-wal`), "utf8")).toBe("a log");
      expect(existsSync(`${database}-wal`)).toBe(false);
      expect(dump(database)).toEqual(dump(file));
    },
  );

  it("refuses, with exit 6, while somebody holds the lock or has the warehouse open", async () => {
    using folder = makeTempFolder();
    const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "backup.db")];
    makeWarehouse(database);
    await backupWarehouse(database, file);
    {
      using _lock = tryAcquireLock(database);
      await expect(restoreWarehouse(file, database, NOW)).rejects.toMatchObject({ exitCode: 6 });
    }
    using reader = openReader({ path: database });
    reader.sqlite.prepare("SELECT count(*) FROM calls").get();
    await expect(restoreWarehouse(file, database, NOW)).rejects.toMatchObject({
      exitCode: 6,
      message: expect.stringContaining("another process has it open"),
    });
    expect(names(folder.path).filter((name) => /replaced|tmp$/.test(name))).toEqual([]);
    expect(readRows(database, "PRAGMA journal_mode")).toEqual([{ journal_mode: "wal" }]);
  });

  it("refuses another program's database in the warehouse's place, and the warehouse as its own backup", async () => {
    using folder = makeTempFolder();
    const [database, foreign] = [join(folder.path, "calls.db"), join(folder.path, "foreign.db")];
    makeWarehouse(database, CALLS.slice(0, 3));
    const sqlite = new Database(foreign);
    sqlite.exec("CREATE TABLE calls (call_id INTEGER)");
    sqlite.close();
    await expect(restoreWarehouse(database, foreign, NOW)).rejects.toMatchObject({ exitCode: 7 });
    await expect(restoreWarehouse(database, database, NOW)).rejects.toMatchObject({ exitCode: 2 });
    expect(names(folder.path)).toEqual(["calls.db", "foreign.db"]);
  });

  it("says where there is no backup, and makes nothing", async () => {
    using folder = makeTempFolder();
    const nowhere = join(folder.path, "nowhere.db");
    await expect(restoreWarehouse(nowhere, join(folder.path, "new", "calls.db"), NOW)).rejects.toMatchObject({
      exitCode: 7,
      message: `There is no backup at ${nowhere}`,
    });
    expect(names(folder.path)).toEqual([]);
  });
});
