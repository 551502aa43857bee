import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { CalltallyError } from "../../../src/base/errors.ts";
import { calls } from "../../../src/warehouse/calls/calls.ts";
import {
  connect,
  openAsPermitted,
  openExistingWarehouse,
  openReader,
  openWarehouse,
} from "../../../src/warehouse/file/open.ts";
import { latestVersion } from "../../../src/warehouse/migrate.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { FULL_CALL } from "../../support/warehouses/calls.ts";
import { storeCalls } from "../../support/warehouses/warehouse.ts";

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** The error of opening a file. */
function catchError(open: () => Disposable): unknown {
  try {
    open()[Symbol.dispose]();
  } catch (error) {
    return error;
  }
  return undefined;
}

/** Changes a file by SQL, without a word to calltally. */
function alter(file: string, sql: string): void {
  const sqlite = new Database(file);
  sqlite.exec(sql);
  sqlite.close();
}

function makeVersion(file: string, version: number): void {
  openWarehouse(file)[Symbol.dispose]();
  alter(file, `PRAGMA user_version = ${version}`);
}

/** Files that are not warehouses, with the error of each. */
const STRANGERS: { name: string; make: (file: string) => void; says: string }[] = [
  { name: "empty", make: (file) => writeFileSync(file, ""), says: "it is empty" },
  {
    name: "text",
    make: (file) => writeFileSync(file, "call_id,gclid\r\n".repeat(20)),
    says: "it is not an SQLite database",
  },
  { name: "one byte", make: (file) => writeFileSync(file, "S"), says: "it is not an SQLite database" },
  ...["", "PRAGMA journal_mode = WAL;"].map((pragma) => ({
    name: `another program's SQLite ${pragma}`,
    make: (file: string) => alter(file, `${pragma} CREATE TABLE calls (call_id INTEGER)`),
    says: "it is an SQLite database of another program",
  })),
  {
    name: "a newer calltally's",
    make: (file) => makeVersion(file, 1000),
    says: "its schema is version 1000",
  },
  ...[0, 1, 19].map((version) => ({
    name: `a development version's, ${version}`,
    make: (file: string) => makeVersion(file, version),
    says: "it was made by a development version of calltally",
  })),
];

describe("openWarehouse", () => {
  it("creates files and folders that only the owner may read", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "outer", "inner", "calls.db");
    using warehouse = openWarehouse(file);
    storeCalls(warehouse, [FULL_CALL]);
    const modes = readdirSync(dirname(file)).map((name) => [name, modeOf(join(dirname(file), name))]);
    expect(modes).toEqual([
      ["calls.db", "600"],
      ["calls.db-shm", "600"],
      ["calls.db-wal", "600"],
    ]);
    expect([modeOf(dirname(file)), modeOf(dirname(dirname(file)))]).toEqual(["700", "700"]);
  });

  it("sets the pragmas of the file and of the connection each time it opens", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "calls.db");
    for (const _ of ["made", "opened again"]) {
      using warehouse = openWarehouse(file);
      const read = (name: string) => warehouse.sqlite.pragma(name, { simple: true });
      expect({
        page_size: read("page_size"),
        journal_mode: read("journal_mode"),
        synchronous: read("synchronous"),
        foreign_keys: read("foreign_keys"),
        temp_store: read("temp_store"),
        application_id: read("application_id"),
        user_version: read("user_version"),
        path: warehouse.path,
      }).toEqual({
        page_size: 16384,
        journal_mode: "wal",
        synchronous: 2,
        foreign_keys: 1,
        temp_store: 0,
        application_id: Buffer.from("CTLY").readUInt32BE(),
        user_version: latestVersion(),
        path: file,
      });
    }
  });

  it("keeps the rows and leaves a single file when it is closed", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "calls.db");
    const open = () => {
      using warehouse = openWarehouse(file);
      return warehouse.db.select().from(calls).all();
    };
    {
      using warehouse = openWarehouse(file);
      storeCalls(warehouse, [FULL_CALL]);
    }
    const rows = open();
    expect(rows).toMatchObject([{ call_id: FULL_CALL.call_id, gclid: FULL_CALL.gclid }]);
    expect(open()).toEqual(rows);
    expect(readdirSync(folder.path)).toEqual(["calls.db"]);
  });

  it("creates the file although a killed run left a partial one", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "calls.db");
    const draft = join(folder.path, `.calls.db.1@0.${randomUUID()}.tmp`);
    writeFileSync(draft, "half a warehouse");
    writeFileSync(`${draft}-journal`, "half a journal");
    {
      using warehouse = openWarehouse(file);
      expect(warehouse.db.select().from(calls).all()).toEqual([]);
    }
    expect(readdirSync(folder.path)).toEqual(["calls.db"]);
  });

  it("creates nothing if the file cannot be created", () => {
    using folder = makeTempFolder();
    const blocked = join(folder.path, "blocked");
    writeFileSync(blocked, "not a folder");
    expect(catchError(() => openWarehouse(join(blocked, "calls.db")))).toBeInstanceOf(Error);
    expect(readdirSync(folder.path)).toEqual(["blocked"]);
  });
});

describe.each([
  { opener: "openWarehouse", open: openWarehouse },
  { opener: "openExistingWarehouse", open: openExistingWarehouse },
  { opener: "openReader", open: openReader },
  { opener: "openReader, any schema", open: (path: string) => openReader(path, { anySchema: true }) },
  { opener: "openAsPermitted", open: openAsPermitted },
])("$opener", ({ open }) => {
  it.each(STRANGERS)("refuses a file that is $name with exit 7 without changing it", ({ make, says }) => {
    using folder = makeTempFolder();
    const file = join(folder.path, "calls.db");
    make(file);
    const bytes = readFileSync(file);
    const state = statSync(file);

    const error = catchError(() => open(file));

    expect(error).toBeInstanceOf(CalltallyError);
    expect(error).toMatchObject({
      exitCode: 7,
      message: expect.stringContaining(says),
      hint: expect.stringContaining("was not changed"),
    });
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect([statSync(file).mtimeMs, statSync(file).mode]).toEqual([state.mtimeMs, state.mode]);
    expect(readdirSync(folder.path)).toEqual(["calls.db"]);
  });

  it("fails on a truncated warehouse and does not change it", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "calls.db");
    openWarehouse(file)[Symbol.dispose]();
    const bytes = readFileSync(file).subarray(0, 20_000);
    writeFileSync(file, bytes);

    const read = () => {
      const warehouse = open(file);
      warehouse.db.select().from(calls).all();
      return warehouse;
    };

    const error = catchError(read);
    const reason = error instanceof CalltallyError ? error.cause : error;
    expect(reason).toMatchObject({ code: "SQLITE_CORRUPT" });
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });
});

describe.each([
  { opener: "openExistingWarehouse", open: openExistingWarehouse },
  { opener: "openReader", open: openReader },
])("$opener", ({ open }) => {
  it("reports a missing warehouse with exit code 7, and creates none", () => {
    using folder = makeTempFolder();
    const file = join(folder.path, "none", "calls.db");
    const error = catchError(() => open(file));
    expect(error).toBeInstanceOf(CalltallyError);
    expect(error).toMatchObject({ exitCode: 7, message: `There is no warehouse at ${file}` });
    expect(readdirSync(folder.path)).toEqual([]);
  });
});

describe("connect", () => {
  it("sees what was committed, cannot write, and does not block the writer", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    using reader = connect(warehouse);
    const count = () => reader.sqlite.prepare("SELECT count(*) FROM calls").pluck().get();
    expect(() => reader.sqlite.exec("DELETE FROM calls")).toThrow("readonly");
    reader.sqlite.exec("BEGIN");
    expect(count()).toBe(0);
    storeCalls(warehouse, [FULL_CALL]);
    expect(count()).toBe(0);
    reader.sqlite.exec("COMMIT");
    expect(count()).toBe(1);
  });
});
