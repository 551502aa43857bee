import { UsageError } from "../base/errors.ts";
import type { Settings } from "./load-settings.ts";

/** @throws UsageError if the address or the token is missing */
export function toApiAccess({
  baseUrl,
  token,
  tokenPlace,
  orgUnitId,
  timeoutSeconds,
  retrySeconds,
}: Settings) {
  if (baseUrl === undefined)
    throw missing("CALLTALLY_BASE_URL", "the address of the API, e.g. https://api.example.com");
  if (token === undefined) throw missing("CALLTALLY_TOKEN_FILE", "a file that holds the bearer token");
  return {
    baseUrl,
    token,
    tokenPlace,
    orgUnitId,
    attemptTimeoutMs: timeoutSeconds * 1000,
    retry: { budgetMs: retrySeconds * 1000 },
  };
}

function missing(variable: string, what: string): UsageError {
  return new UsageError(`Cannot reach the API: ${variable} is not set`, {
    hint: `Run \`calltally init\`, or set it to ${what}, in the environment or .env. To try calltally without an account: \`calltally demo\`.`,
  });
}
