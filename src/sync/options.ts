import type { ApiClientOptions } from "../api/client.ts";
import type { Settings } from "../config/load-settings.ts";
import { UsageError } from "../errors.ts";
import { readTallySettings } from "../warehouse/tally-settings.ts";
import type { SyncOptions } from "./run.ts";

/** How to reach the service. */
export type ApiAccess = Pick<ApiClientOptions, "baseUrl" | "token" | "attemptTimeoutMs" | "retry">;

/**
 * Returns how to reach the service, as the settings have it.
 *
 * @throws UsageError where the address or the token is missing
 */
export function toApiAccess({ baseUrl, token, timeoutSeconds, retrySeconds }: Settings): ApiAccess {
  if (baseUrl === undefined)
    throw missing("CALLTALLY_BASE_URL", "the address of the API, e.g. https://api.example.com");
  if (token === undefined) throw missing("CALLTALLY_TOKEN_FILE", "a file that holds the bearer token");
  return {
    baseUrl,
    token,
    attemptTimeoutMs: timeoutSeconds * 1000,
    retry: { budgetMs: retrySeconds * 1000 },
  };
}

/**
 * Returns the options of a sync as the settings have them.
 *
 * @throws UsageError where the address or the token is missing
 */
export function toSyncOptions(settings: Settings): SyncOptions {
  const { database, limit, concurrency, lookbackHours, fullEveryHours, goneAfterHours, recordingSignature } =
    settings;
  const api = toApiAccess(settings);
  const tally = readTallySettings(settings);
  return {
    database,
    api,
    limit,
    concurrency,
    lookbackHours,
    fullEveryHours,
    goneAfterHours,
    acceptGone: 0,
    recordingSignature,
    tally,
  };
}

function missing(variable: string, what: string): UsageError {
  return new UsageError(`${variable} is not set`, {
    hint: `Set it to ${what}; in the environment or in .env. Without an account: calltally demo.`,
  });
}
