import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import type { CallFilter } from "../rollup/call-filter.ts";
import { RollupSession } from "../rollup/session.ts";
import { hasSpend } from "../spend/spend-table.ts";
import { applyRulesAlone, otherRulesError } from "../warehouse/calls/apply-rules.ts";
import { countCalls } from "../warehouse/calls/call-table.ts";
import { prepareCallerName } from "../warehouse/calls/caller-hash.ts";
import { isInForce, readRulesInForce } from "../warehouse/calls/rules.ts";
import { openAsPermitted, openReader } from "../warehouse/open.ts";
import { describeOrigin, readOrigin } from "../warehouse/origin.ts";
import { type OwnWarehouse, openOwn } from "../warehouse/own-warehouse.ts";
import { readBasis } from "../warehouse/runs/basis.ts";
import { readStanding } from "../warehouse/runs/standing.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { Moment, Source } from "./source.ts";

/** What can be read in a warehouse. */
export const WAREHOUSE_CAN = { lists: true, raw: true, clickIds: true };

export interface WarehouseSourceOptions extends OwnWarehouse {
  /** Facts computed by other rules are recomputed before anything is read. */
  rules: AttributionRules;
  /** Hours after a call in which late transcripts and corrections are looked for. */
  lookbackHours: number;
}

/** Returns an account's warehouse as its settings have it. */
export function sourceOf(settings: Settings): Source {
  const { database, baseUrl, orgUnitId, lookbackHours } = settings;
  const rules = readAttributionRules(settings);
  return warehouseSource({ database, baseUrl, orgUnitId, lookbackHours, rules });
}

export function warehouseSource(own: WarehouseSourceOptions): Source {
  const { rules, lookbackHours } = own;
  return {
    can: WAREHOUSE_CAN,
    open: async (options) => {
      const warehouse = openOwn(own, openAsPermitted);
      try {
        await applyRulesAlone(warehouse, rules, { ...options, nowMs: options.clock.now() });
        return {
          origin: describeOrigin(readOrigin(warehouse)),
          lookbackHours,
          warehouse,
          read: async (filter) => readMoment(warehouse, filter, rules),
          [Symbol.dispose]: () => warehouse[Symbol.dispose](),
        };
      } catch (error) {
        warehouse[Symbol.dispose]();
        throw error;
      }
    },
  };
}

/** Returns a warehouse that is open to read alone, by the rules that its facts were computed with. */
export function readOnlySource(warehouse: Warehouse): Source {
  return {
    can: WAREHOUSE_CAN,
    open: async () => ({
      origin: describeOrigin(readOrigin(warehouse)),
      lookbackHours: 0,
      read: async (filter) => readMoment(warehouse, filter),
      [Symbol.dispose]: () => {},
    }),
  };
}

/** @param rules which have to be in force: another process may have applied its own */
function readMoment(warehouse: Warehouse, filter: CallFilter, rules?: AttributionRules): Moment {
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
