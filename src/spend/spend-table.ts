import { UsageError } from "../base/errors.ts";
import { placeholders, prepareWrite } from "../warehouse/positional.ts";
import { spend } from "../warehouse/schema.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { SpendRow } from "./read-report.ts";

/** The rows of one file. */
export interface SpendFile {
  file: string;
  rows: readonly SpendRow[];
}

export interface ImportSpendOptions {
  /** The account's currency, as the settings have it. */
  currency: string | undefined;
  /** What rows are in that name none. */
  named: string | undefined;
  /** ISO 8601 UTC. */
  importedAt: string;
}

/** What became of an import. */
export interface ImportedSpend {
  currency: string | null;
  sources: ImportedSource[];
}

export interface ImportedSource {
  source: string;
  days: number;
  first_day: string;
  last_day: string;
  rows: number;
  cost_micros: bigint;
  /** Rows of earlier imports that gave way. */
  replaced_rows: number;
}

const CACHE_KIB = 65_536;

const COLUMNS = [
  "day",
  "source",
  "medium",
  "campaign",
  "campaign_id",
  "cost_micros",
  "currency",
  "clicks",
  "impressions",
  "file",
  "imported_at",
] as const;

/**
 * Puts the rows of some files in the place of those that the same days of the same sources had, all or none.
 *
 * @throws UsageError for a row in another currency than the account's, and where nobody names one
 */
export function importSpend(
  warehouse: Warehouse,
  files: readonly SpendFile[],
  { importedAt, ...given }: ImportSpendOptions,
): ImportedSpend {
  const { sqlite, db } = warehouse;
  const remove = sqlite.prepare<[string, string]>("DELETE FROM spend WHERE day = ? AND source = ?");
  const insert = prepareWrite(sqlite, db.insert(spend).values(placeholders(COLUMNS)));
  // With SQLite's own 2 MB a large import is written to the log several times over.
  sqlite.pragma(`cache_size = ${-CACHE_KIB}`);
  const sources = new Map<string, ImportedSource & { known: Set<string> }>();
  return writeTransaction(warehouse, () => {
    for (const { day, source, cost_micros } of files.flatMap(({ rows }) => rows)) {
      const sums = sources.get(source) ?? emptySource(source, day);
      sources.set(source, sums);
      sums.rows++;
      sums.cost_micros += BigInt(cost_micros);
      if (day < sums.first_day) sums.first_day = day;
      if (day > sums.last_day) sums.last_day = day;
      if (sums.known.has(day)) continue;
      sums.known.add(day);
      sums.days++;
      sums.replaced_rows += remove.run(day, source).changes;
    }
    // Of what is left: an import in the wrong currency can be replaced as a whole.
    const currency = decideCurrency(warehouse, files, given);
    for (const { file, rows } of files) {
      // By day, so that what is replaced together lies together.
      for (const { line: _, ...row } of rows.toSorted(byDay))
        insert({ ...row, currency, file, imported_at: importedAt });
    }
    return { currency, sources: [...sources.values()].map(({ known: _, ...source }) => source) };
  });
}

const byDay = (a: SpendRow, b: SpendRow) => (a.day === b.day ? 0 : a.day < b.day ? -1 : 1);

function emptySource(source: string, day: string) {
  return {
    source,
    days: 0,
    first_day: day,
    last_day: day,
    rows: 0,
    cost_micros: 0n,
    replaced_rows: 0,
    known: new Set<string>(),
  };
}

function decideCurrency(
  { sqlite }: Warehouse,
  files: readonly SpendFile[],
  { currency: set, named }: Omit<ImportSpendOptions, "importedAt">,
): string | null {
  const stored = sqlite.prepare<[], string>("SELECT currency FROM spend LIMIT 1").pluck().get();
  const places = [
    ...(set === undefined ? [] : [{ currency: set, place: "CALLTALLY_CURRENCY" }]),
    ...(stored === undefined ? [] : [{ currency: stored, place: "the spend in the warehouse" }]),
    ...(named === undefined ? [] : [{ currency: named, place: "--currency" }]),
  ];
  for (const { file, rows } of files) {
    for (const { currency, line } of rows) {
      if (currency !== null && currency !== places[0]?.currency)
        places.push({ currency, place: `${file}, line ${line}` });
    }
  }
  const [first] = places;
  const other = places.find(({ currency }) => currency !== first?.currency);
  if (first !== undefined && other !== undefined) {
    throw new UsageError(
      `Cannot import spend in two currencies: ${first.place} is in ${first.currency}, and ${other.place} in ${other.currency}`,
      {
        hint: "Nothing was imported. An account has one currency: convert the report, or keep another account for it.",
      },
    );
  }
  if (first === undefined && files.some(({ rows }) => rows.length > 0)) {
    throw new UsageError("Cannot import spend: nothing says its currency", {
      hint: "Give --currency, such as --currency USD, or set CALLTALLY_CURRENCY.",
    });
  }
  return first?.currency ?? null;
}

/** Whether any spend was ever imported. */
export function hasSpend({ sqlite }: Warehouse): boolean {
  return sqlite.prepare("SELECT 1 FROM spend LIMIT 1").get() !== undefined;
}
