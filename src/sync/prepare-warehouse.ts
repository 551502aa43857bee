import { ageOf, type Clock } from "../base/clock.ts";
import { CalltallyError } from "../base/errors.ts";
import { hasAny, prune } from "../forget/prune.ts";
import { cutoffsAt, isAllKept, KEEP_ALL, type Keep, withDigests } from "../privacy/keep-settings.ts";
import { applyRules, attributeAnew } from "../warehouse/attribution/apply-rules.ts";
import { Keeping } from "../warehouse/calls/call-guard.ts";
import { hasAllFacts } from "../warehouse/calls/call-table.ts";
import { readRulesInForce } from "../warehouse/calls/rules.ts";
import { eraseFreed, overwriteDeleted } from "../warehouse/erase.ts";
import type { LockedWarehouse } from "../warehouse/lock.ts";
import { assertOrigin } from "../warehouse/origin.ts";
import { readErasure } from "../warehouse/privacy-act-table.ts";
import { checkFile } from "./check-file.ts";
import type { Claim } from "./claim-warehouse.ts";
import type { SyncOptions } from "./sync-options.ts";

const DAY_MS = 86_400_000;

export interface PreparedWarehouse {
  warehouse: LockedWarehouse;
  claim: Claim;
  /** When the whole file was checked for damage, if it was before this run; ISO 8601 UTC. */
  fileCheckedAt: string | undefined;
  keeping: Keeping;
}

/**
 * Asserts that a warehouse is of this service and not damaged, applies the attribution rules, and removes what may no
 * longer be kept. Sends no request: what is past its days is removed even if the service cannot be reached.
 */
export async function prepareWarehouse(
  warehouse: LockedWarehouse,
  options: SyncOptions & { clock: Clock },
): Promise<PreparedWarehouse> {
  const { clock, checkEveryHours, keep = KEEP_ALL } = options;
  const claim = { ...options.api, isRebound: options.rebind ?? false };
  assertOrigin(warehouse, claim, claim.isRebound);
  const fileCheckedAt = checkFile(warehouse, { clock, checkEveryHours });
  const rules = withDigests(options.rules ?? readRulesInForce(warehouse).rules, keep);
  const attribution = { ...options, nowMs: clock.now() };
  // Only with the check of the whole file: facts that another program deleted would never come back by themselves.
  if (fileCheckedAt !== undefined && !hasAllFacts(warehouse))
    await attributeAnew(warehouse, rules, attribution);
  else await applyRules(warehouse, rules, attribution);
  const keeping = await startKeeping(warehouse, keep, { ...options, nowMs: clock.now() });
  return { warehouse, claim, fileCheckedAt, keeping };
}

type PruneOptions = Pick<SyncOptions, "signal" | "onPruned" | "onNotErased"> & { nowMs: number };

/** Removes what is past its days, and returns what may be kept of the calls of this run. */
async function startKeeping(
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
