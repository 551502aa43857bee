import { sep } from "node:path";
import { and, eq, lt, min } from "drizzle-orm";
import { integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "../warehouse/described.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

const columns = {
  exported_id: about(integer().primaryKey({ autoIncrement: true }), "Number of the export of this rollup."),
  path: about(text().notNull(), "Absolute path of the file."),
  contents: about(text().notNull(), "Its dimensions, separated by commas; a workbook has a sheet for each."),
  question: about(
    text().notNull(),
    "JSON object: dimensions, filter, grain, time zone and unit of durations. Figures of another question are not compared.",
    "key",
  ),
  metrics: about(text().notNull(), "JSON array of its figures' names, in the order of `exported_rows`."),
  range_from: about(text(), "First day of its range, YYYY-MM-DD in its time zone; null where it is open."),
  range_to: about(text(), "Last day of its range, YYYY-MM-DD in its time zone; null where it is open."),
  first_day: about(text(), "First day of its first period, YYYY-MM-DD; null without periods."),
  last_day: about(text(), "Last day of its last period, YYYY-MM-DD; null without periods."),
  settled_until: about(text().notNull(), "Periods that ended by then were complete, ISO 8601 UTC."),
  exported_at: about(text().notNull(), "When it was written, ISO 8601 UTC."),
  change_id: about(integer().notNull(), "The last row in `fact_changes` that its figures have."),
  rules_id: about(integer().notNull(), "The row in `rules` that its figures follow."),
  run_id: about(integer().notNull(), "The last finished run when it was made."),
};

export const exported_rollups = sqliteTable("exported_rollups", columns, (table) => [
  uniqueIndex("exported_rollups_by_path").on(table.path, table.contents),
]);
export const EXPORTED_ROLLUPS = describeTable(
  exported_rollups,
  "The rollups that `export` last wrote into folders, one row for each file or sheet whose figures are compared with the next.",
  columns,
);

type Store = Pick<Warehouse, "db">;

export type ExportedRollup = typeof exported_rollups.$inferSelect;

/** A rollup that was written, by the file that it is in. */
export interface RollupPlace {
  /** Absolute path. */
  path: string;
  /** The dimensions, separated by commas. */
  contents: string;
}

/** Returns a remembered rollup; undefined where it was not written yet, or is forgotten. */
export function readExportedRollup(
  { db }: Store,
  { path, contents }: RollupPlace,
): ExportedRollup | undefined {
  return db
    .select()
    .from(exported_rollups)
    .where(and(eq(exported_rollups.path, path), eq(exported_rollups.contents, contents)))
    .get();
}

/** Whether a call has changed, since the rollups of a folder were written, that was before the end of their complete periods. */
export function mayBeRestated({ sqlite }: Pick<Warehouse, "sqlite">, folder: string): boolean {
  const sql = `SELECT 1 FROM exported_rollups AS r JOIN fact_changes AS c ON c.change_id > r.change_id
    LEFT JOIN call_facts AS f ON f.call_id = c.call_id
    WHERE substr(r.path, 1, length(@prefix)) = @prefix
      AND (c.call_started < r.settled_until OR f.call_started < r.settled_until) LIMIT 1`;
  return sqlite.prepare(sql).get({ prefix: folder + sep }) !== undefined;
}

/** Forgets a rollup, and its rows. */
export function forgetRollup({ db }: Store, { path, contents }: RollupPlace): void {
  db.delete(exported_rollups)
    .where(and(eq(exported_rollups.path, path), eq(exported_rollups.contents, contents)))
    .run();
}

/** Forgets the rollups that were last written before some time, ISO 8601 UTC; all of them without one. */
export function forgetRollupsBefore({ db }: Store, time?: string): void {
  const isOld = time === undefined ? undefined : lt(exported_rollups.exported_at, time);
  db.delete(exported_rollups).where(isOld).run();
}

/** Returns the first of the changes of facts that the rollups have last; undefined where none is remembered. */
export function readEarliestChange({ db }: Store): number | undefined {
  const row = db
    .select({ first: min(exported_rollups.change_id) })
    .from(exported_rollups)
    .get();
  return row?.first ?? undefined;
}

/** Writes a rollup in the place of what the same file held before; returns its number. */
export function upsertRollup({ db }: Store, rollup: Omit<ExportedRollup, "exported_id">): number {
  return db
    .insert(exported_rollups)
    .values(rollup)
    .onConflictDoUpdate({ target: [exported_rollups.path, exported_rollups.contents], set: rollup })
    .returning({ exported_id: exported_rollups.exported_id })
    .get().exported_id;
}
