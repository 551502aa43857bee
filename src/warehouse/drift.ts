import { openForgotten } from "./forgotten.ts";
import type { Warehouse } from "./open.ts";
import { schema_drift } from "./schema.ts";

export type SchemaDrift = typeof schema_drift.$inferSelect;

/** Records members that the API documentation does not list; one already recorded stays as it is. */
export function recordDrift({ db, path }: Warehouse, drift: readonly SchemaDrift[]): void {
  if (drift.length === 0) return;
  const forgotten = openForgotten({ db, path });
  for (const member of drift) {
    const masked = { ...member, path: forgotten?.mask(member.path) ?? member.path };
    db.insert(schema_drift).values(masked).onConflictDoNothing().run();
  }
}

export function readDrift({ db }: Warehouse): SchemaDrift[] {
  return db.select().from(schema_drift).orderBy(schema_drift.path, schema_drift.kind).all();
}
