import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Warehouse } from "./warehouse.ts";

export function countRows({ db }: Pick<Warehouse, "db">, table: SQLiteTable, where?: SQL): number {
  const condition = where === undefined ? sql`` : sql` WHERE ${where}`;
  return db.get<{ rows: number }>(sql`SELECT count(*) AS rows FROM ${table}${condition}`).rows;
}
