import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { CalltallyError, EXIT } from "../errors.ts";
import { type ApplyRulesOptions, applyRules, needsAttribution } from "../warehouse/attribute-all.ts";
import { readUnsettled, settleCallers } from "../warehouse/first-load.ts";
import { tryAcquireLock } from "../warehouse/lock.ts";
import type { Warehouse } from "../warehouse/open.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import { writeTransaction } from "../warehouse/transaction.ts";

/**
 * Makes the facts of all calls anew where the rules are others than those they stand on, with no sync beside it; and
 * settles the callers of a first load that was cut short.
 *
 * @throws CalltallyError (exit 6) where a sync is under way
 */
export async function applyRulesAlone(
  warehouse: Warehouse,
  rules: AttributionRules,
  options: ApplyRulesOptions,
): Promise<void> {
  try {
    const isOther = needsAttribution(warehouse, rules);
    const isUnsettled = readUnsettled(warehouse) > 0;
    using lock = isOther || isUnsettled ? tryAcquireLock(warehouse.path) : undefined;
    if (isOther && lock === undefined) throw lockedError(warehouse.path);
    // A first load that is under way settles its callers itself; one that was cut short could not.
    if (isUnsettled && lock !== undefined) writeTransaction(warehouse, () => settleCallers(warehouse));
    await applyRules(warehouse, rules, options);
  } catch (error) {
    throw nameFile(error, warehouse.path);
  }
}

function lockedError(database: string): CalltallyError {
  return new CalltallyError(
    EXIT.locked,
    `Cannot apply the current attribution rules to ${database}: it is being synced`,
    { hint: "Wait for the sync to end: it applies the rules too, if it has the same settings." },
  );
}
