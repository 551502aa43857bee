import { eq } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "../described.ts";
import type { Reader, Warehouse } from "../warehouse.ts";
import type { Keeping } from "./call-guard.ts";

const columns = {
  path: about(text().notNull(), "E.g. `dni_data.msclkid`.", "extra"),
  kind: about(
    text({ enum: ["unknown", "type"] }).notNull(),
    "unknown: kept in `extra`. type: a number instead of text, kept as text.",
  ),
  json_type: about(text().notNull(), "First JSON type found."),
  first_run_id: about(integer().notNull(), "The run that first read it."),
  first_seen_at: about(text().notNull(), "When it was first read, ISO 8601 UTC."),
};

export const schema_drift = sqliteTable("schema_drift", columns, (table) => [
  primaryKey({ columns: [table.path, table.kind] }),
]);
export const SCHEMA_DRIFT = describeTable(
  schema_drift,
  "Members that the API document does not promise, once each.",
);

export type SchemaDrift = typeof schema_drift.$inferSelect;

/** Records undocumented members; those already recorded stay unchanged. */
export function recordDrift({ db }: Warehouse, drift: readonly SchemaDrift[], keeping: Keeping): void {
  for (const member of drift) {
    const stored = { ...member, path: keeping.toStoredPath(member.path) };
    db.insert(schema_drift).values(stored).onConflictDoNothing().run();
  }
}

export function withholdDrift(warehouse: Warehouse, keeping: Keeping): void {
  const others = readDrift(warehouse).filter(({ path }) => keeping.toStoredPath(path) !== path);
  for (const { path } of others) warehouse.db.delete(schema_drift).where(eq(schema_drift.path, path)).run();
  recordDrift(warehouse, others, keeping);
}

export function readDrift({ db }: Reader): SchemaDrift[] {
  return db.select().from(schema_drift).orderBy(schema_drift.path, schema_drift.kind).all();
}
