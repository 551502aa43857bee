import { isLoggedSince } from "../warehouse/calls/fact-log.ts";
import type { Tx } from "../warehouse/transaction.ts";
import { type ExportedRollup, forgetRollup, type RollupPlace, upsertRollup } from "./exported-rollups.ts";
import { type ExportedRow, replaceRows } from "./exported-rows.ts";
import { pruneFactLog } from "./logged-facts.ts";

/** What is remembered of a rollup: its rows are undefined where it is not to be compared with. */
export interface RollupToRemember extends RollupPlace {
  rollup: Omit<ExportedRollup, "exported_id" | "exported_at" | keyof RollupPlace> | undefined;
  rows: Iterable<ExportedRow>;
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
    else
      replaceRows(warehouse, upsertRollup(warehouse, { ...place, ...rollup, exported_at: exportedAt }), rows);
  }
  pruneFactLog(warehouse, Date.parse(exportedAt));
}
