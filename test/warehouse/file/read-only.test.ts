import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readdirSync, truncateSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openWarehouse } from "../../../src/warehouse/file/open.ts";
import { openWithoutWriting } from "../../../src/warehouse/file/read-only.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const LONG_AGO = new Date("2026-01-01");

function makeWarehouse(folder: string): string {
  const file = join(folder, "calls.db");
  openWarehouse(file)[Symbol.dispose]();
  utimesSync(file, LONG_AGO, LONG_AGO);
  return file;
}

describe("openWithoutWriting", () => {
  it("reads a warehouse without a log into memory, and leaves no files next to it", () => {
    using folder = makeTempFolder();
    const sqlite = openWithoutWriting(makeWarehouse(folder.path));
    expect(sqlite.memory).toBe(true);
    expect(sqlite.prepare("SELECT name, value FROM counts").all()).toEqual([{ name: "calls", value: 0 }]);
    expect(() => sqlite.exec("UPDATE counts SET value = 1")).toThrow("readonly");
    sqlite.close();
    expect(readdirSync(folder.path)).toEqual(["calls.db"]);
  });

  it("waits long enough to notice a write, and starts again after one", async () => {
    using folder = makeTempFolder();
    const file = makeWarehouse(folder.path);
    const script = `
      const Database = require("better-sqlite3");
      process.stdin.once("data", () => setTimeout(() => {
        const sqlite = new Database(${JSON.stringify(file)});
        sqlite.exec("UPDATE counts SET value = 7");
        sqlite.close();
        process.stdin.destroy();
      }, 500));
      process.stdout.write("ready");`;
    const writer = execFile(process.execPath, ["-e", script]);
    await once(writer.stdout ?? writer, "data");
    utimesSync(file, new Date(), new Date());
    writer.stdin?.write("go");
    const startedMs = performance.now();
    const sqlite = openWithoutWriting(file);
    expect(sqlite.prepare("SELECT value FROM counts").pluck().all()).toEqual([7]);
    // Once for the time of the file, and once for that of the write.
    expect(performance.now() - startedMs).toBeGreaterThan(2100);
    sqlite.close();
    if (writer.exitCode === null) await once(writer, "exit");
  });

  it("reads next to a writer", () => {
    using folder = makeTempFolder();
    const file = makeWarehouse(folder.path);
    using writer = openWarehouse(file);
    writer.sqlite.exec("UPDATE counts SET value = 7");
    const sqlite = openWithoutWriting(file);
    expect(sqlite.memory).toBe(false);
    expect(sqlite.prepare("SELECT value FROM counts").pluck().all()).toEqual([7]);
    sqlite.close();
  });

  it("refuses a file whose latest writes are in a log that it cannot read", () => {
    using folder = makeTempFolder();
    const file = makeWarehouse(folder.path);
    const copy = join(folder.path, "copy.db");
    using writer = openWarehouse(file);
    writer.sqlite.exec("UPDATE counts SET value = 7");
    for (const suffix of ["", "-wal"]) copyFileSync(file + suffix, copy + suffix);
    utimesSync(copy, LONG_AGO, LONG_AGO);
    expect(() => openWithoutWriting(copy)).toThrow("its latest writes are in");
    expect(readdirSync(folder.path).filter((name) => name.startsWith("copy"))).toEqual([
      "copy.db",
      "copy.db-wal",
    ]);
  });

  it("does not read into memory a file that is too large for it", () => {
    using folder = makeTempFolder();
    const file = makeWarehouse(folder.path);
    truncateSync(file, 2 ** 31);
    expect(() => openWithoutWriting(file)).toThrow("it is too large for that");
  });

  it("reads a backup in place", () => {
    using folder = makeTempFolder();
    const file = makeWarehouse(folder.path);
    using warehouse = openWarehouse(file);
    warehouse.sqlite.exec(`VACUUM INTO '${join(folder.path, "backup.db")}'`);
    const sqlite = openWithoutWriting(join(folder.path, "backup.db"));
    expect(sqlite.memory).toBe(false);
    expect(sqlite.prepare("PRAGMA application_id").pluck().all()).toEqual([0x43544c59]);
    sqlite.close();
    expect(readdirSync(folder.path).filter((name) => name.startsWith("backup"))).toEqual(["backup.db"]);
  });
});
