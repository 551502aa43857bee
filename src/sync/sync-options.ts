import type { Clock } from "../base/clock.ts";
import type { CalltallyError } from "../base/errors.ts";
import type { AttributionRules } from "../calls/attribution/attribution-rules.ts";
import type { Keep } from "../calls/privacy/keep-settings.ts";
import { toApiAccess } from "../config/api-access.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { Settings } from "../config/load-settings.ts";
import type { Notice } from "../features/notice.ts";
import type { ApiAccess } from "../service/api/client.ts";
import type { LimitRequest } from "../service/api/host-limits.ts";
import type { AttributionProgress } from "../warehouse/attribution/attribute-all.ts";
import type { PruneCounts } from "./prune.ts";
import type { SyncProgress, SyncRules } from "./read-calls.ts";

export interface SyncOptions extends SyncRules {
  /** Path of the warehouse file. */
  database: string;
  api: ApiAccess;
  /** Calls per page, 2 to 1000; pages of one call cannot overlap. */
  limit: number;
  /** Maximum number of concurrent requests. */
  concurrency: number;
  /** IANA zone of the local day in views. @default as it is */
  timezone?: string | undefined;
  /** Whether to look for calls that went silent, by local weekdays and hours. @default false */
  notices?: boolean | undefined;
  /** If they have changed, facts are recomputed first. @default the rules in force */
  rules?: AttributionRules | undefined;
  /** Which data of calls is kept, and how long. @default everything, forever */
  keep?: Keep | undefined;
  /** Whether to begin a warehouse if there is none: on a schedule, its disk may be lost. @default true */
  begins?: boolean | undefined;
  /** Whether the job `sync` runs it, which records its own end. @default false */
  isJob?: boolean | undefined;
  clock?: Clock;
  /** Whether a changed address or token belongs to the same account. @default false */
  rebind?: boolean | undefined;
  /** Ends the run between two pages. */
  signal?: AbortSignal | undefined;
  /** Receives the file that shows that there was a warehouse before the one that is begun. */
  onBegunAgain?: ((remains: string) => void) | undefined;
  /** The run awaits it, and fails with its error. */
  onProgress?: ((progress: SyncProgress) => unknown) | undefined;
  /** Receives the progress of recomputing the attribution after a change of the rules. */
  onAttributed?: ((progress: AttributionProgress) => void) | undefined;
  /** Receives each notice that is new or over. */
  onNotice?: ((notice: Notice) => void) | undefined;
  /** Receives how much data past its retention was removed, if any. */
  onPruned?: ((counts: PruneCounts) => void) | undefined;
  /** Receives why removed data could not be erased from the warehouse files. */
  onNotErased?: ((error: CalltallyError) => void) | undefined;
}

/**
 * @param limitOf returns the request limit of a host, if several syncs share one
 * @throws UsageError if the address or the token is missing
 */
export function toSyncOptions(settings: Settings, limitOf?: (host: string) => LimitRequest): SyncOptions {
  const access = toApiAccess(settings);
  const api = { ...access, limitRequest: limitOf?.(access.baseUrl.host) };
  return { ...settings, api, rules: readAttributionRules(settings), acceptGone: 0 };
}
