import type { AttributionRules } from "../attribution/attribution-rules.ts";
import type { CallFilter } from "../rollup/call-filter.ts";
import { RollupSession } from "../rollup/session.ts";
import { hasSpend } from "../spend/spend-table.ts";
import { otherRulesError } from "../warehouse/attribution/apply-rules.ts";
import { countCalls } from "../warehouse/calls/call-table.ts";
import { prepareCallerName } from "../warehouse/calls/caller-hash.ts";
import { isInForce, readRulesInForce } from "../warehouse/calls/rules.ts";
import { openReader } from "../warehouse/open.ts";
import { readBasis } from "../warehouse/runs/basis.ts";
import { readStanding } from "../warehouse/runs/standing.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { Moment } from "./source.ts";

/**
 * Reads one moment of a warehouse, on a connection of its own.
 *
 * @param rules must be in force: another process may have applied its own
 */
export function readMoment(warehouse: Warehouse, filter: CallFilter, rules?: AttributionRules): Moment {
  const reader = openReader(warehouse);
  try {
    const session = new RollupSession(reader.sqlite, {
      rules: () => {
        const inForce = readRulesInForce(reader);
        if (rules !== undefined && !isInForce(inForce, rules)) throw otherRulesError(reader.path);
        return inForce.rules;
      },
      filter,
      nameCaller: prepareCallerName(reader),
    });
    return {
      session,
      standing: readStanding(reader),
      readBasis: () => readBasis(reader),
      hasSpend: () => hasSpend(reader),
      isEmpty: () => countCalls(reader).live === 0,
      calls: { reader, session },
      [Symbol.dispose]: () => {
        session[Symbol.dispose]();
        reader[Symbol.dispose]();
      },
    };
  } catch (error) {
    reader[Symbol.dispose]();
    throw error;
  }
}
