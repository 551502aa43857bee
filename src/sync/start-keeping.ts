import { ageOf } from "../base/clock.ts";
import { CalltallyError } from "../base/errors.ts";
import { hasAny, prune } from "../forget/prune.ts";
import { cutoffsAt, isAllKept, type Keep } from "../privacy/keep-settings.ts";
import { Keeping } from "../warehouse/calls/call-guard.ts";
import { eraseFreed, overwriteDeleted } from "../warehouse/erase.ts";
import type { LockedWarehouse } from "../warehouse/lock.ts";
import { readErasure } from "../warehouse/privacy-act-table.ts";
import type { SyncOptions } from "./sync-options.ts";

const DAY_MS = 86_400_000;

type PruneOptions = Pick<SyncOptions, "signal" | "onPruned" | "onNotErased"> & { nowMs: number };

/** Removes what is past its days, and returns what may be kept of the calls of this run. */
export async function startKeeping(
  warehouse: LockedWarehouse,
  keep: Keep,
  { nowMs, signal, onPruned, onNotErased }: PruneOptions,
): Promise<Keeping> {
  const cutoffs = cutoffsAt(keep, nowMs);
  if (!isAllKept(keep)) overwriteDeleted(warehouse);
  const counts = await prune(warehouse, { cutoffs, nowMs, signal });
  if (hasAny(counts)) onPruned?.(counts);
  eraseDaily(warehouse, nowMs, onNotErased);
  return new Keeping(warehouse, cutoffs, nowMs);
}

/** Rewriting the whole file takes seconds per gigabyte: once a day is enough. A reader that prevents it is no failure. */
function eraseDaily(
  warehouse: LockedWarehouse,
  nowMs: number,
  onNotErased: SyncOptions["onNotErased"],
): void {
  const { isDue, last } = readErasure(warehouse);
  if (!isDue || ageOf(last, nowMs) < DAY_MS) return;
  try {
    eraseFreed(warehouse, nowMs);
  } catch (error) {
    if (!(error instanceof CalltallyError)) throw error;
    onNotErased?.(error);
  }
}
