import { UsageError } from "../../base/errors.ts";
import { describeMissing } from "../../spend/spend-imports.ts";
import { logOutcomeChanges } from "../../warehouse/calls/fact-log.ts";
import { writeTransaction } from "../../warehouse/transaction.ts";
import type { Reader, Warehouse } from "../../warehouse/warehouse.ts";

export interface OutcomeImport {
  number: number;
  imported_at: string;
  file: string;
  source: string;
  first_day: string | null;
  last_day: string | null;
  /** What it had. */
  jobs: number;
  matched: number;
  /** What is left. */
  rows: number;
  /** Null without amounts. */
  revenue_micros: bigint | null;
  currency: string | null;
  /** The import that took its last row. */
  replaced_by: number | null;
  removed_at: string | null;
}

const IMPORTS = `SELECT i.import_id AS number, imported_at, file, source, first_day, last_day, jobs, matched,
  coalesce(o.rows, 0) AS rows, iif(currency IS NULL, NULL, o.revenue) AS revenue, currency, replaced_by, removed_at
FROM outcome_imports AS i LEFT JOIN (SELECT import_id, count(*) AS rows, max(currency) AS currency,
    CAST(coalesce(sum(amount_micros) FILTER (WHERE stage = 'sold'), 0) AS TEXT) AS revenue
  FROM outcomes GROUP BY import_id) AS o ON o.import_id = i.import_id
ORDER BY number DESC`;

/** Lists the imported files, latest first; jobs that were imported again belong to the later one. */
export function readOutcomeImports({ sqlite }: Reader): OutcomeImport[] {
  return sqlite
    .prepare<[], Omit<OutcomeImport, "revenue_micros"> & { revenue: string | null }>(IMPORTS)
    .all()
    .map(({ revenue, ...each }) => ({ ...each, revenue_micros: revenue === null ? null : BigInt(revenue) }));
}

/**
 * @returns the import with what was removed, and the earlier ones of its source whose jobs it had replaced
 * @throws UsageError if no import has this number, or none of its jobs is left
 */
export function removeOutcomeImport(warehouse: Warehouse, number: number, removedAt: string) {
  return writeTransaction(warehouse, (tx) => {
    const { sqlite } = tx;
    const all = readOutcomeImports(warehouse);
    const removed = all.find((each) => each.number === number);
    const why = describeMissing(removed);
    if (removed === undefined || why !== undefined)
      throw new UsageError(`Cannot remove import ${number}: ${why}`, {
        hint: "calltally outcome list shows all.",
      });
    logOutcomeChanges(tx, () =>
      sqlite.prepare<[number]>("DELETE FROM outcomes WHERE import_id = ?").run(number),
    );
    sqlite
      .prepare<[string, number]>("UPDATE outcome_imports SET removed_at = ? WHERE import_id = ?")
      .run(removedAt, number);
    const lost = all.filter(
      (each) =>
        each.number < number &&
        each.source === removed.source &&
        each.rows < each.matched &&
        (each.replaced_by ?? number) === number &&
        each.removed_at === null,
    );
    return { removed, lost };
  });
}
