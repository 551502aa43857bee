import { linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../../src/base/errors.ts";
import { markProcess } from "../../../src/base/process-mark.ts";
import { restoreWarehouse } from "../../../src/operate/backup/restore.ts";
import { backupWarehouse } from "../../../src/operate/backup/write-backup.ts";
import { openWarehouse } from "../../../src/warehouse/file/open.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import {
  CALLS,
  dump,
  flipByte,
  makePlace,
  makeWarehouse,
  names,
} from "../../support/warehouses/small-warehouse.ts";
import { readIds, readRows, storeCalls } from "../../support/warehouses/warehouse.ts";

const NOW = { nowMs: Date.parse("2026-11-20T12:00:00.000Z") };

const FEW = CALLS.slice(0, 3);
const SOME = CALLS.slice(0, 5);

describe("backupWarehouse", () => {
  it("writes one file into a new folder, with the same rows and no log next to it", async () => {
    using place = makePlace();
    const file = join(place.folder, "backups", "calls.db");
    const backup = await backupWarehouse(place.database, file);
    expect(backup).toEqual({ file, bytes: statSync(file).size, calls: 40, runs: 1 });
    expect(names(dirname(file))).toEqual(["calls.db"]);
    expect(dump(file)).toEqual(dump(place.database));
  });

  it("contains what was committed to the log but not yet written to the warehouse's file", async () => {
    using folder = makeTempFolder();
    const [database, file] = [join(folder.path, "calls.db"), join(folder.path, "backup.db")];
    using warehouse = openWarehouse(database);
    storeCalls(warehouse, CALLS);
    expect(statSync(`${database}-wal`).size).toBeGreaterThan(100_000);
    await backupWarehouse(database, file);
    expect(dump(file)).toEqual(dump(database));
  });

  it("backup and restore refuse a file of a development version at any path", async () => {
    using folder = makeTempFolder();
    const [database, file, old] = ["calls.db", "backup.db", "old.db"].map((name) =>
      join(folder.path, name),
    ) as [string, string, string];
    makeWarehouse(database);
    await backupWarehouse(database, file);
    makeWarehouse(old);
    const sqlite = new Database(old);
    sqlite.pragma("user_version = 19");
    sqlite.close();
    const before = names(folder.path);
    const refusal = {
      exitCode: 7,
      message: `Cannot use ${old}: it was made by a development version of calltally`,
    };
    await expect(backupWarehouse(old, join(folder.path, "other.db"))).rejects.toMatchObject(refusal);
    await expect(restoreWarehouse(old, database, NOW)).rejects.toMatchObject(refusal);
    await expect(restoreWarehouse(file, old, NOW)).rejects.toMatchObject(refusal);
    expect(names(folder.path)).toEqual(before);
  });

  it("replaces an earlier backup, but keeps it if the warehouse is damaged", async () => {
    using place = makePlace(FEW);
    const { folder, database, file } = place;
    await backupWarehouse(database, file);
    makeWarehouse(database);
    expect(await backupWarehouse(database, file)).toMatchObject({ calls: 40 });
    const good = readFileSync(file);
    flipByte(database);
    expect(readRows(database, "PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
    await expect(backupWarehouse(database, file)).rejects.toMatchObject({
      exitCode: 7,
      message: expect.stringContaining("1 call differs from what was read from the service: 1034"),
    });
    expect(readFileSync(file).equals(good)).toBe(true);
    expect(names(folder).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it.each<{ file: string; says: string; exitCode?: number }>([
    ...["-wal", "-shm", "-journal", ".lock", ".caller-key"].map((suffix) => ({
      file: `calls.db${suffix}`,
      says: "it belongs to the warehouse ‹folder›/calls.db",
    })),
    { file: "calls.db", says: "it is a warehouse" },
    { file: "link.db", says: "it is a warehouse" },
    { file: "hard.db", says: "it is a warehouse" },
    { file: "other.db", says: "it is a warehouse" },
    { file: "notes.txt", says: "it is a file of another kind", exitCode: EXIT.storage },
    { file: "foreign.db", says: "it is a file of another kind", exitCode: EXIT.storage },
    { file: "folder", says: "it is not a file", exitCode: EXIT.storage },
  ])("does not overwrite $file", async ({ file, says, exitCode = EXIT.usage }) => {
    using place = makePlace(FEW);
    const { folder, database } = place;
    makeWarehouse(join(folder, "other.db"), SOME);
    const foreign = new Database(join(folder, "foreign.db"));
    foreign.exec("CREATE TABLE calls (call_id INTEGER)");
    foreign.close();
    writeFileSync(join(folder, "notes.txt"), "notes");
    mkdirSync(join(folder, "folder"));
    symlinkSync(database, join(folder, "link.db"));
    linkSync(database, join(folder, "hard.db"));
    const before = names(folder);
    const { message, ...error } = await backupWarehouse(database, join(folder, file)).catch((error) => error);
    const state = says.replace("‹folder›", folder);
    expect(message).toBe(`Cannot write a backup to ${join(folder, file)}: ${state}`);
    expect(error).toMatchObject({ exitCode });
    expect(names(folder)).toEqual(before);
    expect(readIds(database)).toHaveLength(3);
    expect(readIds(join(folder, "other.db"))).toHaveLength(5);
  });

  it("requires a warehouse", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    await expect(backupWarehouse(database, join(folder.path, "new", "backup.db"))).rejects.toMatchObject({
      exitCode: 7,
      message: `There is no warehouse at ${database}`,
    });
    expect(names(folder.path)).toEqual([]);
  });

  it("records the backup before it copies the warehouse", async () => {
    using place = makePlace(FEW);
    const { database, file } = place;
    await backupWarehouse(database, file);
    const recorded = [{ path: file }];
    expect(readRows(database, "SELECT path FROM backups")).toEqual(recorded);
    expect(readRows(file, "SELECT path FROM backups")).toEqual(recorded);
  });

  it("removes drafts of killed backups, and none of a running one", async () => {
    using place = makePlace(FEW);
    const { folder, database } = place;
    const draftOf = (mark = "") => `.backup.db.${mark}.6f1c1c52-8d0c-4c8c-9a55-0b8c3c1f2a77.tmp`;
    const living = draftOf(markProcess(process.ppid));
    writeFileSync(join(folder, living), "being written");
    for (const mark of [`${2 ** 22 + 1}`, `${process.pid}@1`]) {
      writeFileSync(join(folder, draftOf(mark)), "left by a process that is no more");
      writeFileSync(join(folder, `${draftOf(mark)}-journal`), "");
    }
    await backupWarehouse(database, join(folder, "backup.db"));
    expect(names(folder).filter((name) => name.startsWith("."))).toEqual([living]);
  });

  it("stops between two steps when aborted, and leaves nothing", async () => {
    using place = makePlace();
    const { folder, database } = place;
    const stop = new AbortController();
    const backup = backupWarehouse(database, join(folder, "backup.db"), { signal: stop.signal });
    stop.abort(new Error("enough"));
    await expect(backup).rejects.toThrow("enough");
    expect(names(folder).filter((name) => !name.startsWith("calls.db"))).toEqual([]);
  });
});
