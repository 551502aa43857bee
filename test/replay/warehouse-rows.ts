import { existsSync } from "node:fs";
import type Database from "better-sqlite3";

/** Rows of a table that are new (+) or gone (-), or all of a view. */
export interface Rows {
  columns: string[];
  rows: string[];
}

/** Columns that name a process of the machine, or a request to the sandbox. */
const RANDOM = ["pid", "process", "request_id"];
/** If one of these tables changes, so may the views. */
const OF_VIEWS = ["calls", "call_facts", "callers"];

/** Returns the tables that have changed, and all views if calls have. */
export function changedRows(sqlite: Database.Database, before: string | undefined): [string, Rows][] {
  const had = before !== undefined && existsSync(before);
  if (had) sqlite.prepare("ATTACH ? AS before").run(before);
  const now = namesOf(sqlite, "main", "table");
  const then = had ? namesOf(sqlite, "before", "table") : [];
  const tables = [...new Set([...now, ...then])].sort().flatMap((table): [string, Rows][] => {
    const isNow = now.includes(table);
    const columns = columnsOf(sqlite, table, isNow ? "main" : "before");
    const list = columns.map((name) => `"${name}"`).join(", ");
    const rows = (schema: string) => `SELECT ${list} FROM ${schema}."${table}"`;
    const read = (sign: string, sql: string) => readLines(sqlite, sql).map((row) => `${sign} ${row}`);
    if (!isNow) return [[table, { columns, rows: read("-", rows("before")) }]];
    if (!then.includes(table)) return [[table, { columns, rows: read("+", rows("main")) }]];
    if (columns.join() !== columnsOf(sqlite, table, "before").join()) return [[table, { columns, rows: [] }]];
    const rowsChanged = [
      ...read("-", `${rows("before")} EXCEPT ${rows("main")}`),
      ...read("+", `${rows("main")} EXCEPT ${rows("before")}`),
    ];
    return rowsChanged.length > 0 ? [[table, { columns, rows: rowsChanged }]] : [];
  });
  if (!tables.some(([table]) => OF_VIEWS.includes(table))) return tables;
  const views = namesOf(sqlite, "main", "view").map((view): [string, Rows] => [
    view,
    { columns: columnsOf(sqlite, view, "main"), rows: readLines(sqlite, `SELECT * FROM "${view}"`).sort() },
  ]);
  return [...tables, ...views];
}

function namesOf(sqlite: Database.Database, schema: string, type: "table" | "view"): string[] {
  return sqlite
    .prepare<[string], string>(`SELECT name FROM ${schema}.sqlite_schema WHERE type = ? ORDER BY name`)
    .pluck()
    .all(type)
    .filter((name) => name !== "sqlite_sequence");
}

function columnsOf(sqlite: Database.Database, table: string, schema: string): string[] {
  return sqlite
    .prepare<[string, string], string>("SELECT name FROM pragma_table_info(?, ?)")
    .pluck()
    .all(table, schema)
    .filter((name) => !RANDOM.includes(name));
}

function readLines(sqlite: Database.Database, sql: string): string[] {
  const statement = sqlite.prepare<[], Record<string, unknown>>(sql);
  return statement.all().map((row) => JSON.stringify(row, toShown));
}

function toShown(_: string, value: unknown): unknown {
  const isBlob = typeof value === "object" && value !== null && "type" in value && value.type === "Buffer";
  if (isBlob && "data" in value && Array.isArray(value.data))
    return `0x${Buffer.from(value.data).toString("hex")}`;
  return value;
}
