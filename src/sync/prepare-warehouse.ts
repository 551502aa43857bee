import type { Clock } from "../base/clock.ts";
import { KEEP_ALL, withDigests } from "../privacy/keep-settings.ts";
import { applyRules, attributeAnew } from "../warehouse/attribution/apply-rules.ts";
import type { Keeping } from "../warehouse/calls/call-guard.ts";
import { hasAllFacts } from "../warehouse/calls/call-table.ts";
import { readRulesInForce } from "../warehouse/calls/rules.ts";
import type { LockedWarehouse } from "../warehouse/lock.ts";
import { assertOrigin } from "../warehouse/origin.ts";
import { checkFile } from "./check-file.ts";
import type { Claim } from "./claim-warehouse.ts";
import { startKeeping } from "./start-keeping.ts";
import type { SyncOptions } from "./sync-options.ts";

/** A warehouse that a run may write calls into. */
export interface PreparedWarehouse {
  warehouse: LockedWarehouse;
  /** The service that the calls are read from. */
  claim: Claim;
  /** When the whole file was checked for damage, if it was before this run; ISO 8601 UTC. */
  fileCheckedAt: string | undefined;
  /** What may be kept of the calls. */
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
