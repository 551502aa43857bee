import { lt } from "drizzle-orm";
import { readFactLog, startFactLog, trimFactLog } from "../warehouse/calls/fact-log.ts";
import { type Tx, writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { exported_rollups } from "./exported-rollups.ts";

/** Begins to log changes of facts, unless they are logged already; returns the number of the log. */
export function beginFactLog(warehouse: Warehouse): number {
  const begin = (tx: Tx) => {
    // What changed while nothing was logged is not known.
    tx.db.delete(exported_rollups).run();
    return startFactLog(tx);
  };
  return readFactLog(warehouse) ?? writeTransaction(warehouse, (tx) => readFactLog(tx) ?? begin(tx));
}

/** A rollup that is not written again for so long is forgotten, and with it what would explain it. */
const MOST_DAYS = 400;

/** Forgets rollups that nobody writes any more, and changes that explain no rollup; without rollups, it stops logging. */
export function pruneFactLog(tx: Tx, nowMs: number): void {
  const time = new Date(nowMs - MOST_DAYS * 86_400_000).toISOString();
  tx.db.delete(exported_rollups).where(lt(exported_rollups.exported_at, time)).run();
  const readFirst = tx.sqlite.prepare<[], number | null>("SELECT min(change_id) FROM exported_rollups");
  trimFactLog(tx, readFirst.pluck().get() ?? undefined);
}
