import type { Warehouse } from "./open.ts";
import { schema_drift } from "./schema.ts";

export type SchemaDrift = typeof schema_drift.$inferSelect;

/** Records members that the API documentation does not list; one already recorded stays as it is. */
export function recordDrift({ db }: Warehouse, drift: readonly SchemaDrift[]): void {
  for (const member of drift) db.insert(schema_drift).values(member).onConflictDoNothing().run();
}

export function readDrift({ db }: Warehouse): SchemaDrift[] {
  return db.select().from(schema_drift).orderBy(schema_drift.path, schema_drift.kind).all();
}
