import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { copyWarehouse } from "../../../src/operate/backup/copy.ts";
import { readHeader } from "../../../src/warehouse/file/file-header.ts";
import { openWarehouse } from "../../../src/warehouse/file/open.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import {
  CALLS,
  dump,
  flipByte,
  MANY,
  makePlace,
  makeWarehouse,
  openIn,
} from "../../support/warehouses/small-warehouse.ts";

describe("copyWarehouse", () => {
  it("writes one file with the same rows, without a log and readable only by its owner, and describes it", async () => {
    using place = makePlace();
    const { folder, database, file } = place;
    expect(await copyWarehouse(database, file)).toEqual({ bytes: statSync(file).size, calls: 40, runs: 1 });
    expect((statSync(file).mode & 0o777).toString(8)).toBe("600");
    expect(dump(file)).toEqual(dump(database));
    expect(existsSync(`${file}-wal`)).toBe(false);
    expect(openIn(folder)).toEqual([]);
    const sqlite = new Database(file, { readonly: true });
    expect(sqlite.pragma("journal_mode", { simple: true })).toBe("delete");
    sqlite.close();
  });

  it("contains the moment at which it began, although another process writes meanwhile", async () => {
    using place = makePlace();
    const { database, file } = place;
    const before = dump(database);
    using warehouse = openWarehouse(database);
    const copying = copyWarehouse(database, file);
    warehouse.sqlite.exec("DELETE FROM call_facts WHERE call_id = 1000");
    expect(await copying).toMatchObject({ calls: 40 });
    expect(dump(file)).toEqual(before);
    expect(dump(database)).not.toEqual(before);
  });

  it("checks for an abort before each step of the copy", async () => {
    using place = makePlace();
    const { database, file } = place;
    const stop = new AbortController();
    const copying = copyWarehouse(database, file, stop.signal);
    stop.abort(new Error("enough"));
    await expect(copying).rejects.toThrow("enough");
  });

  it("names the table that differs in the copy, as on a disk that loses writes", async () => {
    using place = makePlace(MANY);
    const { database, file } = place;
    let isChanged = false;
    // It is also checked while the rows of the copy are read.
    const throwIfAborted = () => {
      if (isChanged || !existsSync(file)) return;
      const { isSqlite, isWal } = readHeader(file);
      if (!isSqlite || isWal) return;
      isChanged = true;
      const bytes = readFileSync(file);
      bytes.write("2027", bytes.indexOf("2026-11-20T11:00:00.000Z")); // when the run started
      bytes.writeUInt32BE(bytes.readUInt32BE(24) + 1, 24); // the file change counter: SQLite reads the page again
      writeFileSync(file, bytes);
    };
    const signal: AbortSignal = Object.assign(new AbortController().signal, { throwIfAborted });
    await expect(copyWarehouse(database, file, signal)).rejects.toMatchObject({
      exitCode: 7,
      message: `The copy of ${database} differs from it in the table sync_runs`,
    });
  });

  it("does not overwrite an existing file", async () => {
    using place = makePlace();
    const { database, file } = place;
    writeFileSync(file, "somebody's");
    await expect(copyWarehouse(database, file)).rejects.toMatchObject({ code: "EEXIST" });
    expect(readFileSync(file, "utf8")).toBe("somebody's");
  });

  it.each<[string, (file: string) => void, (file: string) => object]>([
    [
      "a call that differs from its hash",
      flipByte,
      (file) => ({ exitCode: 7, message: expect.stringContaining(`${file}`), hint: HINT }),
    ],
    [
      "rows that refer to missing rows",
      (file) => {
        const sqlite = new Database(file);
        sqlite.pragma("foreign_keys = OFF");
        sqlite.exec("DELETE FROM calls WHERE call_id = 1000");
        sqlite.close();
      },
      (file) => ({
        exitCode: 7,
        message: expect.stringMatching(`${file}.*rows refer to missing rows`),
        hint: HINT,
      }),
    ],
    [
      "pages that are not valid for SQLite",
      (file) => {
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.fill(0x5a, 16_384, 300_000));
      },
      (file) => ({ exitCode: 7, message: expect.stringContaining(file) }),
    ],
  ])("refuses a warehouse with %s", async (_, damage, error) => {
    using folder = makeTempFolder();
    const source = join(folder.path, "calls.db");
    makeWarehouse(source, CALLS);
    damage(source);
    await expect(copyWarehouse(source, join(folder.path, "draft"))).rejects.toMatchObject(error(source));
  });

  it("names a warehouse that SQLite calls damaged, and recommends another backup", async () => {
    using folder = makeTempFolder();
    const source = join(folder.path, "calls.db");
    makeWarehouse(source, CALLS);
    const sqlite = new Database(source);
    sqlite.unsafeMode().pragma("writable_schema = ON");
    sqlite.exec("UPDATE sqlite_schema SET sql = 'CREATE NOTHING' WHERE name = 'calls'");
    sqlite.close();
    await expect(copyWarehouse(source, join(folder.path, "draft"))).rejects.toMatchObject({
      exitCode: 7,
      message: expect.stringMatching(/calls\.db: the file is damaged: .*\(SQLITE_CORRUPT\)$/),
      hint: HINT,
    });
  });
});

const HINT = expect.stringMatching(/^No backup of it is known here\. .*`calltally restore`/);
