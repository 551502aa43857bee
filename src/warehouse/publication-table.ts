import { and, eq, getTableColumns, isNull, ne } from "drizzle-orm";
import { readChanges } from "./changed-buckets.ts";
import { readLastDoneRun } from "./runs/runs.ts";
import { publications } from "./schema.ts";
import type { Warehouse } from "./warehouse.ts";

const { totals: _, ...SHOWN } = getTableColumns(publications);

/** What is known of the publications to one cluster. */
export type Publication = Omit<typeof publications.$inferSelect, "totals">;

/** Writes what is known of the publications to a cluster; of what is left out, what was known stays. */
export function upsertPublication(
  { db }: Pick<Warehouse, "db">,
  publication: Pick<Publication, "target" | "account" | "attempted_at" | "error"> &
    Partial<typeof publications.$inferSelect>,
): void {
  const { target, ...changes } = publication;
  db.insert(publications)
    .values(publication)
    .onConflictDoUpdate({ target: publications.target, set: changes })
    .run();
  // Slips of earlier tries.
  if (publication.published_at != null)
    db.delete(publications)
      .where(and(ne(publications.target, target), isNull(publications.published_at)))
      .run();
}

/** Returns what is known of the publications to one cluster. */
export function readPublication({ db }: Pick<Warehouse, "db">, target: string) {
  return db.select().from(publications).where(eq(publications.target, target)).get();
}

/**
 * Returns what is known of the publications, and whether the cluster is behind.
 *
 * @param target the one that the settings name, if they do: others are those of earlier settings, or by hand
 */
export function readPublications(
  warehouse: Warehouse,
  target?: string,
): (Publication & { is_behind: boolean })[] {
  const last = readLastDoneRun(warehouse)?.run_id ?? 0;
  const { changeId } = readChanges(warehouse);
  return warehouse.db
    .select(SHOWN)
    .from(publications)
    .where(target === undefined ? undefined : eq(publications.target, target))
    .orderBy(publications.target)
    .all()
    .map((publication) => {
      const { published_at, run_id, change_id } = publication;
      const isBehind = published_at === null || last > (run_id ?? 0) || changeId > (change_id ?? 0);
      return { ...publication, is_behind: isBehind };
    });
}
