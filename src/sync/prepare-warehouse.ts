import { ageOf, type Clock } from "../base/clock.ts";
import { CalltallyError } from "../base/errors.ts";
import { cutoffsAt, isAllKept, KEEP_ALL, type Keep, withDigests } from "../calls/privacy/keep-settings.ts";
import { applyRules, attributeAgain } from "../warehouse/attribution/apply-rules.ts";
import { Keeping } from "../warehouse/calls/call-guard.ts";
import { hasAllFacts } from "../warehouse/calls/call-table.ts";
import { readRulesInForce } from "../warehouse/calls/rules.ts";
import { refreshZone } from "../warehouse/calls/zone-view.ts";
import { eraseFreed, overwriteDeleted } from "../warehouse/erase.ts";
import type { LockedWarehouse } from "../warehouse/file/lock.ts";
import { assertOrigin } from "../warehouse/origin.ts";
import { readErasure } from "../warehouse/privacy-act-table.ts";
import { checkFile, type FileCheck } from "./check-file.ts";
import type { Claim } from "./claim-warehouse.ts";
import { hasAny, prune } from "./prune.ts";
import type { SyncOptions } from "./sync-options.ts";

const DAY_MS = 86_400_000;

export interface PreparedWarehouse {
  warehouse: LockedWarehouse;
  claim: Claim;
  fileCheck: FileCheck;
  keeping: Keeping;
}

/**
 * Asserts that a warehouse belongs to this service and is not damaged, applies the attribution rules, and removes data past
 * its retention. Sends no request, so that data is removed even if the service cannot be reached.
 */
export async function prepareWarehouse(
  warehouse: LockedWarehouse,
  options: SyncOptions & { clock: Clock },
): Promise<PreparedWarehouse> {
  const { clock, keep = KEEP_ALL } = options;
  const claim = { ...options.api, isRebound: options.rebind ?? false };
  assertOrigin(warehouse, claim, claim.isRebound);
  const fileCheck = await checkFile(warehouse, options);
  const rules = withDigests(options.rules ?? readRulesInForce(warehouse).rules, keep);
  const attribution = { ...options, nowMs: clock.now() };
  // Facts that another program deleted are restored only with the check of the whole file, which is rare.
  if (fileCheck !== undefined && !hasAllFacts(warehouse)) await attributeAgain(warehouse, rules, attribution);
  else await applyRules(warehouse, rules, attribution);
  if (options.timezone !== undefined) refreshZone(warehouse, options.timezone);
  const keeping = await startKeeping(warehouse, keep, { ...options, nowMs: clock.now() });
  return { warehouse, claim, fileCheck, keeping };
}

type PruneOptions = Pick<SyncOptions, "signal" | "onPruned" | "onNotErased"> & { nowMs: number };

/** Removes data past its retention, and returns what may be kept of the calls of this run. */
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

/** Rewrites the file at most once a day, since that takes seconds per gigabyte. A reader that prevents it is no error. */
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
