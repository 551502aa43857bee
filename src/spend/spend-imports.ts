import { UsageError } from "../base/errors.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

export type SpendImport = ReturnType<typeof readImports>[number];

/** The number is that of its first row; a later import of all its days leaves no row of it. */
const IMPORTS = `SELECT min(spend_id) AS number, imported_at, file, source, count(DISTINCT day) AS days,
  min(day) AS first_day, max(day) AS last_day, count(*) AS rows, min(currency) AS currency,
  CAST(sum(cost_micros) AS TEXT) AS cost
FROM spend GROUP BY imported_at, file, source ORDER BY imported_at DESC, number DESC`;

interface ImportRow {
  number: number;
  imported_at: string;
  file: string;
  source: string;
  days: number;
  first_day: string;
  last_day: string;
  rows: number;
  currency: string;
  cost: string;
}

/** Lists the imported files, latest first, once for each source; days that were imported again belong to the later one. */
export function readImports({ sqlite }: Warehouse) {
  return sqlite
    .prepare<[], ImportRow>(IMPORTS)
    .all()
    .map(({ cost, ...each }) => ({ ...each, cost_micros: BigInt(cost) }));
}

/** @throws UsageError if no import has this number */
export function removeImport(warehouse: Warehouse, number: number): SpendImport {
  return writeTransaction(warehouse, () => {
    const found = readImports(warehouse).find((each) => each.number === number);
    if (found === undefined)
      throw new UsageError(`Cannot remove import ${number}: there is none of this number`, {
        hint: "calltally spend list shows them.",
      });
    warehouse.sqlite
      .prepare<[string, string, string]>(
        "DELETE FROM spend WHERE imported_at = ? AND file = ? AND source = ?",
      )
      .run(found.imported_at, found.file, found.source);
    return found;
  });
}
