import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "../warehouse/described.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { type ExportedRollup, exported_rollups } from "./exported-rollups.ts";

const columns = {
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

export const exported_rows = sqliteTable("exported_rows", columns, (table) => [
  primaryKey({ columns: [table.exported_id, table.period, table.key] }),
]);
export const EXPORTED_ROWS = describeTable(
  exported_rows,
  "The rows of periods that were complete in the last export of each rollup in `exported_rollups`.",
  columns,
);

/** A row of a complete period; key and figures as JSON arrays. */
export type ExportedRow = [period: string, key: string, figures: string];

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

/** Writes only the rows of a rollup that changed: in an hourly export, few do. */
export function replaceRows(
  { sqlite }: Pick<Warehouse, "sqlite">,
  exportedId: number,
  rows: Iterable<ExportedRow>,
): void {
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
