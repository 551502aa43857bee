import { and, eq, getTableColumns, isNull, ne } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { readChanges } from "./changed-calls.ts";
import { about, describeTable } from "./described.ts";
import { readLastDoneRun } from "./runs/runs.ts";
import type { Reader, Warehouse } from "./warehouse.ts";

export const publications = sqliteTable("publications", {
  target: about(text().primaryKey(), "Address of the cluster, without the user."),
  account: about(text().notNull(), "The account's name there."),
  attempted_at: about(text().notNull(), "When the last publication began, ISO 8601 UTC."),
  error: about(text(), "Why it failed; null if it did not, is running or was killed.", "text"),
  published_at: about(text(), "When the cluster last confirmed these facts, ISO 8601 UTC; null for never."),
  run_id: about(integer(), "The last finished run in those facts; null for none."),
  calls: about(integer(), "How many calls they contain; null before the first."),
  change_id: about(integer(), "The last row of `changed_calls` in those facts."),
  act_id: about(integer(), "The last `forget` of `privacy_acts` in those facts; null for none."),
  hashed_at: about(text(), "When all rows were last compared with it, ISO 8601 UTC."),
  totals: about(
    text(),
    "JSON object: a hash of each month that each server had as of `change_id`, and what rows depend on in addition to the facts.",
    "scratch",
  ),
});
export const PUBLICATIONS = describeTable(
  publications,
  "Clusters that the facts were published to, one row per cluster and database.",
);

const { totals: _, ...SHOWN } = getTableColumns(publications);

export type Publication = Omit<typeof publications.$inferSelect, "totals">;

/** Records a publication to a cluster; omitted members stay unchanged. */
export function upsertPublication(
  { db }: Warehouse,
  publication: Pick<Publication, "target" | "account" | "attempted_at" | "error"> &
    Partial<typeof publications.$inferSelect>,
): void {
  db.insert(publications)
    .values(publication)
    .onConflictDoUpdate({ target: publications.target, set: publication })
    .run();
  if (publication.published_at != null)
    db.delete(publications)
      .where(and(ne(publications.target, publication.target), isNull(publications.published_at)))
      .run();
}

export function readPublication({ db }: Reader, target: string) {
  return db.select().from(publications).where(eq(publications.target, target)).get();
}

/** @param target only the one in the settings; others come from earlier settings, or from publications by hand */
export function readPublications(
  warehouse: Reader,
  target?: string,
): (Publication & { is_behind: boolean })[] {
  const last = readLastDoneRun(warehouse)?.run_id ?? 0;
  const { changeId } = readChanges(warehouse, Number.MAX_SAFE_INTEGER);
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
