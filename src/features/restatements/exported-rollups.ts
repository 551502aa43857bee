import { sep } from "node:path";
import { and, eq, notInArray, type SQL } from "drizzle-orm";
import { integer, primaryKey, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { toInstants } from "../../base/calendar/dates.ts";
import { isLoggedSince } from "../../warehouse/calls/fact-log.ts";
import { about, describeTable } from "../../warehouse/described.ts";
import type { Tx } from "../../warehouse/transaction.ts";
import type { Reader } from "../../warehouse/warehouse.ts";

const columns = {
  exported_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the export of this rollup."),
  path: about(text().notNull(), "Absolute path of the file."),
  contents: about(text().notNull(), "Its dimensions, separated by commas; a workbook has a sheet for each."),
  question: about(
    text().notNull(),
    "JSON object: dimensions, filter, grain, time zone and unit of durations. Only figures with the same one are compared.",
    "key",
  ),
  command: about(
    text().notNull(),
    "What to type after `calltally` to write the file again, without folder and account.",
    "key",
  ),
  metrics: about(text().notNull(), "JSON array of its figures' names, in the order of `exported_rows`."),
  range_from: about(text(), "First day of its range, YYYY-MM-DD in its time zone; null where it is open."),
  range_to: about(text(), "Last day of its range, YYYY-MM-DD in its time zone; null where it is open."),
  first_day: about(text(), "First day of its first period, YYYY-MM-DD; null without periods."),
  last_day: about(text(), "Last day of its last period, YYYY-MM-DD; null without periods."),
  settled_until: about(text().notNull(), "Periods that ended by then were complete, ISO 8601 UTC."),
  exported_at: about(text().notNull(), "When it was written, ISO 8601 UTC."),
  change_id: about(integer().notNull(), "The last row of `fact_changes` in its figures."),
  rules_id: about(integer().notNull(), "The row of `rules` that its figures follow."),
  run_id: about(integer().notNull(), "The last finished run when it was made."),
};

export const exported_rollups = sqliteTable("exported_rollups", columns, (table) => [
  uniqueIndex("exported_rollups_by_path").on(table.path, table.contents),
]);
export const EXPORTED_ROLLUPS = describeTable(
  exported_rollups,
  "Rollups last exported to folders, one row per file or sheet whose figures are compared with the next export.",
);

const row_columns = {
  exported_id: about(
    integer()
      .notNull()
      .references(() => exported_rollups.exported_id, { onDelete: "cascade" }),
    "The rollup in `exported_rollups`.",
  ),
  period: about(text().notNull(), "The period, as in the file; empty without periods."),
  key: about(text().notNull(), "JSON array of the values of the key columns.", "key"),
  figures: about(text().notNull(), "JSON array of the figures."),
};

export const exported_rows = sqliteTable("exported_rows", row_columns, (table) => [
  primaryKey({ columns: [table.exported_id, table.period, table.key] }),
]);
export const EXPORTED_ROWS = describeTable(
  exported_rows,
  "The rows of periods that were complete in the last export of each rollup in `exported_rollups`.",
);

export type ExportedRollup = typeof exported_rollups.$inferSelect;

export interface RollupPlace {
  path: string;
  contents: string;
}

export function readExportedRollup({ db }: Reader, place: RollupPlace): ExportedRollup | undefined {
  return db.select().from(exported_rollups).where(isAt(place)).get();
}

function isAt({ path, contents }: RollupPlace): SQL | undefined {
  return and(eq(exported_rollups.path, path), eq(exported_rollups.contents, contents));
}

/** Whether a call in a complete period has changed since the rollups of a folder were written. */
export function mayBeRestated({ sqlite }: Reader, folder: string): boolean {
  const sql = `SELECT 1 FROM exported_rollups AS r JOIN fact_changes AS c ON c.change_id > r.change_id
    LEFT JOIN call_facts AS f ON f.call_id = c.call_id
    WHERE substr(r.path, 1, length(@prefix)) = @prefix
      AND (c.call_started < r.settled_until OR f.call_started < r.settled_until) LIMIT 1`;
  return sqlite.prepare(sql).get({ prefix: folder + sep }) !== undefined;
}

export function readExportedRollups({ db }: Reader): ExportedRollup[] {
  return db
    .select()
    .from(exported_rollups)
    .orderBy(exported_rollups.exported_at, exported_rollups.exported_id)
    .all();
}

/** Whether a call in its complete days, or their costs, have changed since a rollup was written. */
export function mayHaveChanged(
  { sqlite }: Reader,
  { change_id, question, exported_at, settled_until, range_from, range_to }: ExportedRollup,
  timezone: string,
): boolean {
  const days = {
    ...(range_from !== null && { from: range_from }),
    ...(range_to !== null && { to: range_to }),
  };
  const { startsAt = "", endsAt = settled_until } = toInstants(days, timezone);
  const until = endsAt < settled_until ? endsAt : settled_until;
  const calls = `SELECT 1 FROM fact_changes AS c LEFT JOIN call_facts AS f ON f.call_id = c.call_id
    WHERE c.change_id > @change_id AND (
      (c.call_started >= @startsAt AND c.call_started < @until) OR
      (f.call_started >= @startsAt AND f.call_started < @until)) LIMIT 1`;
  const costs = `SELECT 1 FROM spend JOIN (SELECT json_extract(@question, '$.spend') AS spend) AS asked
    WHERE asked.spend IS NOT NULL AND imported_at > @exported_at
      AND day >= coalesce(@range_from, '') AND day <= coalesce(@range_to, @until) LIMIT 1`;
  const facts = { change_id, startsAt, until };
  const others = { question, exported_at, range_from, range_to, until };
  return [sqlite.prepare(calls).get(facts), sqlite.prepare(costs).get(others)].some(
    (row) => row !== undefined,
  );
}

/** A row of a complete period; key and figures as JSON arrays. */
export type ExportedRow = [period: string, key: string, figures: string];

export function iterateExportedRows({ sqlite }: Reader, { exported_id }: ExportedRollup) {
  return sqlite
    .prepare<[number], ExportedRow>("SELECT period, key, figures FROM exported_rows WHERE exported_id = ?")
    .raw()
    .iterate(exported_id);
}

/** An exported rollup to record; `rollup` is undefined if it cannot be compared later. */
export interface RollupToRemember extends RollupPlace {
  rollup: Omit<ExportedRollup, "exported_id" | "exported_at" | keyof RollupPlace> | undefined;
  rows: Iterable<ExportedRow>;
}

/** @param log id of the fact log when the figures were read; another log may lack changes */
export function rememberRollup(
  tx: Tx,
  { path, contents, rollup, rows }: RollupToRemember,
  { log, exportedAt }: { log: number | undefined; exportedAt: string },
): void {
  const place = { path, contents };
  if (!rollup || log === undefined || !isLoggedSince(tx, { log, changeId: rollup.change_id })) {
    tx.db.delete(exported_rollups).where(isAt(place)).run();
    return;
  }
  const values = { ...place, ...rollup, exported_at: exportedAt };
  const { exported_id } = tx.db
    .insert(exported_rollups)
    .values(values)
    .onConflictDoUpdate({ target: [exported_rollups.path, exported_rollups.contents], set: values })
    .returning({ exported_id: exported_rollups.exported_id })
    .get();
  replaceRows(tx, exported_id, rows);
}

/** Forgets what a file had and has no longer, such as a sheet. */
export function forgetOthers({ db }: Tx, path: string, contents: readonly string[]): void {
  const isOther = notInArray(exported_rollups.contents, [...contents]);
  db.delete(exported_rollups)
    .where(and(eq(exported_rollups.path, path), isOther))
    .run();
}

/** Writes only the rows that changed: in an hourly export, few do. */
function replaceRows({ sqlite }: Tx, exportedId: number, rows: Iterable<ExportedRow>): void {
  sqlite.exec("CREATE TEMP TABLE rows_now (period, key, figures, PRIMARY KEY (period, key)) WITHOUT ROWID");
  const insert = sqlite.prepare<[ExportedRow]>("INSERT INTO temp.rows_now VALUES (?, ?, ?)");
  for (const row of rows) insert.run(row);
  sqlite
    .prepare(
      `DELETE FROM exported_rows WHERE exported_id = ? AND NOT EXISTS (
        SELECT 1 FROM temp.rows_now AS n WHERE n.period = exported_rows.period AND n.key = exported_rows.key)`,
    )
    .run(exportedId);
  sqlite
    .prepare(
      `INSERT INTO exported_rows (exported_id, period, key, figures)
        SELECT ?, period, key, figures FROM temp.rows_now WHERE true
        ON CONFLICT DO UPDATE SET figures = excluded.figures WHERE figures <> excluded.figures`,
    )
    .run(exportedId);
  sqlite.exec("DROP TABLE temp.rows_now");
}
