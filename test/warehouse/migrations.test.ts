import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { generateSQLiteDrizzleJson, generateSQLiteMigration } from "drizzle-kit/api";
import { describe, expect, it } from "vitest";
import { openWarehouse } from "../../src/warehouse/open.ts";
import * as schema from "../../src/warehouse/schema.ts";
import * as views from "../../src/warehouse/views.ts";
import { makeTempFolder } from "../temp-folder.ts";

const FOLDER = join(import.meta.dirname, "../../src/warehouse/migrations");

function readLatestSnapshot() {
  const name = readdirSync(join(FOLDER, "meta"))
    .filter((file) => file.endsWith("_snapshot.json"))
    .sort()
    .at(-1);
  return JSON.parse(readFileSync(join(FOLDER, "meta", String(name)), "utf8"));
}

/** Everything the warehouse's SQL says, by name. */
function readStatements(): Record<string, string> {
  using folder = makeTempFolder();
  using warehouse = openWarehouse(join(folder.path, "calls.db"));
  const rows = warehouse.sqlite
    .prepare<[], [string, string]>(
      "SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_%' ESCAPE '\\' AND sql NOT NULL",
    )
    .raw()
    .all();
  return Object.fromEntries(rows);
}

describe("migrations", () => {
  it("lead to the schema and the views as the code has them", async () => {
    const current = await generateSQLiteDrizzleJson({ ...schema, ...views });
    expect(await generateSQLiteMigration(readLatestSnapshot(), current)).toEqual([]);
  });

  it("would show a table or a view that the migrations do not have", async () => {
    const { exports: _, ...tables } = schema;
    const { rollup_gclid: __, ...rest } = views;
    const fewer = await generateSQLiteDrizzleJson({ ...tables, ...rest });
    const current = await generateSQLiteDrizzleJson({ ...schema, ...views });
    const statements = await generateSQLiteMigration(fewer, current);
    expect(statements.map((text) => text.split("(")[0]?.split(" AS ")[0]?.trim())).toEqual([
      "CREATE TABLE `exports`",
      "CREATE VIEW `rollup_gclid`",
    ]);
  });

  it("leave the warehouse with what the latest snapshot says", async () => {
    const empty = await generateSQLiteDrizzleJson({});
    const statements = await generateSQLiteMigration(empty, readLatestSnapshot());
    const nameOf = (text: string) => /`(\w+)`/.exec(text)?.[1] ?? text;
    const plain = (text: string) => text.replace(/;\s*$/, "").trim();
    const found = readStatements();
    expect(Object.fromEntries(Object.entries(found).map(([name, text]) => [name, plain(text)]))).toEqual(
      Object.fromEntries(statements.map((text) => [nameOf(text), plain(text)])),
    );
  });

  it("are counted in user_version, all of them", () => {
    using folder = makeTempFolder();
    using warehouse = openWarehouse(join(folder.path, "calls.db"));
    const files = readdirSync(FOLDER).filter((file) => file.endsWith(".sql"));
    expect(warehouse.sqlite.pragma("user_version", { simple: true })).toBe(files.length);
  });
});
