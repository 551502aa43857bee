import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { restoreWarehouse } from "../../src/operate/backup/restore.ts";
import { backupWarehouse } from "../../src/operate/backup/write-backup.ts";
import { damageNoteOf, noteDamage, readDamage } from "../../src/warehouse/file/damage.ts";
import { hashRun } from "../../src/warehouse/runs/runs.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { newestFirst, startCallService } from "../support/services/call-service.ts";
import { damageTable } from "../support/warehouses/damage-table.ts";

const HOUR_MS = 3_600_000;
const RUNS = "SELECT status, verdict, row_hash IS NULL AS is_open FROM sync_runs";

/** Read after the run is sealed. */
const READ_LAST = "jobs";

function change(database: string, sql: string): void {
  const sqlite = new Database(database);
  sqlite.exec(sql);
  sqlite.close();
}

describe("runSync of a damaged warehouse", () => {
  it("fails the run, and ends with 7 without a request until a backup is restored", async () => {
    await using service = await startCallService(newestFirst(30));
    const { database, folder } = service;
    const clock = new FakeClock("2026-11-20T01:00:00.000Z");
    await service.sync({ clock });
    const backup = join(folder, "backup.db");
    await backupWarehouse(database, backup);
    damageTable(database, `sqlite_autoindex_${READ_LAST}_1`);

    await expect(service.sync({ clock })).rejects.toMatchObject({
      name: "DamagedError",
      message: expect.stringContaining("SQLITE_CORRUPT"),
      hint: expect.stringContaining(`calltally restore ${backup} --database ${database}`),
    });
    expect(service.read(RUNS)).toEqual([
      { status: "done", verdict: "exact", is_open: 0 },
      { status: "failed", verdict: null, is_open: 1 },
    ]);
    const { length } = service.requests;
    for (let run = 0; run < 2; run++)
      await expect(service.sync({ clock })).rejects.toMatchObject({ exitCode: 7 });
    expect(service.requests).toHaveLength(length);

    await restoreWarehouse(backup, database, { nowMs: clock.now() });
    expect(readDamage(database)).toBeUndefined();
    expect(await service.sync({ clock })).toMatchObject({ run_id: 2, status: "done" });
  });

  it("removes the note of damage if the file is sound", async () => {
    await using service = await startCallService(newestFirst(3));
    await service.sync();
    noteDamage(service.database, "a memory error");
    expect(await service.sync()).toMatchObject({ status: "done", file_checked_at: expect.any(String) });
    expect(existsSync(damageNoteOf(service.database))).toBe(false);
  });

  it("keeps the note while a call is not what was read, which SQLite's own check does not see", async () => {
    await using service = await startCallService(newestFirst(3));
    await service.sync();
    change(service.database, "UPDATE calls SET duration = 417 WHERE call_id = 2");
    await service.sync();
    noteDamage(service.database, "1 call differs");
    await expect(service.sync()).rejects.toMatchObject({
      message: expect.stringContaining("1 call differs from what was read from the service"),
    });
    expect(readDamage(service.database)).toBe("1 call differs");
  });

  it("begins a new warehouse without the note of one that was moved away", async () => {
    await using service = await startCallService(newestFirst(3));
    const database = join(service.folder, "new.db");
    await service.sync({ database });
    noteDamage(database, "torn");
    for (const suffix of ["", "-wal", "-shm"]) rmSync(database + suffix, { force: true });
    expect(await service.sync({ database })).toMatchObject({ calls_read: 3 });
    expect(readDamage(database)).toBeUndefined();
  });

  it("takes back that the run is done, with its certificate, whatever fails after it", async () => {
    await using service = await startCallService(newestFirst(30));
    await service.sync();
    change(service.database, `DROP TABLE ${READ_LAST}`);
    await expect(service.sync({ force: "full" })).rejects.toMatchObject({ exitCode: 7 });
    expect(service.read(RUNS)).toEqual([
      { status: "done", verdict: "exact", is_open: 0 },
      { status: "failed", verdict: null, is_open: 1 },
    ]);
    expect(service.read("SELECT run_id FROM certificates WHERE run_id = 2")).toEqual([]);
    expect(readDamage(service.database)).toBeUndefined();
  });
});

describe("runSync with a large file", () => {
  const start = async () => {
    const service = await startCallService(newestFirst(30));
    const clock = new FakeClock("2026-11-20T01:00:00.000Z");
    await service.sync({ clock });
    clock.advance(25 * HOUR_MS);
    const options = { clock, checkEveryHours: 24, largeBytes: 0 };
    return { ...service, options, sync: () => service.sync(options) };
  };

  it("checks it in another process, and records the check in the sealed run", async () => {
    await using service = await start();
    const run = await service.sync();
    expect(run).toMatchObject({ status: "done", file_checked_at: "2026-11-21T02:00:00.000Z" });
    expect(service.read("SELECT row_hash FROM sync_runs WHERE run_id = 2")).toEqual([
      { row_hash: hashRun(run) },
    ]);
    expect((await service.sync()).file_checked_at).toBeNull();
  });

  it("ends with 7 after a complete run if the check finds damage that the sync does not meet", async () => {
    await using service = await start();
    damageTable(service.database, "report_runs");
    await expect(service.sync()).rejects.toMatchObject({ name: "DamagedError", exitCode: 7 });
    expect(readDamage(service.database)).toContain("Tree");
  });
});
