import { readAttributionRules } from "../../config/attribution-settings.ts";
import { type ComparedSettings, readBasis } from "../../warehouse/runs/basis.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { type Statement, statementsOf } from "./statements.ts";

/** Reads the statements on all figures of a warehouse. */
export function readStatements(
  reader: Reader,
  settings: Parameters<typeof readAttributionRules>[0] &
    Pick<ComparedSettings, "accounts"> & { timezone: string },
): Statement[] {
  return statementsOf({
    warehouse: readBasis(reader, { rules: readAttributionRules(settings), accounts: settings.accounts }),
    timezone: settings.timezone,
  });
}
