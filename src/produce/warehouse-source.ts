import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import { applyRulesAlone } from "../warehouse/attribution/apply-rules.ts";
import { openAsPermitted } from "../warehouse/open.ts";
import { describeOrigin, readOrigin } from "../warehouse/origin.ts";
import { type OwnWarehouse, openOwn } from "../warehouse/own-warehouse.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { Source } from "./source.ts";
import { readMoment } from "./warehouse-moment.ts";

/** What can be read in a warehouse. */
export const WAREHOUSE_CAN = { lists: true, raw: true, clickIds: true };

export interface WarehouseSourceOptions extends OwnWarehouse {
  /** Facts computed by other rules are recomputed before anything is read. */
  rules: AttributionRules;
  /** Hours after a call in which late transcripts and corrections may arrive. */
  lookbackHours: number;
}

/** Returns the warehouse of an account, from its settings. */
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

/** Returns an open warehouse as a source that changes nothing; its facts keep the rules that they were computed with. */
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
