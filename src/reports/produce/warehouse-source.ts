import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { readAttributionRules } from "../../config/attribution-settings.ts";
import type { Settings } from "../../config/load-settings.ts";
import { RollupSession } from "../../sources/session.ts";
import { applyRulesAlone, otherRulesError } from "../../warehouse/attribution/apply-rules.ts";
import { prepareCallerName } from "../../warehouse/calls/caller-hash.ts";
import { followsRules, readRulesInForce } from "../../warehouse/calls/rules.ts";
import { connect, openAsPermitted } from "../../warehouse/file/open.ts";
import { assertOwn, type Owner, type OwnWarehouse, openOwn } from "../../warehouse/file/own-warehouse.ts";
import { describeOrigin, readOrigin } from "../../warehouse/origin.ts";
import { readBasis, readCoverage } from "../../warehouse/runs/basis.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import type { OpenSource, Source } from "./source.ts";

export const WAREHOUSE_CAN = { lists: true, raw: true, clickIds: true };

export interface WarehouseSourceOptions extends OwnWarehouse {
  /** Facts by other rules are recomputed before anything is read. */
  rules: AttributionRules;
  /** Hours after a call in which late transcripts and corrections may arrive. */
  lookbackHours: number;
}

export function sourceOf(settings: Settings): Source {
  return warehouseSource({ ...settings, rules: readAttributionRules(settings) });
}

export function warehouseSource(account: WarehouseSourceOptions): Source {
  const { rules, lookbackHours } = account;
  return {
    can: WAREHOUSE_CAN,
    openWriter: () => {
      const { writer, ...reader } = openOwn(account, openAsPermitted);
      if (writer === undefined) reader[Symbol.dispose]();
      return writer;
    },
    open: async (options) => {
      const warehouse = openOwn(account, openAsPermitted);
      try {
        await applyRulesAlone(warehouse, rules, { ...options, nowMs: options.clock.now() });
        const origin = describeOrigin(readOrigin(warehouse));
        const read = momentReader(warehouse, account, { rules, isApplied: true, signal: options.signal });
        return {
          origin,
          lookbackHours,
          warehouse,
          read,
          [Symbol.dispose]: () => warehouse[Symbol.dispose](),
        };
      } catch (error) {
        warehouse[Symbol.dispose]();
        throw error;
      }
    },
  };
}

/**
 * Wraps an open warehouse without changing it; its facts keep their rules.
 * @param lookbackHours for how long after a call its figures are provisional
 * @param rules those of the settings, which the facts may not follow yet
 */
export function readOnlySource(
  warehouse: Reader,
  lookbackHours: number,
  account: Owner = {},
  rules?: AttributionRules,
): Source {
  return {
    can: WAREHOUSE_CAN,
    open: async ({ signal }) => ({
      origin: describeOrigin(readOrigin(warehouse)),
      lookbackHours,
      read: momentReader(warehouse, account, { rules, isApplied: false, signal }),
      [Symbol.dispose]: () => {},
    }),
  };
}

/**
 * Applied rules must be in force: another process may have applied its own. The file may have been replaced by another
 * account's since it was opened.
 */
function momentReader(
  warehouse: Reader,
  account: Owner,
  {
    rules,
    isApplied,
    signal,
  }: { rules: AttributionRules | undefined; isApplied: boolean; signal: AbortSignal | undefined },
): OpenSource["read"] {
  return async (filter) => {
    const reader = connect(warehouse);
    const inForce = () => {
      const known = readRulesInForce(reader);
      if (isApplied && rules !== undefined && !followsRules(known, rules)) throw otherRulesError(reader.path);
      return known.rules;
    };
    try {
      const nameCaller = prepareCallerName(reader);
      const session = new RollupSession(reader.sqlite, { rules: inForce, filter, nameCaller, signal });
      assertOwn(reader, account);
      return {
        session,
        basis: readBasis(reader, { rules, accounts: account.accounts }),
        readCoverage: () => readCoverage(reader),
        hasSpend: () => session.hasSpend(),
        hasOutcomes: () => session.hasOutcomes(),
        calls: { reader, session },
        [Symbol.dispose]: () => {
          using _reader = reader;
          session[Symbol.dispose]();
        },
      };
    } catch (error) {
      reader[Symbol.dispose]();
      throw error;
    }
  };
}
