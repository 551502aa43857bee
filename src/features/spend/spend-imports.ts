import { max } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ImportedFile } from "../../intake/ledger.ts";
import { about, describeTable } from "../../warehouse/described.ts";
import type { Tx } from "../../warehouse/transaction.ts";
import type { Reader } from "../../warehouse/warehouse.ts";

export const spend_imports = sqliteTable("spend_imports", {
  import_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the import."),
  imported_at: about(text().notNull(), "When it was imported, ISO 8601 UTC."),
  file: about(text().notNull(), "Name of the imported file.", "text"),
  source: about(text().notNull(), "Source of its rows, as in spend.", "text"),
  first_day: about(text().notNull(), "Earliest day of its rows, YYYY-MM-DD."),
  last_day: about(text().notNull(), "Latest day of its rows, YYYY-MM-DD."),
  rows: about(integer().notNull(), "How many rows it had; spend has the ones that are left."),
  cost_micros: about(integer().notNull(), "What they cost, in millionths of the currency."),
  currency: about(text().notNull(), "ISO 4217."),
  replaced_by: about(integer(), "The later import that took its last row; null while a row is left."),
  removed_at: about(text(), "When `spend remove` removed it, ISO 8601 UTC; null if it did not."),
});
export const SPEND_IMPORTS = describeTable(
  spend_imports,
  "Imports of spend, one row for each file and source; their rows are in spend, by imported_at, file and source.",
);

export type SpendImport = ReturnType<typeof readImports>[number];

/** Amounts are text, because a number may not hold their sums exactly. */
const IMPORTS = `SELECT import_id AS number, i.imported_at, i.file, i.source, first_day, last_day,
  count(spend_id) AS rows, CAST(coalesce(sum(spend.cost_micros), 0) AS TEXT) AS cost, i.currency,
  rows AS had_rows, CAST(i.cost_micros AS TEXT) AS had_cost, replaced_by, removed_at
FROM spend_imports AS i LEFT JOIN spend ON spend.day BETWEEN first_day AND last_day
  AND spend.source = i.source AND spend.file = i.file AND spend.imported_at = i.imported_at
GROUP BY import_id ORDER BY import_id DESC`;

interface ImportRow extends ImportedFile {
  first_day: string;
  last_day: string;
  cost: string;
  currency: string;
  /** What it had. */
  had_rows: number;
  had_cost: string;
}

/** Lists the imported files, latest first, once for each source; days that were imported again belong to the later one. */
export function readImports({ sqlite }: Reader) {
  return sqlite
    .prepare<[], ImportRow>(IMPORTS)
    .all()
    .map(({ cost, had_cost, ...each }) => ({
      ...each,
      cost_micros: BigInt(cost),
      had_cost_micros: BigInt(had_cost),
    }));
}

const RECORD = `INSERT INTO spend_imports (imported_at, file, source, first_day, last_day, rows, cost_micros, currency)
SELECT imported_at, file, source, min(day), max(day), count(*), sum(cost_micros), min(currency)
FROM spend WHERE spend_id > ? GROUP BY file, source ORDER BY min(spend_id)`;

const MARK_REPLACED = `UPDATE spend_imports AS old SET replaced_by = (SELECT min(import_id) FROM spend_imports AS new
    WHERE new.import_id > @last AND new.source = old.source)
WHERE import_id <= @last AND replaced_by IS NULL AND removed_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM spend WHERE spend.day BETWEEN first_day AND last_day
    AND spend.source = old.source AND spend.file = old.file AND spend.imported_at = old.imported_at)`;

/** Records what was imported, and which imports it replaced. @param after the last row of spend before it */
export function recordImports({ db, sqlite }: Tx, after: number): void {
  const { last } =
    db
      .select({ last: max(spend_imports.import_id) })
      .from(spend_imports)
      .get() ?? {};
  sqlite.prepare<[number]>(RECORD).run(after);
  sqlite.prepare<{ last: unknown }>(MARK_REPLACED).run({ last: last ?? 0 });
}
