import type { AttributionRules } from "../../attribution/attribution-rules.ts";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { readUnsettled, settleCallers } from "../calls/first-load.ts";
import { tryAcquireLock, underLock } from "../lock.ts";
import { nameFile } from "../sqlite-errors.ts";
import { writeTransaction } from "../transaction.ts";
import type { Warehouse } from "../warehouse.ts";
import { type AttributionOptions, applyRules, needsAttribution, refreshViews } from "./apply-rules.ts";

/**
 * Recomputes the facts of all calls if they follow other rules than these, under the lock, and settles the callers of a
 * first load that was cut short.
 *
 * @throws CalltallyError (exit 6) if they follow other rules and a sync is running
 * @throws CalltallyError (exit 7) if they follow other rules and the warehouse is read-only
 */
export async function applyRulesAlone(
  warehouse: Warehouse,
  rules: AttributionRules,
  options: AttributionOptions,
): Promise<void> {
  try {
    if (warehouse.sqlite.readonly) {
      if (needsAttribution(warehouse, rules)) throw unappliedError(warehouse.path);
      return;
    }
    if (!needsAttribution(warehouse, rules) && readUnsettled(warehouse) === 0) {
      refreshViews(warehouse, rules);
      return;
    }
    using lock = tryAcquireLock(warehouse.path);
    if (lock !== undefined) {
      // Those of a first load that was cut short; one under way settles them itself.
      if (readUnsettled(warehouse) > 0) writeTransaction(warehouse, settleCallers);
      await applyRules(underLock(warehouse, lock), rules, options);
    } else if (needsAttribution(warehouse, rules)) {
      throw otherRulesError(warehouse.path);
    }
  } catch (error) {
    throw nameFile(error, warehouse.path);
  }
}

function unappliedError(database: string): CalltallyError {
  return new CalltallyError(
    EXIT.storage,
    `Cannot apply the settings for attribution to ${database}: this user may only read it, and its figures follow others`,
    {
      hint: "Use the settings that it was made with, the last row of its table rules; or let its owner run `calltally sync` with these.",
    },
  );
}

export function otherRulesError(database: string): CalltallyError {
  return new CalltallyError(
    EXIT.locked,
    `Cannot apply the settings for attribution to ${database}: another process is syncing it, or applying its own`,
    { hint: "Wait for it to end, and run this again; give all of them the same settings." },
  );
}
