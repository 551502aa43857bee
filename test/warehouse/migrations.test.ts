import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from "drizzle-kit/api";
import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import { TABLES } from "../../src/operate/schema/schema.ts";
import { viewsOf } from "../../src/warehouse/calls/views.ts";
import { ZONE_VIEW, zoneViewText } from "../../src/warehouse/calls/zone-view.ts";
import { openWarehouse } from "../../src/warehouse/file/open.ts";
import { BASELINE_VERSION } from "../../src/warehouse/migrate.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const SCHEMA = Object.fromEntries(TABLES.map(({ name, table }) => [name, table]));
const FOLDER = join(import.meta.dirname, "../../src/warehouse/migrations");

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

describe("migrations", () => {
  it("produce the schema of the code", async () => {
    const current = await generateSQLiteDrizzleJson(SCHEMA);
    expect(await generateSQLiteMigration(readLatestSnapshot(), current)).toEqual([]);
  });

  it("a missing table is detected", async () => {
    const { exports: _, ...tables } = SCHEMA;
    const fewer = await generateSQLiteDrizzleJson(tables);
    const current = await generateSQLiteDrizzleJson(SCHEMA);
    const statements = await generateSQLiteMigration(fewer, current);
    expect(statements.map((text) => text.split("(")[0]?.trim())).toEqual(["CREATE TABLE `exports`"]);
  });

  it("produce the schema of the latest snapshot", async () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    const direct = new Database(":memory:");
    const empty = await generateSQLiteDrizzleJson({});
    for (const statement of await generateSQLiteMigration(empty, readLatestSnapshot()))
      direct.exec(statement);
    direct.exec(`CREATE VIEW ${ZONE_VIEW} AS ${zoneViewText("UTC")}`);
    for (const { name, sql } of viewsOf(DEFAULT_RULES)) direct.exec(`CREATE VIEW ${name} AS ${sql}`);
    expect(describeSchema(warehouse.sqlite)).toEqual(describeSchema(direct));
    direct.close();
  });

  it("user_version counts the migrations, from the baseline on", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    const files = readdirSync(FOLDER).filter((file) => file.endsWith(".sql"));
    expect(warehouse.sqlite.pragma("user_version", { simple: true })).toBe(
      BASELINE_VERSION + files.length - 1,
    );
  });
});
