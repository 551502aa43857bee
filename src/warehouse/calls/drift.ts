import { eq } from "drizzle-orm";
import { schema_drift } from "../schema.ts";
import type { Warehouse } from "../warehouse.ts";
import type { Keeping } from "./call-guard.ts";

export type SchemaDrift = typeof schema_drift.$inferSelect;

/** Records members that the API documentation does not list; one already recorded stays as it is. */
export function recordDrift({ db }: Warehouse, drift: readonly SchemaDrift[], keeping: Keeping): void {
  for (const member of drift) {
    const stored = { ...member, path: keeping.toStoredPath(member.path) };
    db.insert(schema_drift).values(stored).onConflictDoNothing().run();
  }
}

/** Replaces recorded names that may not be kept. */
export function withholdDrift(warehouse: Warehouse, keeping: Keeping): void {
  const others = readDrift(warehouse).filter(({ path }) => keeping.toStoredPath(path) !== path);
  for (const { path } of others) warehouse.db.delete(schema_drift).where(eq(schema_drift.path, path)).run();
  recordDrift(warehouse, others, keeping);
}

export function readDrift({ db }: Warehouse): SchemaDrift[] {
  return db.select().from(schema_drift).orderBy(schema_drift.path, schema_drift.kind).all();
}
