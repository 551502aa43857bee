import { count, eq, type SQL, sql } from "drizzle-orm";
import { integer, type SQLiteTable, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "./described.ts";
import type { Reader, Warehouse } from "./warehouse.ts";

export const counts = sqliteTable("counts", {
  name: about(
    text().primaryKey(),
    "What is counted: `calls`, the rows of that table; `unsettled_calls`, those of a running first load whose callers are not settled yet; `fact_logs`, how often `fact_changes` was started; and `rules_being_applied`, the id of the rules being applied at the moment.",
  ),
  value: about(integer().notNull(), "How many there are."),
});
export const COUNTS = describeTable(counts, "Counts that would take long to compute.");

type CountName = "calls" | "unsettled_calls" | "fact_logs" | "rules_being_applied";

export function readCount({ db }: Pick<Reader, "db">, name: CountName): number | undefined {
  return db.select({ value: counts.value }).from(counts).where(eq(counts.name, name)).get()?.value;
}

/** @param value null deletes the count */
export function setCount({ db }: Pick<Warehouse, "db">, name: CountName, value: number | null): void {
  if (value === null) db.delete(counts).where(eq(counts.name, name)).run();
  else
    db.insert(counts)
      .values({ name, value })
      .onConflictDoUpdate({ target: counts.name, set: { value } })
      .run();
}

/** Adds to a count, which starts at 0; returns the sum. */
export function addToCount({ db }: Pick<Warehouse, "db">, name: CountName, added: number): number {
  return db
    .insert(counts)
    .values({ name, value: added })
    .onConflictDoUpdate({ target: counts.name, set: { value: sql`${counts.value} + ${added}` } })
    .returning({ value: counts.value })
    .get().value;
}

export function countRows({ db }: Pick<Reader, "db">, table: SQLiteTable, where?: SQL): number {
  return db.select({ rows: count() }).from(table).where(where).get()?.rows ?? 0;
}
