import { and, eq, getTableColumns, max, sql } from "drizzle-orm";
import { namesOf, recordOf } from "../../base/records.ts";
import { assertOneCurrency, readCurrency, unknownCurrency } from "../../intake/one-currency.ts";
import { spend } from "../../warehouse/spend.ts";
import { writeTransaction } from "../../warehouse/transaction.ts";
import type { Reader, Warehouse } from "../../warehouse/warehouse.ts";
import { recordImports } from "./spend-imports.ts";
import type { SpendRow } from "./spend-row.ts";

export interface SpendFile {
  file: string;
  rows: readonly SpendRow[];
}

export interface ImportSpendOptions {
  currency: string | undefined;
  /** The currency of rows that name none. */
  named: string | undefined;
  /** ISO 8601 UTC. */
  importedAt: string;
}

export type ImportedSpend = ReturnType<typeof importSpend>;

const CACHE_KIB = 65_536;

const { spend_id: _, ...imported } = getTableColumns(spend);

/** Replaces the spend of the imported days and sources, all or none. @throws UsageError for a second currency, or none */
export function importSpend(
  warehouse: Warehouse,
  files: readonly SpendFile[],
  { importedAt, ...currencies }: ImportSpendOptions,
) {
  const { db, sqlite } = warehouse;
  const { campaign, campaign_id, cost_micros } = spend;
  const remove = db
    .delete(spend)
    .where(and(eq(spend.day, sql.placeholder("day")), eq(spend.source, sql.placeholder("source"))))
    .returning({ campaign, campaign_id, cost_micros })
    .prepare();
  const insert = db
    .insert(spend)
    .values(recordOf(namesOf(imported), (name) => sql.placeholder(name)))
    .prepare();
  // With SQLite's default of 2 MB a large import is written to the log several times.
  sqlite.pragma(`cache_size = ${-CACHE_KIB}`);
  const bySource = Map.groupBy(
    files.flatMap(({ rows }) => rows),
    ({ source }) => source,
  );
  return writeTransaction(warehouse, (tx) => {
    const { last } =
      db
        .select({ last: max(spend.spend_id) })
        .from(spend)
        .get() ?? {};
    const sources = [...bySource].map(([source, rows]) => {
      const days = [...new Set(rows.map(({ day }) => day))].sort();
      return {
        source,
        days: days.length,
        first_day: days[0] ?? "",
        last_day: days.at(-1) ?? "",
        ...addUp(rows),
        /** Of earlier imports. */
        replaced: addUp(days.flatMap((day) => remove.all({ day, source }))),
      };
    });
    // Checked after deletion, so that an import in the wrong currency can be replaced as a whole.
    const currency = decideCurrency(warehouse, files, currencies);
    for (const { file, rows } of files) {
      // By day, so that rows replaced together are stored together.
      for (const { line: _, ...row } of rows.toSorted(byDay))
        insert.run({ ...row, currency, file, imported_at: importedAt });
    }
    recordImports(tx, last ?? 0);
    return { currency, sources };
  });
}

type Spent = Pick<SpendRow, "campaign" | "campaign_id" | "cost_micros">;

function addUp(rows: readonly Spent[]) {
  return {
    rows: rows.length,
    cost_micros: rows.reduce((sum, { cost_micros }) => sum + BigInt(cost_micros), 0n),
    /** Names, or ids of those without one; null for rows of none. */
    campaigns: [...new Set(rows.map(({ campaign, campaign_id }) => campaign ?? campaign_id))],
  };
}

const byDay = (a: SpendRow, b: SpendRow) => (a.day === b.day ? 0 : a.day < b.day ? -1 : 1);

function decideCurrency(
  warehouse: Reader,
  files: readonly SpendFile[],
  { currency: set, named }: Omit<ImportSpendOptions, "importedAt">,
): string | null {
  const currency = assertOneCurrency("spend", [
    { currency: set, place: "the setting currency" },
    { currency: readCurrency(warehouse), place: "the warehouse" },
    { currency: named, place: "--currency" },
    ...files.flatMap(({ file, rows }) =>
      rows.map(({ currency, line }) => ({ currency, place: `${file}, line ${line}` })),
    ),
  ]);
  if (currency === null && files.some(({ rows }) => rows.length > 0)) throw unknownCurrency("spend");
  return currency;
}
