import type { LimitRequest } from "../api/host-limits.ts";
import { toApiAccess } from "../config/api-access.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import type { SyncOptions } from "./run.ts";

/**
 * Returns the options of a sync as the settings have them.
 *
 * @param limitOf the limit of requests to a host, where several syncs share one
 * @throws UsageError where the address or the token is missing
 */
export function toSyncOptions(settings: Settings, limitOf?: (host: string) => LimitRequest): SyncOptions {
  const {
    database,
    limit,
    concurrency,
    lookbackHours,
    fullEveryHours,
    goneAfterHours,
    checkEveryHours,
    recordingSignature,
    keep,
  } = settings;
  const access = toApiAccess(settings);
  const api = { ...access, limitRequest: limitOf?.(access.baseUrl.host) };
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
    keep,
    rules,
  };
}
