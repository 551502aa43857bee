import { eq } from "drizzle-orm";
import type { ImportedFile, ImportLedger } from "../../intake/ledger.ts";
import { REVENUE } from "../../sources/sqlite/outcome-sums.ts";
import { logOutcomeChanges } from "../../warehouse/calls/fact-log.ts";
import { outcome_imports, outcomes } from "../../warehouse/outcomes.ts";
import type { Reader } from "../../warehouse/warehouse.ts";

export interface OutcomeImport extends ImportedFile {
  first_day: string | null;
  last_day: string | null;
  /** What it had. */
  jobs: number;
  matched: number;
  /** Null without amounts. */
  revenue_micros: bigint | null;
  currency: string | null;
}

const IMPORTS = `SELECT i.import_id AS number, imported_at, file, source, first_day, last_day, jobs, matched,
  coalesce(o.rows, 0) AS rows, iif(currency IS NULL, NULL, o.revenue) AS revenue, currency, replaced_by, removed_at
FROM outcome_imports AS i LEFT JOIN (SELECT import_id, count(*) AS rows, max(currency) AS currency,
    CAST(coalesce(${REVENUE}, 0) AS TEXT) AS revenue
  FROM outcomes GROUP BY import_id) AS o ON o.import_id = i.import_id
ORDER BY number DESC`;

/** Lists the imported files, latest first; jobs that were imported again belong to the later one. */
export function readOutcomeImports({ sqlite }: Reader): OutcomeImport[] {
  return sqlite
    .prepare<[], Omit<OutcomeImport, "revenue_micros"> & { revenue: string | null }>(IMPORTS)
    .all()
    .map(({ revenue, ...each }) => ({ ...each, revenue_micros: revenue === null ? null : BigInt(revenue) }));
}

export const OUTCOME_LEDGER: ImportLedger<OutcomeImport> = {
  command: "outcome",
  read: readOutcomeImports,
  remove: (tx, { number }, removed_at) => {
    const { db } = tx;
    logOutcomeChanges(tx, () => db.delete(outcomes).where(eq(outcomes.import_id, number)).run());
    db.update(outcome_imports).set({ removed_at }).where(eq(outcome_imports.import_id, number)).run();
  },
  hasLost: (earlier, { number }) =>
    earlier.rows < earlier.matched && (earlier.replaced_by ?? number) === number,
};
