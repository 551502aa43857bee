import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { restoreWarehouse } from "../../../src/operate/backup/restore.ts";
import { backupWarehouse } from "../../../src/operate/backup/write-backup.ts";
import { forgetCallers } from "../../../src/operate/forget/forget-callers.ts";
import { recordBackup } from "../../../src/warehouse/backup-table.ts";
import { damageNoteOf, readDamage } from "../../../src/warehouse/file/damage.ts";
import { tryAcquireLock } from "../../../src/warehouse/file/lock.ts";
import { connect, openWarehouse } from "../../../src/warehouse/file/open.ts";
import { bindOrigin } from "../../../src/warehouse/origin.ts";
import { insertExports, settleExports } from "../../../src/warehouse/runs/exports.ts";
import { writeTransaction } from "../../../src/warehouse/transaction.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { FULL_CALL } from "../../support/warehouses/calls.ts";
import {
  CALLS,
  copyWithLog,
  dump,
  flipByte,
  MANY,
  makeBackup,
  makePlace,
  names,
  openIn,
} from "../../support/warehouses/small-warehouse.ts";
import { locked, readIds, readRows, storeCalls } from "../../support/warehouses/warehouse.ts";

const NOW = { nowMs: Date.parse("2026-11-20T12:00:00.000Z") };
const KEPT = "calls.db.replaced-20261120T120000000Z";
const FEW = CALLS.slice(0, 3);

describe("restoreWarehouse", () => {
  it("refuses the backup of another account, names both addresses, and changes nothing", async () => {
    using place = makePlace(FEW);
    const { folder, database, file } = place;
    const service = { baseUrl: new URL("https://alpha.example"), token: "t0ken", orgUnitId: "17" };
    {
      using warehouse = openWarehouse(file);
      storeCalls(warehouse, FEW);
      writeTransaction(warehouse, (tx) => bindOrigin(tx, service, "2026-11-20T11:00:00.000Z"));
    }
    const before = readFileSync(database);
    const restore = (baseUrl: string | undefined, orgUnitId: string | undefined) =>
      restoreWarehouse(file, database, {
        ...NOW,
        baseUrl: baseUrl ? new URL(baseUrl) : undefined,
        orgUnitId,
      });
    const is = `Cannot restore ${file}: it is a copy of https://alpha.example, org_unit_id 17, and the account is at`;
    await expect(restore("https://beta.example/", "17")).rejects.toMatchObject({
      exitCode: 2,
      message: `${is} https://beta.example, org_unit_id 17`,
      hint: expect.stringContaining("calltally sync --rebind"),
    });
    await expect(restore("https://alpha.example", undefined)).rejects.toThrow(`${is} https://alpha.example`);
    expect(readFileSync(database).equals(before)).toBe(true);
    expect(names(folder).filter((name) => /replaced|tmp$/.test(name))).toEqual([]);
    expect(await restore("https://alpha.example", "17")).toMatchObject({ calls: 3 });
    expect(await restore(undefined, undefined)).toMatchObject({ calls: 3 });
  });

  it("replaces the warehouse with the backup and keeps the old one completely", async () => {
    using place = makePlace(CALLS, CALLS);
    const { folder, database, file } = place;
    const saved = dump(database);
    {
      // A warehouse whose writer was killed: the last rows are only in the log.
      using warehouse = openWarehouse(database);
      storeCalls(warehouse, [{ ...FULL_CALL, call_id: 5 }], { runId: 2 });
      copyWithLog(database, join(folder, "killed.db"));
    }
    const killed = join(folder, "killed.db");
    expect(statSync(`${killed}-wal`).size).toBeGreaterThan(0);
    const restored = await restoreWarehouse(file, killed, NOW);
    const kept = join(folder, "killed.db.replaced-20261120T120000000Z");
    expect(restored).toEqual({
      database: killed,
      replaced: kept,
      forgotten_again: false,
      bytes: statSync(file).size,
      calls: 40,
      runs: 1,
      caller_key: null,
    });
    expect(dump(killed)).toEqual(saved);
    expect(readIds(kept)).toEqual([5, ...CALLS.map((call) => call.call_id)]);
    expect((statSync(killed).mode & 0o777).toString(8)).toBe("600");
    expect(existsSync(`${killed}-wal`)).toBe(false);
  });

  it.each([0, 100, 20_000, 0.5, -16_384])(
    "refuses a backup that is truncated to %d bytes (by so many if below 0, or a share), and changes nothing",
    async (length) => {
      using place = makePlace(CALLS, CALLS);
      const { folder, database, file } = place;
      const { size } = statSync(file);
      truncateSync(file, length < 0 ? size + length : length < 1 ? Math.floor(size * length) : length);
      const bytes = readFileSync(database);
      const before = names(folder);
      await expect(restoreWarehouse(file, database, NOW)).rejects.toMatchObject({ exitCode: 7 });
      expect(readFileSync(database).equals(bytes)).toBe(true);
      expect(names(folder).filter((name) => name !== "calls.db.lock")).toEqual(before);
    },
  );

  it("refuses a backup with one changed byte, names the call, and releases the warehouse and its lock", async () => {
    using place = makePlace(CALLS, CALLS);
    const { database, file } = place;
    flipByte(file);
    const before = readFileSync(database);
    await expect(restoreWarehouse(file, database, NOW)).rejects.toMatchObject({
      exitCode: 7,
      message: expect.stringContaining("service: 1034"),
    });
    expect(readFileSync(database).equals(before)).toBe(true);
    using lock = tryAcquireLock(database);
    expect(lock).toBeDefined();
    using warehouse = openWarehouse(database);
    expect(warehouse.sqlite.pragma("journal_mode", { simple: true })).toBe("wal");
  });

  it.each([
    { title: "is text", ruins: () => Buffer.from("ruins") },
    { title: "is empty", ruins: () => Buffer.alloc(0) },
    { title: "has only its header", ruins: (file: string) => readFileSync(file).subarray(0, 5000) },
    { title: "is truncated", ruins: (file: string) => readFileSync(file).subarray(0, 100_000) },
  ])(
    "keeps a replaced warehouse that $title, with its log, which is not written into the new one",
    async ({ ruins }) => {
      using place = makePlace(CALLS, CALLS);
      const { folder, database, file } = place;
      const left = ruins(database);
      writeFileSync(database, left);
      writeFileSync(`${database}-wal`, "a log");
      const restored = await restoreWarehouse(file, database, NOW);
      expect(restored.replaced).toBe(join(folder, KEPT));
      expect(readFileSync(join(folder, KEPT)).subarray(0, left.length).equals(left)).toBe(true);
      // The log of a readable one is written into it, or dropped as invalid.
      const isLogKept = left.length < 65_536;
      expect(names(folder).includes(`${KEPT}-wal`)).toBe(isLogKept);
      if (isLogKept) expect(readFileSync(join(folder, `${KEPT}-wal`), "utf8")).toBe("a log");
      expect(existsSync(`${database}-wal`)).toBe(false);
      expect(dump(database)).toEqual(dump(file));
    },
  );

  it("exits with 6 while another process holds the lock or has the warehouse open", async () => {
    using place = makePlace(CALLS, CALLS);
    const { folder, database, file } = place;
    const inUse = {
      exitCode: 6,
      message: `Cannot restore into ${database}: another process has it open`,
      hint: "A sync may be running. Stop the schedule and other programs that read the warehouse, and try again.",
    };
    {
      using _lock = tryAcquireLock(database);
      await expect(restoreWarehouse(file, database, NOW)).rejects.toMatchObject(inUse);
    }
    {
      using reader = connect({ path: database });
      reader.sqlite.prepare("SELECT count(*) FROM calls").get();
      await expect(restoreWarehouse(file, database, NOW)).rejects.toMatchObject(inUse);
    }
    expect(names(folder).filter((name) => /replaced|tmp$/.test(name))).toEqual([]);
    expect(openIn(folder)).toEqual([]);
    expect(readRows(database, "PRAGMA journal_mode")).toEqual([{ journal_mode: "wal" }]);
    // A restored warehouse without writes since has no log: a reader is noticed all the same.
    makeBackup(database);
    const sqlite = new Database(database, { readonly: true });
    sqlite.exec("BEGIN; SELECT count(*) FROM calls");
    sqlite.prepare("SELECT count(*) FROM calls").get();
    await expect(restoreWarehouse(file, database, NOW)).rejects.toMatchObject(inUse);
    sqlite.close();
    expect(await restoreWarehouse(file, database, NOW)).toMatchObject({ calls: 40 });
  });

  it("holds the lock from before it copies until it is done", async () => {
    using place = makePlace(FEW, MANY);
    const { database, file } = place;
    const restoring = restoreWarehouse(file, database, NOW);
    const seen: unknown[] = [];
    let isDone = false;
    const done = restoring.then(() => {
      isDone = true;
    });
    for (; !isDone; await new Promise(setImmediate)) {
      using lock = tryAcquireLock(database);
      if (lock === undefined) seen.push("held");
      else if (!isDone) seen.push("free");
      else break;
    }
    await done;
    expect(seen.length).toBeGreaterThan(1);
    expect(new Set(seen)).toEqual(new Set(["held"]));
    using lock = tryAcquireLock(database);
    expect(lock).toBeDefined();
  });

  it("stops at any point when aborted, and changes nothing", async () => {
    using place = makePlace(FEW, MANY);
    const { folder, database, file } = place;
    const before = readFileSync(database);
    let asked = 0;
    for (let at = 1; ; at++) {
      asked = 0;
      const throwIfAborted = () => {
        if (++asked === at) throw new Error("enough");
      };
      const signal: AbortSignal = Object.assign(new AbortController().signal, { throwIfAborted });
      const restored = await restoreWarehouse(file, database, { ...NOW, signal }).catch(String);
      if (typeof restored !== "string") break;
      expect(restored).toBe("Error: enough");
      expect(readFileSync(database).equals(before)).toBe(true);
      expect(names(folder)).toEqual(["backup.db", "calls.db", "calls.db.lock"]);
    }
    // While rows are read, while pages are copied, and while the copy is checked.
    expect(asked).toBeGreaterThanOrEqual(4);
  });

  const KEEP_BACKUP = "Nothing was changed. Give the file that `calltally backup` wrote.";
  const KEEP_OTHER = "It was not changed. Move it away, or set CALLTALLY_DATABASE to another file.";

  it.each<[title: string, file: string, database: string, exitCode: number, says: string, hint?: string]>([
    ["a missing backup", "nowhere.db", "new/calls.db", 7, "There is no backup at FILE"],
    ["a warehouse from itself", "calls.db", "calls.db", 2, "Cannot restore DATABASE from itself"],
    ["a warehouse from its other name", "hard.db", "calls.db", 2, "Cannot restore DATABASE from itself"],
    ...[
      ["foreign.db", "is an SQLite database of another program"],
      ["notes.txt", "is not an SQLite database"],
      ["empty.db", "is empty"],
      ["folder", "is a folder"],
    ].map(([file = "", state]): [string, string, string, number, string, string] => {
      return [`from what ${state}`, file, "new/calls.db", 7, `Cannot restore FILE: it ${state}`, KEEP_BACKUP];
    }),
    ...[
      ["foreign.db", "is an SQLite database of another program"],
      ["folder", "is a folder"],
    ].map(([database = "", state]): [string, string, string, number, string, string] => {
      const says = `Cannot use DATABASE as the warehouse: it ${state}`;
      return [`into what ${state}`, "calls.db", database, 7, says, KEEP_OTHER];
    }),
  ])("refuses to restore %s, and creates nothing", async (_title, from, into, exitCode, says, hint) => {
    using place = makePlace(FEW);
    const { folder } = place;
    linkSync(place.database, join(folder, "hard.db"));
    const sqlite = new Database(join(folder, "foreign.db"));
    sqlite.exec("CREATE TABLE calls (call_id INTEGER)");
    sqlite.close();
    writeFileSync(join(folder, "notes.txt"), "notes");
    writeFileSync(join(folder, "empty.db"), "");
    mkdirSync(join(folder, "folder"));
    const before = names(folder);
    const [file, database] = [join(folder, from), join(folder, into)];
    await expect(restoreWarehouse(file, database, NOW)).rejects.toMatchObject({
      exitCode,
      message: says.replace("FILE", file).replace("DATABASE", database),
      ...(hint !== undefined && { hint }),
    });
    expect(names(folder)).toEqual(before);
  });

  it("moves all files of the replaced warehouse out of the way of the new one", async () => {
    using folder = makeTempFolder();
    const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "backup.db")];
    makeBackup(file, FEW);
    writeFileSync(database, "ruins");
    for (const suffix of ["-wal", "-shm", "-journal"]) writeFileSync(database + suffix, suffix);
    expect((await restoreWarehouse(file, database, NOW)).replaced).toBe(join(folder.path, KEPT));
    expect(names(folder.path)).toEqual(
      [
        "backup.db",
        "calls.db",
        "calls.db.lock",
        ...["", "-journal", "-shm", "-wal"].map((suffix) => KEPT + suffix),
      ].sort(),
    );
    for (const suffix of ["-wal", "-shm", "-journal"])
      expect(readFileSync(join(folder.path, KEPT + suffix), "utf8")).toBe(suffix);
    expect(dump(database)).toEqual(dump(file));
  });

  it("forgets again the callers forgotten in the replaced warehouse, and reports what happened to the key", async () => {
    using place = makePlace(CALLS, CALLS);
    const { database, file } = place;
    writeFileSync(`${database}.caller-key`, `${"ab".repeat(32)}\n`);
    {
      using warehouse = openWarehouse(database);
      forgetCallers(locked(warehouse), [{ caller: "+49301234567" }], { ...NOW, isUnknownAllowed: true });
    }
    expect(await restoreWarehouse(file, database, NOW)).toMatchObject({
      forgotten_again: true,
      caller_key: "kept",
    });
  });

  it("keeps the records of later backups and exports, so that forget and remove-account find them", async () => {
    using place = makePlace();
    const { database, file } = place;
    const [early, later] = ["early.csv", "later.csv"].map((path) => ({
      path,
      sha256: path,
      rows: 1,
      filter: "{}",
    }));
    const record = (made: typeof early) => {
      using warehouse = openWarehouse(database);
      if (made)
        settleExports(
          warehouse,
          insertExports(warehouse, [{ ...made, run_id: 3, manifest_sha256: "e5" }]),
          "2026-11-20",
        );
    };
    record(early);
    recordBackup(database, "monday.db");
    await backupWarehouse(database, file);
    record(later);
    recordBackup(database, "tuesday.db");
    await restoreWarehouse(file, database, NOW);
    await restoreWarehouse(file, database, { nowMs: NOW.nowMs + 1 });
    expect(readRows(database, "SELECT path, exported_at, run_id FROM exports")).toEqual([
      { path: "early.csv", exported_at: "2026-11-20", run_id: 3 },
      { path: "later.csv", exported_at: "2026-11-20", run_id: null },
    ]);
    expect(readRows(database, "SELECT path FROM backups ORDER BY path")).toEqual(
      [file, "monday.db", "tuesday.db"].sort().map((path) => ({ path })),
    );
  });

  it("removes an empty folder in place of the note of damage, and changes nothing if it has files", async () => {
    using place = makePlace(FEW);
    const { database, file } = place;
    makeBackup(file, MANY);
    const note = damageNoteOf(database);
    mkdirSync(note);
    writeFileSync(join(note, "notes.txt"), "notes");
    const before = readFileSync(database);
    expect(readDamage(database)).toBe("the note of it cannot be read");
    await expect(restoreWarehouse(file, database, NOW)).rejects.toMatchObject({
      exitCode: 7,
      message: `Cannot remove the folder ${note}, which has the name of the note of damage`,
      hint: expect.stringContaining("Move it away"),
    });
    expect(readFileSync(database).equals(before)).toBe(true);
    expect(names(dirname(database)).filter((name) => /replaced|tmp/.test(name))).toEqual([]);
    rmSync(join(note, "notes.txt"));
    await restoreWarehouse(file, database, NOW);
    expect(existsSync(note)).toBe(false);
    expect(readDamage(database)).toBeUndefined();
    expect(readIds(database)).toHaveLength(MANY.length);
  });

  it("gives the new warehouse the owner of the replaced one, or of the folder, when root restores", async () => {
    using place = makePlace(FEW, FEW);
    const { folder, database, file } = place;
    writeFileSync(`${database}.caller-key`, `${"ab".repeat(32)}\n`);
    const isRoot = process.getuid?.() === 0;
    const ownerOf = (path: string) => `${statSync(path).uid}:${statSync(path).gid}`;
    const self = ownerOf(file);
    if (isRoot) chownSync(database, 1234, 2345);
    await restoreWarehouse(file, database, NOW);
    const owner = isRoot ? "1234:2345" : self;
    for (const path of [database, `${database}.lock`, `${database}.caller-key`])
      expect([path, ownerOf(path)]).toEqual([path, owner]);
    expect(ownerOf(file)).toBe(self);

    const new_ = join(folder, "new");
    mkdirSync(new_);
    if (isRoot) chownSync(new_, 1235, 2346);
    const made = join(new_, "calls.db");
    expect(await restoreWarehouse(file, made, NOW)).toMatchObject({ replaced: null });
    expect(dump(made)).toEqual(dump(file));
    expect(ownerOf(made)).toBe(isRoot ? "1235:2346" : self);
    expect(ownerOf(join(new_, "calls.db.lock"))).toBe(isRoot ? "1235:2346" : self);
  });
});
