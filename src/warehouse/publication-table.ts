import { isCurrent } from "./migrate.ts";
import type { Warehouse } from "./open.ts";
import type { SyncRun } from "./runs.ts";
import { publications } from "./schema.ts";

/** What is known of the publications to one cluster. */
export type Publication = typeof publications.$inferSelect;

/** Writes what is known of the publications to a cluster; of what is left out, what was known stays. */
export function upsertPublication(
  { db }: Pick<Warehouse, "db">,
  publication: Pick<Publication, "target" | "account" | "attempted_at" | "error"> & Partial<Publication>,
): void {
  const { target, ...changes } = publication;
  db.insert(publications)
    .values(publication)
    .onConflictDoUpdate({ target: publications.target, set: changes })
    .run();
}

/** Returns what is known of the publications; nothing in a warehouse of an older schema. */
export function readPublications(warehouse: Warehouse): Publication[] {
  if (!isCurrent(warehouse)) return [];
  return warehouse.db.select().from(publications).orderBy(publications.target).all();
}

/** Whether a run has ended since what the cluster has. */
export function isBehind({ published_at, run_id }: Publication, last: SyncRun | undefined): boolean {
  return published_at === null || (last !== undefined && last.run_id > (run_id ?? 0));
}
