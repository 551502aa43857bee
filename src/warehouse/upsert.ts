import { getTableColumns, is, Param, Placeholder, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { recordOf } from "../base/records.ts";
import type { Warehouse } from "./warehouse.ts";

/**
 * Drizzle builds the statement once; binding by position takes less time than its `run` over millions of rows.
 * @param names the columns, key first
 */
export function prepareUpsert<
  Table extends SQLiteTable,
  const Name extends keyof Table["$inferInsert"] & string,
>(
  { db, sqlite }: Warehouse,
  table: Table,
  names: readonly Name[],
  updated: readonly Name[] = names.slice(1),
): (row: Readonly<Record<Name, string | number | boolean | null>>) => void {
  const into: SQLiteTable = table;
  const target = Object.values(getTableColumns(into)).filter(({ primary }) => primary);
  const { sql: text, params } = db
    .insert(into)
    .values(recordOf(names, (name) => sql.placeholder(name)))
    .onConflictDoUpdate({ target, set: recordOf(updated, (name) => sql`excluded.${sql.identifier(name)}`) })
    .toSQL();
  const statement = sqlite.prepare(text);
  const places = params.map((param) => is(param, Param) && is(param.value, Placeholder) && param.value.name);
  const bound = names.toSorted((a, b) => places.indexOf(a) - places.indexOf(b));
  return (row) => {
    const values: (string | number | null)[] = [];
    for (const name of bound) {
      const value = row[name];
      values.push(typeof value === "boolean" ? Number(value) : value);
    }
    statement.run(values);
  };
}
