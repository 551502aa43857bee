import { toApiAccess } from "../config/api-access.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import type { SyncOptions } from "./run.ts";

/**
 * Returns the options of a sync as the settings have them.
 *
 * @throws UsageError where the address or the token is missing
 */
export function toSyncOptions(settings: Settings): SyncOptions {
  const {
    database,
    limit,
    concurrency,
    lookbackHours,
    fullEveryHours,
    goneAfterHours,
    checkEveryHours,
    recordingSignature,
  } = settings;
  const api = toApiAccess(settings);
  const rules = readAttributionRules(settings);
  return {
    database,
    api,
    limit,
    concurrency,
    lookbackHours,
    fullEveryHours,
    goneAfterHours,
    checkEveryHours,
    acceptGone: 0,
    recordingSignature,
    rules,
  };
}
