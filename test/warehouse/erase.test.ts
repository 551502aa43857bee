import { readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { CalltallyError, EXIT } from "../../src/base/errors.ts";
import { eraseFreed, keepTempFilesBeside } from "../../src/warehouse/erase.ts";
import { connect, openWarehouse } from "../../src/warehouse/file/open.ts";
import { insertPrivacyAct, readPrivacyActs } from "../../src/warehouse/privacy-act-table.ts";
import { writeTransaction } from "../../src/warehouse/transaction.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { locked } from "../support/warehouses/warehouse.ts";

const NOW = "2026-11-20T12:00:00.000Z";
const SECRET = "a word that nobody may read any more";
const AGAIN =
  "The personal data is already gone from the tables. Run the same command again to erase it from the file.";

const erase = (warehouse: Warehouse) => eraseFreed(locked(warehouse), Date.parse(NOW), 20);

/** A warehouse with removed data that is still in its files. */
function openFreed(path: string): Warehouse {
  const warehouse = openWarehouse(path);
  warehouse.sqlite.exec(`INSERT INTO jobs (job, started_at, error) VALUES ('sync', '', '${SECRET}')`);
  warehouse.sqlite.pragma("wal_checkpoint(TRUNCATE)");
  warehouse.sqlite.exec("UPDATE jobs SET error = NULL");
  writeTransaction(warehouse, (tx) =>
    insertPrivacyAct(tx, { at: "2026-11-19T00:00:00.000Z", act: "prune", counts: {} }),
  );
  return warehouse;
}

const settingsOf = ({ sqlite }: Warehouse) =>
  ["busy_timeout", "secure_delete"].map((name) => sqlite.pragma(name, { simple: true }));

const errorOf = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe("eraseFreed", () => {
  it("leaves nothing in the files that the tables do not hold, records the time, and restores the settings", () => {
    using folder = makeTempFolder();
    using warehouse = openFreed(join(folder.path, "calls.db"));
    const before = settingsOf(warehouse);
    expect(readFileSync(warehouse.path, "latin1")).toContain(SECRET);
    eraseFreed(locked(warehouse), Date.parse(NOW));
    expect(readFileSync(warehouse.path, "latin1")).not.toContain(SECRET);
    expect(readFileSync(`${warehouse.path}-wal`, "latin1")).not.toContain(SECRET);
    expect(readPrivacyActs(warehouse)).toMatchObject([{ at: "2026-11-19T00:00:00.000Z", erased_at: NOW }]);
    expect(before).toEqual([6000, expect.any(Number)]);
    expect(settingsOf(warehouse)).toEqual([6000, 1]);
  });

  it("fails while another process reads old data, and says so", () => {
    using folder = makeTempFolder();
    using warehouse = openFreed(join(folder.path, "calls.db"));
    using reader = connect(warehouse);
    reader.sqlite.exec("BEGIN; SELECT * FROM jobs");
    const held = {
      exitCode: EXIT.locked,
      message: `Cannot erase removed data from ${warehouse.path}: another process has it open`,
      hint: `${AGAIN} An export, a query or a sync may be reading it: wait for it to end, or stop it.`,
    };
    const error = errorOf(() => erase(warehouse));
    expect(error).toBeInstanceOf(CalltallyError);
    expect(error).toMatchObject(held);
    expect(error).not.toHaveProperty("cause");
    expect(readPrivacyActs(warehouse)).toMatchObject([{ erased_at: null }]);
    expect(settingsOf(warehouse)).toEqual([6000, 1]);
    reader.sqlite.exec("COMMIT");
    // Nor while somebody writes.
    using writer = openWarehouse(warehouse.path);
    writer.sqlite.exec("BEGIN IMMEDIATE");
    expect(errorOf(() => erase(warehouse))).toMatchObject({ ...held, cause: { code: "SQLITE_BUSY" } });
    writer.sqlite.exec("COMMIT");
    erase(warehouse);
    expect(statSync(`${warehouse.path}-wal`).size).toBeLessThan(100_000);
    expect(readPrivacyActs(warehouse)).toMatchObject([{ erased_at: NOW }]);
  });

  it.each([
    {
      title: "the disk is full",
      // Like on a full disk: no page more, although one is needed.
      prepare: ({ sqlite }: Warehouse) => {
        sqlite.exec(
          "CREATE TRIGGER fill AFTER UPDATE ON privacy_acts BEGIN INSERT INTO jobs (job, started_at, error) VALUES ('fill', '', hex(zeroblob(9000000))); END",
        );
        sqlite.pragma("max_page_count = 1");
      },
      code: "SQLITE_FULL",
      more: " It temporarily needs MB of free disk space.",
    },
    {
      title: "another error occurs",
      prepare: ({ sqlite }: Warehouse) => sqlite.exec("BEGIN"),
      code: "SQLITE_ERROR",
      more: "",
    },
  ])("gives a hint when $title", ({ prepare, code, more }) => {
    using folder = makeTempFolder();
    using warehouse = openFreed(join(folder.path, "calls.db"));
    prepare(warehouse);
    // Twice the size of the file.
    const room = (2 * statSync(warehouse.path).size) / 1e6;
    expect(Number.isInteger(room)).toBe(false);
    expect(errorOf(() => erase(warehouse))).toMatchObject({
      exitCode: EXIT.storage,
      message: `Cannot erase removed data from ${warehouse.path} (${code})`,
      hint: AGAIN + more.replace("MB", `${Math.ceil(room)} MB`),
      cause: { code },
    });
    if (!warehouse.sqlite.inTransaction) expect(settingsOf(warehouse)).toEqual([6000, 1]);
  });

  it.each([
    { code: "SQLITE_BUSY_SNAPSHOT", exitCode: EXIT.locked, says: "may be reading it" },
    { code: "SQLITE_LOCKED_SHAREDCACHE", exitCode: EXIT.locked, says: "may be reading it" },
    { code: "SQLITE_IOERR_WRITE", exitCode: EXIT.storage, says: "MB of free disk space" },
  ])("recognizes $code, which is more specific than its base code", ({ code, exitCode, says }) => {
    using folder = makeTempFolder();
    using warehouse = openFreed(join(folder.path, "calls.db"));
    // A test cannot make a disk fail in this way.
    warehouse.sqlite.exec = () => {
      throw new Database.SqliteError("no", code);
    };
    expect(errorOf(() => erase(warehouse))).toMatchObject({ exitCode, hint: expect.stringContaining(says) });
  });

  it("rethrows an error that is not from SQLite", () => {
    using folder = makeTempFolder();
    using warehouse = openFreed(join(folder.path, "calls.db"));
    expect(() => eraseFreed(locked(warehouse), Number.NaN, 20)).toThrow(RangeError);
    expect(settingsOf(warehouse)).toEqual([6000, 1]);
  });
});

describe("keepTempFilesBeside", () => {
  it("sets the folder of the warehouse unless the operator names one", () => {
    using folder = makeTempFolder();
    using other = makeTempFolder();
    const database = join(folder.path, "calls.db");
    openWarehouse(database)[Symbol.dispose]();
    symlinkSync(database, join(other.path, "link.db"));
    const before = process.env.SQLITE_TMPDIR;
    try {
      delete process.env.SQLITE_TMPDIR;
      keepTempFilesBeside(join(other.path, "link.db"));
      expect(process.env.SQLITE_TMPDIR).toBe(folder.path);
      keepTempFilesBeside(join(other.path, "another.db"));
      expect(process.env.SQLITE_TMPDIR).toBe(folder.path);
    } finally {
      delete process.env.SQLITE_TMPDIR;
      if (before !== undefined) process.env.SQLITE_TMPDIR = before;
    }
  });
});
