import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { CalltallyError, EXIT } from "../errors.ts";
import { type ApplyRulesOptions, applyRules, needsAttribution } from "../warehouse/attribute-all.ts";
import { nameFile } from "../warehouse/errors.ts";
import { takeLock } from "../warehouse/lock.ts";
import type { Warehouse } from "../warehouse/open.ts";

/**
 * Makes the facts of all calls anew where the rules are others than those they stand on, with no sync beside it. Returns
 * how many calls that were.
 *
 * @throws CalltallyError (exit 6) where a sync is under way
 */
export async function applyRulesAlone(
  warehouse: Warehouse,
  rules: AttributionRules,
  options: ApplyRulesOptions,
): Promise<number | undefined> {
  try {
    if (!needsAttribution(warehouse, rules)) return await applyRules(warehouse, rules, options);
    using lock = takeLock(warehouse.path);
    if (lock === undefined) throw lockedError(warehouse.path);
    return await applyRules(warehouse, rules, options);
  } catch (error) {
    throw nameFile(error, warehouse.path);
  }
}

function lockedError(database: string): CalltallyError {
  return new CalltallyError(
    EXIT.locked,
    `Cannot attribute the calls in ${database} by the rules that are set now: it is being synced`,
    { hint: "Wait for the sync to end: it applies the rules too, if it has the same settings." },
  );
}
