import { spawnSync } from "node:child_process";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { applyRules } from "../../src/warehouse/attribution/apply-rules.ts";
import { tryAcquireLock } from "../../src/warehouse/file/lock.ts";
import { openExistingWarehouse, openReader, openWarehouse } from "../../src/warehouse/file/open.ts";
import { assertCurrent, BASELINE_VERSION, migrate } from "../../src/warehouse/migrate.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { CALLS, dump, makeWarehouse } from "../support/warehouses/small-warehouse.ts";
import { locked } from "../support/warehouses/warehouse.ts";

const NEXT_VERSION = BASELINE_VERSION + 1;
const ADD_TOPIC = "ALTER TABLE `calls` ADD `topic` text;--> statement-breakpoint\n";

/** Creates a warehouse of the baseline with calls, and a folder of migrations with an invented one after it. */
function makeScene(folder: string, next: string) {
  const [file, migrations] = [join(folder, "calls.db"), join(folder, "migrations")];
  makeWarehouse(file);
  cpSync("src/warehouse/migrations", migrations, { recursive: true });
  writeFileSync(join(migrations, "0001_next.sql"), next);
  return { file, migrations, before: readAll(file) };
}

/** The version, the schema and the rows of a file. */
function readAll(file: string) {
  const sqlite = new Database(file, { readonly: true });
  const schema = sqlite.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").all();
  const version = sqlite.pragma("user_version", { simple: true });
  sqlite.close();
  return { version, schema, rows: dump(file) };
}

describe("migrate", () => {
  it("applies the next version to a baseline warehouse, keeps its rows, and allows views to be replaced", async () => {
    using folder = makeTempFolder();
    const next = `${ADD_TOPIC}UPDATE calls SET topic = 'leak' WHERE call_id = 1000;--> statement-breakpoint\nDROP VIEW attributed_calls;`;
    const { file, migrations, before } = makeScene(folder.path, next);
    expect(before.version).toBe(BASELINE_VERSION);
    {
      using warehouse = openExistingWarehouse(file);
      migrate(warehouse.sqlite, file, { folder: migrations });
      // The header of the file has the version already, whatever is in the log.
      expect(new Database(file).pragma("user_version", { simple: true })).toBe(NEXT_VERSION);
      await applyRules(locked(warehouse), DEFAULT_RULES, { nowMs: 0 });
      expect(warehouse.sqlite.prepare("SELECT count(*) FROM attributed_calls").pluck().get()).toBe(
        CALLS.length,
      );
      const topics = warehouse.sqlite.prepare("SELECT topic, count(*) AS calls FROM calls GROUP BY topic");
      expect(topics.all()).toEqual([
        { topic: null, calls: CALLS.length - 1 },
        { topic: "leak", calls: 1 },
      ]);
      warehouse.sqlite.exec("ALTER TABLE calls DROP COLUMN topic");
      // Nothing to do the second time: the column would be duplicated.
      migrate(warehouse.sqlite, file, { folder: migrations });
    }
    const after = readAll(file);
    expect(after.rows).toEqual(before.rows);
    expect(after.schema).toEqual(before.schema);
  });

  it("does not change the warehouse if a migration fails", () => {
    using folder = makeTempFolder();
    const { file, migrations, before } = makeScene(
      folder.path,
      `${ADD_TOPIC}DELETE FROM sync_runs;--> statement-breakpoint\nINSERT INTO nowhere VALUES (1);`,
    );
    {
      using warehouse = openExistingWarehouse(file);
      expect(() => migrate(warehouse.sqlite, file, { folder: migrations })).toThrow("no such table: nowhere");
    }
    expect(readAll(file)).toEqual(before);
  });

  it("does not change the warehouse if the process is killed during a migration", () => {
    using folder = makeTempFolder();
    const { file, migrations, before } = makeScene(folder.path, `${ADD_TOPIC}SELECT die();`);
    const script = `
      import { openExistingWarehouse } from "./src/warehouse/file/open.ts";
      import { migrate } from "./src/warehouse/migrate.ts";
      const [file, folder] = process.argv.slice(1);
      const { sqlite } = openExistingWarehouse(file);
      sqlite.function("die", () => process.kill(process.pid, "SIGKILL"));
      migrate(sqlite, file, { folder });`;
    const killed = spawnSync(process.execPath, ["--input-type=module", "-e", script, file, migrations]);
    expect(killed).toMatchObject({ signal: "SIGKILL" });
    openExistingWarehouse(file)[Symbol.dispose]();
    expect(readAll(file)).toEqual(before);
  });

  it("does not change an older warehouse while another process syncs it", () => {
    using folder = makeTempFolder();
    const { file, migrations, before } = makeScene(folder.path, ADD_TOPIC);
    {
      using warehouse = openExistingWarehouse(file);
      using _lock = tryAcquireLock(file);
      expect(() => migrate(warehouse.sqlite, file, { folder: migrations })).toThrow(
        expect.objectContaining({
          exitCode: 6,
          message: `Cannot migrate ${file}: another process is syncing or migrating it`,
        }),
      );
      expect(readAll(file)).toEqual(before);
      migrate(warehouse.sqlite, file, { folder: migrations, isLocked: true });
    }
    expect(readAll(file).version).toBe(NEXT_VERSION);
  });

  it("refuses a newer warehouse and names the version of its schema", () => {
    using folder = makeTempFolder();
    const { file, migrations } = makeScene(folder.path, ADD_TOPIC);
    {
      using warehouse = openExistingWarehouse(file);
      migrate(warehouse.sqlite, file, { folder: migrations });
      expect(() => migrate(warehouse.sqlite, file)).toThrow(`its schema is version ${NEXT_VERSION}`);
    }
    for (const open of [openWarehouse, openReader]) {
      expect(() => open(file)).toThrow(
        expect.objectContaining({
          exitCode: 7,
          message: `Cannot use ${file}: its schema is version ${NEXT_VERSION}, and this calltally supports ${BASELINE_VERSION}`,
        }),
      );
    }
  });
});

describe("assertCurrent", () => {
  it("refuses to read an older schema, and names the command that migrates it", () => {
    using folder = makeTempFolder();
    const { file, migrations } = makeScene(folder.path, ADD_TOPIC);
    assertCurrent(file, BASELINE_VERSION);
    expect(() => assertCurrent(file, BASELINE_VERSION, migrations)).toThrow(
      expect.objectContaining({
        exitCode: 7,
        message: `Cannot read ${file} yet: its schema is version ${BASELINE_VERSION}, and this calltally needs ${NEXT_VERSION}`,
        hint: "Run `calltally sync`, which migrates it.",
      }),
    );
  });
});
