import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import type { ExportOptions } from "./write-export.ts";

/** Returns what every export takes from the settings of an account. */
export function toExportBasis(settings: Settings) {
  const { database, baseUrl, orgUnitId, timezone, lookbackHours } = settings;
  const rules = readAttributionRules(settings);
  return {
    database,
    baseUrl,
    orgUnitId,
    timezone,
    lookbackHours,
    rules,
  } satisfies Partial<ExportOptions>;
}
