import { existsSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { backupWarehouse } from "../../../src/operate/backup/write-backup.ts";
import { DamagedError, damageNoteOf, readDamage } from "../../../src/warehouse/file/damage.ts";
import { openCurrentWarehouse, openExistingWarehouse, openReader } from "../../../src/warehouse/file/open.ts";
import { isDamage, nameDamage, nameFile } from "../../../src/warehouse/file/sqlite-errors.ts";
import { readJobs } from "../../../src/warehouse/runs/job-table.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { damageTable } from "../../support/warehouses/damage-table.ts";
import { openNewWarehouse } from "../../support/warehouses/warehouse.ts";

/** A warehouse whose index of `jobs` is damaged. */
function makeDamaged() {
  const { path: folder, remove } = makeTempFolder();
  const database = join(folder, "calls.db");
  openNewWarehouse(database)[Symbol.dispose]();
  damageTable(database, "sqlite_autoindex_jobs_1");
  return { folder, database, [Symbol.dispose]: remove };
}

/** Returns what reading the damaged table throws. */
function readDamaged(database: string): unknown {
  using reader = openReader(database, { isDamageKnown: true });
  try {
    return readJobs(reader);
  } catch (error) {
    return error;
  }
}

const MALFORMED = "database disk image is malformed (SQLITE_CORRUPT)";

describe("nameDamage", () => {
  it("names the file and leaves a note that only its owner can read; the first note stays", () => {
    using place = makeDamaged();
    const { database } = place;
    const error = nameDamage(readDamaged(database), database);
    expect(error).toMatchObject({
      name: "DamagedError",
      exitCode: 7,
      message: `Cannot use ${database}: the file is damaged: ${MALFORMED}`,
    });
    expect(statSync(damageNoteOf(database)).mode & 0o777).toBe(0o600);
    nameDamage(new DamagedError(database, "something else"), database);
    expect(readDamage(database)).toBe(MALFORMED);
  });

  it("leaves a note of damage that is the cause of another error, which it returns unchanged", () => {
    using place = makeDamaged();
    const named = nameFile(readDamaged(place.database), place.database);
    const wrapped = new Error("Cannot record the export", { cause: named });
    expect(nameDamage(wrapped, place.database)).toBe(wrapped);
    expect(readDamage(place.database)).toBe(MALFORMED);
  });

  it("leaves no note for a damaged backup, for another error, and for a warehouse that is gone", () => {
    using place = makeDamaged();
    const { database, folder } = place;
    const ofBackup = new DamagedError(join(folder, "backup.db"), "cut off", { hint: "" });
    const others = [ofBackup, new Error("full"), nameFile(new Error("full"), database)];
    for (const error of others) expect(nameDamage(error, database)).toBe(error);
    nameDamage(readDamaged(database), join(folder, "gone.db"));
    expect([database, join(folder, "gone.db")].map(readDamage)).toEqual([undefined, undefined]);
  });

  it("follows a link to the warehouse", () => {
    using place = makeDamaged();
    nameDamage(readDamaged(place.database), join(place.folder, ".", "calls.db"));
    expect(existsSync(`${place.database}.damaged`)).toBe(true);
  });
});

test("a warehouse with a note of damage is refused by all who open it, unless they know of it", () => {
  using place = makeDamaged();
  const { database } = place;
  nameDamage(readDamaged(database), database);
  for (const open of [openReader, openExistingWarehouse]) {
    expect(() => open(database)).toThrow(`Cannot use ${database}: the file is damaged: ${MALFORMED}`);
    using warehouse = open(database, { isDamageKnown: true });
    // Also while it is open in this process.
    expect(() => open(database)).toThrow(DamagedError);
    expect(warehouse.path).toBe(database);
  }
  expect(openCurrentWarehouse(database, 0)).toBeUndefined();
});

test("a note that cannot be read, or is empty, counts as damage", () => {
  using place = makeDamaged();
  writeFileSync(damageNoteOf(place.database), "");
  expect(readDamage(place.database)).toBe("the note of it cannot be read");
  expect(isDamage(new DamagedError(place.database, "a"))).toBe(true);
});

describe("the hint of a damaged warehouse", () => {
  const hintOf = (database: string) => new DamagedError(database, "torn").hint;

  it("names the newest whole backup and the command that restores it", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    openNewWarehouse(database)[Symbol.dispose]();
    const backup = async (name: string, day: number) => {
      const path = join(folder.path, name);
      await backupWarehouse(database, path);
      utimesSync(path, day, Date.UTC(2026, 10, day, 3, 30) / 1000);
      return path;
    };
    const good = await backup("b.db", 19);
    await backup("a.db", 18);
    // Newer ones are cut off, known to be damaged, another file by now, and gone.
    truncateSync(await backup("cut.db", 20), 100_000);
    utimesSync(join(folder.path, "cut.db"), 20, Date.UTC(2026, 10, 20) / 1000);
    writeFileSync(damageNoteOf(await backup("noted.db", 21)), "torn");
    writeFileSync(await backup("other.db", 22), "a text");
    expect(hintOf(database)).toBe(
      `Stop the schedule, and restore the newest backup, of 2026-11-19 03:30 UTC: \`calltally restore ${good} --database ${database}\``,
    );
  });

  it("says that no backup is known, also where the list of them is damaged", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    openNewWarehouse(database)[Symbol.dispose]();
    const none = /^No backup of it is known here\. .*`calltally restore`/;
    expect(hintOf(database)).toMatch(none);
    await backupWarehouse(database, join(folder.path, "a.db"));
    expect(hintOf(database)).toContain(join(folder.path, "a.db"));
    damageTable(database, "sqlite_autoindex_backups_1");
    expect(hintOf(database)).toMatch(none);
  });
});
