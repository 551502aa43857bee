import { sep } from "node:path";
import { and, eq } from "drizzle-orm";
import { isLoggedSince, pruneFactLog } from "../warehouse/calls/fact-log.ts";
import { exported_rollups } from "../warehouse/schema.ts";
import type { Tx } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

export type ExportedRollup = typeof exported_rollups.$inferSelect;

/** A rollup that was written, by the file that it is in. */
export interface RollupPlace {
  /** Absolute path. */
  path: string;
  /** The dimensions, separated by commas. */
  contents: string;
}

/** A row of a complete period; key and figures as JSON arrays. */
export type ExportedRow = [period: string, key: string, figures: string];

/** What is remembered of a rollup: its rows are undefined where it is not to be compared with. */
export interface RollupToRemember extends RollupPlace {
  rollup: Omit<ExportedRollup, "exported_id" | "exported_at" | keyof RollupPlace> | undefined;
  rows: Iterable<ExportedRow>;
}

/** Returns what is remembered of a rollup; undefined where it was not written yet, or is forgotten. */
export function readExportedRollup(
  { db }: Pick<Warehouse, "db">,
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

/** Reads the rows of a rollup that is remembered. */
export function iterateExportedRows(
  { sqlite }: Pick<Warehouse, "sqlite">,
  { exported_id }: Pick<ExportedRollup, "exported_id">,
): Iterable<ExportedRow> {
  return sqlite
    .prepare<[number], ExportedRow>("SELECT period, key, figures FROM exported_rows WHERE exported_id = ?")
    .raw()
    .iterate(exported_id);
}

/**
 * Remembers rollups that were written, in the place of what the same files held before.
 *
 * @param log number of the log of facts from before the figures were made: of another log something may be missing, as it is
 *   where another export has let go of changes meanwhile, and they are not remembered
 */
export function rememberRollups(
  warehouse: Tx,
  rollups: readonly RollupToRemember[],
  { log, exportedAt }: { log: number | undefined; exportedAt: string },
): void {
  for (const { path, contents, rollup, rows } of rollups) {
    const place = { path, contents };
    const isLogged =
      rollup !== undefined &&
      log !== undefined &&
      isLoggedSince(warehouse, { log, changeId: rollup.change_id });
    if (!isLogged) forgetRollup(warehouse, place);
    else rememberRollup(warehouse, { ...place, ...rollup, exported_at: exportedAt }, rows);
  }
  pruneFactLog(warehouse, Date.parse(exportedAt));
}

function forgetRollup({ db }: Tx, { path, contents }: RollupPlace): void {
  db.delete(exported_rollups)
    .where(and(eq(exported_rollups.path, path), eq(exported_rollups.contents, contents)))
    .run();
}

/** Writes those rows alone that are others than before: of an hourly export, few are. */
function rememberRollup(
  { db, sqlite }: Tx,
  rollup: Omit<ExportedRollup, "exported_id">,
  rows: Iterable<ExportedRow>,
): void {
  const { exported_id } = db
    .insert(exported_rollups)
    .values(rollup)
    .onConflictDoUpdate({ target: [exported_rollups.path, exported_rollups.contents], set: rollup })
    .returning({ exported_id: exported_rollups.exported_id })
    .get();
  sqlite.exec("CREATE TEMP TABLE rows_now (period, key, figures, PRIMARY KEY (period, key)) WITHOUT ROWID");
  const insert = sqlite.prepare<[ExportedRow]>("INSERT INTO temp.rows_now VALUES (?, ?, ?)");
  for (const row of rows) insert.run(row);
  sqlite
    .prepare(
      `DELETE FROM exported_rows WHERE exported_id = ? AND NOT EXISTS (
        SELECT 1 FROM temp.rows_now AS n WHERE n.period = exported_rows.period AND n.key = exported_rows.key)`,
    )
    .run(exported_id);
  sqlite
    .prepare(
      `INSERT INTO exported_rows (exported_id, period, key, figures)
        SELECT ?, period, key, figures FROM temp.rows_now WHERE true
        ON CONFLICT DO UPDATE SET figures = excluded.figures WHERE figures <> excluded.figures`,
    )
    .run(exported_id);
  sqlite.exec("DROP TABLE temp.rows_now");
}
