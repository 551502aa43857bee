import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from "drizzle-kit/api";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { migrate } from "drizzle-orm/better-sqlite3/migrator";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/attribution/attribution-rules.ts";
import { readCallCount } from "../../src/warehouse/calls/call-table.ts";
import { checkRowHashes } from "../../src/warehouse/calls/row-hashes.ts";
import { updateViews } from "../../src/warehouse/calls/views.ts";
import { openWarehouse, openWarehouseReader } from "../../src/warehouse/open.ts";
import { readOrigin } from "../../src/warehouse/origin.ts";
import * as schema from "../../src/warehouse/schema.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const FOLDER = join(import.meta.dirname, "../../src/warehouse/migrations");

/** How many there are. */
const VERSIONS = readdirSync(FOLDER).filter((file) => file.endsWith(".sql")).length;

function readLatestSnapshot() {
  const name = readdirSync(join(FOLDER, "meta"))
    .filter((file) => file.endsWith("_snapshot.json"))
    .sort()
    .at(-1);
  return JSON.parse(readFileSync(join(FOLDER, "meta", String(name)), "utf8"));
}

/** All columns of all tables, and the text of all views. */
function describeSchema(sqlite: Database.Database): unknown[] {
  return sqlite
    .prepare(
      `SELECT t.name AS "table", c.name, c.type, c."notnull", c.dflt_value, c.pk, iif(t.type = 'view', t.sql, NULL) AS view
       FROM sqlite_schema AS t, pragma_table_xinfo(t.name) AS c
       WHERE t.name NOT LIKE 'sqlite%' AND t.name NOT LIKE '\\_%' ESCAPE '\\' ORDER BY t.name, c.name`,
    )
    .all();
}

/** Makes a warehouse of an earlier schema, with the rows that some SQL puts in. */
function makeOldWarehouse(path: string, version: number, sql: string): void {
  const folder = `${path}-migrations`;
  cpSync(FOLDER, folder, { recursive: true });
  const journal = join(folder, "meta", "_journal.json");
  const { entries, ...rest } = JSON.parse(readFileSync(journal, "utf8"));
  writeFileSync(journal, JSON.stringify({ ...rest, entries: entries.slice(0, version) }));
  const sqlite = new Database(path);
  sqlite.pragma("application_id = 0x43544c59");
  migrate(drizzle(sqlite), { migrationsFolder: folder });
  sqlite.pragma(`user_version = ${version}`);
  sqlite.exec(sql);
  sqlite.close();
}

/** Rows of a warehouse of the first schema. */
const FIRST_ROWS = `INSERT INTO sync_runs (run_id, started_at, mode, status) VALUES (1, 't', 'full', 'done');
    INSERT INTO sync_pages VALUES (1, 0, 0, 2, 2, '[1,2]', 'request', 't');
    INSERT INTO calls (call_id, utm_source, row_hash, first_run_id, changed_run_id) VALUES (1, 'A', 'h', 1, 1), (2, NULL, 'h', 1, 1);
    INSERT INTO transcripts VALUES (1, 'summary', 'text', '[]');
    INSERT INTO utm_values VALUES ('A', 'a');
    UPDATE calls SET caller_id = '+49 1' WHERE call_id = 2;
    INSERT INTO rejected_calls VALUES ('id:3', 3, '{}', 'duration', 'bad', 1, 1);
    INSERT INTO schema_drift VALUES ('msclkid', 'unknown', 'string', 1, 't');
    INSERT INTO exports VALUES (1, 't', '/x.csv', 'sha', 1, '{}', 1)`;

describe("migrations", () => {
  it("lead to the schema as the code has it", async () => {
    const current = await generateSQLiteDrizzleJson(schema);
    expect(await generateSQLiteMigration(readLatestSnapshot(), current)).toEqual([]);
  });

  it("would show a table that the migrations do not have", async () => {
    const { exports: _, ...tables } = schema;
    const fewer = await generateSQLiteDrizzleJson(tables);
    const current = await generateSQLiteDrizzleJson(schema);
    const statements = await generateSQLiteMigration(fewer, current);
    expect(statements.map((text) => text.split("(")[0]?.trim())).toEqual(["CREATE TABLE `exports`"]);
  });

  it("leave the warehouse with what the latest snapshot says", async () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    const direct = new Database(":memory:");
    const empty = await generateSQLiteDrizzleJson({});
    for (const statement of await generateSQLiteMigration(empty, readLatestSnapshot()))
      direct.exec(statement);
    updateViews(direct, DEFAULT_RULES);
    expect(describeSchema(warehouse.sqlite)).toEqual(describeSchema(direct));
    direct.close();
  });

  it("carry a warehouse of the first schema forward without losing a row", () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "calls.db");
    makeOldWarehouse(path, 1, FIRST_ROWS);
    using warehouse = openWarehouse(path);
    const count = (table: string) => warehouse.sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get();
    const tables = [
      "calls",
      "transcripts",
      "call_facts",
      "sync_runs",
      "sync_pages",
      "rejected_calls",
      "schema_drift",
      "exports",
    ];
    expect(tables.map(count)).toEqual([2, 1, 2, 1, 1, 1, 1, 1]);
    expect(
      warehouse.sqlite
        .prepare("SELECT call_id, utm_source, summary, source, caller, is_first_call FROM attributed_calls")
        .raw()
        .all(),
    ).toEqual([
      [1, "A", "summary", "a", null, 0],
      [2, null, null, "(direct)", "+491", 1],
    ]);
    expect(readCallCount(warehouse)).toBe(2);
    using fresh = openWarehouse(join(folder.path, "fresh.db"));
    expect(describeSchema(warehouse.sqlite)).toEqual(describeSchema(fresh.sqlite));
  });

  it("give copies of one warehouse the same id, though each is migrated by itself, and others another one", () => {
    using folder = makeTempFolder();
    const at = (name: string) => join(folder.path, name);
    const [one, copy, other] = [at("one.db"), at("copy.db"), at("other.db")];
    makeOldWarehouse(one, 1, FIRST_ROWS);
    cpSync(one, copy);
    makeOldWarehouse(other, 1, FIRST_ROWS);
    const sqlite = new Database(other);
    sqlite.exec("UPDATE sync_runs SET started_at = 'u'");
    sqlite.close();
    const [id, again, another] = [one, copy, other].map((path) => {
      using warehouse = openWarehouse(path);
      return readOrigin(warehouse).warehouse_id;
    });
    expect(again).toBe(id);
    expect(another).not.toBe(id);
  });

  it("keep dates of insights as they were served, beside what was read of them, and bind to no organization unit", () => {
    using folder = makeTempFolder();
    const path = join(folder.path, "calls.db");
    makeOldWarehouse(
      path,
      9,
      `UPDATE origin SET base_url = 'https://api.example.com';
       INSERT INTO insights (insight_id, start_date, indicator_end_date, fetched_at) VALUES (101, '2026-01-02T03:04:05', '', 't')`,
    );
    using warehouse = openWarehouse(path);
    const dates =
      "start_date, start_date_parsed, indicator_start_date, indicator_start_date_parsed, indicator_end_date, indicator_end_date_parsed";
    expect(warehouse.sqlite.prepare(`SELECT ${dates} FROM insights`).raw().get()).toEqual([
      "2026-01-02 03:04:05",
      "2026-01-02T03:04:05",
      null,
      null,
      "",
      null,
    ]);
    expect(readOrigin(warehouse)).toMatchObject({ base_url: "https://api.example.com", org_unit_id: null });
  });

  it("need not have run for hashes of calls to be checked: a backup of any earlier version can be restored", async () => {
    using folder = makeTempFolder();
    for (let version = 1; version <= VERSIONS; version++) {
      const path = join(folder.path, `${version}.db`);
      makeOldWarehouse(
        path,
        version,
        "INSERT INTO calls (call_id, row_hash, first_run_id, changed_run_id) VALUES (5, 'h', 1, 1)",
      );
      using warehouse = openWarehouseReader(path);
      expect(await checkRowHashes(warehouse)).toEqual({ checked: 1, damaged: 1, damagedIds: [5] });
    }
  });

  it("are counted in user_version, all of them", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    const files = readdirSync(FOLDER).filter((file) => file.endsWith(".sql"));
    expect(warehouse.sqlite.pragma("user_version", { simple: true })).toBe(files.length);
  });
});
