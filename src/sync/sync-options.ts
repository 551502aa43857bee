import type { ApiAccess } from "../api/client.ts";
import type { LimitRequest } from "../api/host-limits.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import type { Clock } from "../base/clock.ts";
import type { CalltallyError } from "../base/errors.ts";
import { toApiAccess } from "../config/api-access.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import type { PruneCounts } from "../forget/prune.ts";
import type { Keep } from "../privacy/keep-settings.ts";
import type { AttributionProgress } from "../warehouse/attribution/attribute-all.ts";
import type { SyncProgress, SyncRules } from "./read-calls.ts";

export interface SyncOptions extends SyncRules {
  /** Path of the warehouse. */
  database: string;
  api: ApiAccess;
  /** Calls per page, 2 to 1000: pages of one cannot overlap. */
  limit: number;
  /** Requests that run at once. */
  concurrency: number;
  /** Attribution rules; facts computed by other rules are recomputed first. */
  rules?: AttributionRules | undefined;
  /** What is kept of calls, and how long. @default everything, forever */
  keep?: Keep | undefined;
  clock?: Clock;
  /** Whether the operator says that another address or token is of the same account. @default false */
  rebind?: boolean | undefined;
  /** Ends the run between two pages. */
  signal?: AbortSignal | undefined;
  /** The run waits for what it returns, and ends with the error that it throws or rejects with. */
  onProgress?: ((progress: SyncProgress) => unknown) | undefined;
  /** Receives the progress of recomputing the attribution after a change of the rules. */
  onAttributed?: ((progress: AttributionProgress) => void) | undefined;
  /** Receives how much was removed because it may no longer be kept; not called for nothing. */
  onPruned?: ((counts: PruneCounts) => void) | undefined;
  /** Receives why the bytes of removed data could not be erased from the files of the warehouse. */
  onNotErased?: ((error: CalltallyError) => void) | undefined;
}

/**
 * Returns the options of a sync as the settings have them.
 *
 * @param limitOf the limit of requests to a host, where several syncs share one
 * @throws UsageError where the address or the token is missing
 */
export function toSyncOptions(settings: Settings, limitOf?: (host: string) => LimitRequest): SyncOptions {
  const access = toApiAccess(settings);
  const api = { ...access, limitRequest: limitOf?.(access.baseUrl.host) };
  return { ...settings, api, rules: readAttributionRules(settings), acceptGone: 0 };
}
