import { lt, min } from "drizzle-orm";
import { deleteUnusedCallers } from "../../warehouse/calls/callers.ts";
import { LOG_TRIGGERS, readFactLog, startFactLog, trimFactLog } from "../../warehouse/calls/fact-log.ts";
import { readUnsettled } from "../../warehouse/calls/first-load.ts";
import { type Tx, writeTransaction } from "../../warehouse/transaction.ts";
import type { Warehouse } from "../../warehouse/warehouse.ts";
import type { TriggerFamily } from "../feature.ts";
import { exported_rollups } from "./exported-rollups.ts";

export const LOGGED: TriggerFamily = { family: LOG_TRIGGERS, needed: "exported_rollups" };

/** Starts logging changes of facts, unless already started; returns the id of the log. */
export function beginFactLog(warehouse: Warehouse): number {
  const begin = (tx: Tx) => {
    // Changes made while nothing was logged are unknown.
    tx.db.delete(exported_rollups).run();
    return startFactLog(tx);
  };
  return readFactLog(warehouse) ?? writeTransaction(warehouse, (tx) => readFactLog(tx) ?? begin(tx));
}

export function trimFigureMemory(warehouse: Warehouse, nowMs: number): void {
  writeTransaction(warehouse, (tx) => pruneFactLog(tx, nowMs));
}

/** A rollup not written for this long is dropped, with the changes that would explain it. */
const MAX_DAYS = 400;

/** Drops rollups that are no longer written, and changes that explain no rollup; without rollups, stops logging. */
export function pruneFactLog(tx: Tx, nowMs: number): void {
  const time = new Date(nowMs - MAX_DAYS * 86_400_000).toISOString();
  tx.db.delete(exported_rollups).where(lt(exported_rollups.exported_at, time)).run();
  const first = tx.db
    .select({ change_id: min(exported_rollups.change_id) })
    .from(exported_rollups)
    .get();
  const trimmed = trimFactLog(tx, first?.change_id ?? undefined);
  // An export need not look through all callers.
  if (trimmed > 0 && readUnsettled(tx) === 0) deleteUnusedCallers(tx);
}
