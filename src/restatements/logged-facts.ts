import { readFactLog, startFactLog, trimFactLog } from "../warehouse/calls/fact-log.ts";
import { type Tx, writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { forgetRollupsBefore, readEarliestChange } from "./exported-rollups.ts";

/** Begins to log changes of facts, unless they are logged already; returns the number of the log. */
export function beginFactLog(warehouse: Warehouse): number {
  const known = readFactLog(warehouse);
  if (known !== undefined) return known;
  return writeTransaction(warehouse, (tx) => {
    const another = readFactLog(tx);
    if (another !== undefined) return another;
    // What changed while nothing was logged is not known.
    forgetRollupsBefore(tx);
    return startFactLog(tx);
  });
}

/** A rollup that is not written again for so long is forgotten, and with it what would explain it. */
const MOST_DAYS = 400;

/** Forgets rollups that nobody writes any more, and changes that explain no rollup; without rollups, it stops logging. */
export function pruneFactLog(tx: Tx, nowMs: number): void {
  forgetRollupsBefore(tx, new Date(nowMs - MOST_DAYS * 86_400_000).toISOString());
  trimFactLog(tx, readEarliestChange(tx));
}
