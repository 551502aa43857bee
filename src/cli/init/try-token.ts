import { ApiError } from "../../api/api-errors.ts";
import { fetchAttributionPage } from "../../api/attribution-client.ts";
import { ApiClient } from "../../api/client.ts";
import { CalltallyError, EXIT, type ExitCode } from "../../base/errors.ts";

/** A person waits for it. */
const TIMEOUT_MS = 20_000;

/** What to do about a failure. */
const HINTS: Partial<Record<ExitCode, string>> = {
  [EXIT.refused]: "The token may be mistyped, expired, or of API v2. Nothing was written.",
  [EXIT.unreachable]:
    "Check --base-url and the network; --offline writes the files without trying the token. Nothing was written.",
  [EXIT.contract]:
    "Check that --base-url is the address of the Call Analytics Platform API, without /v3. Nothing was written.",
};

/**
 * Asks the service for two calls, in one request.
 *
 * @returns how many calls the service counts
 * @throws ApiError
 */
export async function tryToken(baseUrl: URL, token: string, signal: AbortSignal): Promise<number> {
  await using client = new ApiClient({ baseUrl, token, attemptTimeoutMs: TIMEOUT_MS });
  const page = await fetchAttributionPage(client, { limit: 2, offset: 0 }, { signal, attempts: 1 });
  return page.total;
}

/** Returns the error of {@link tryToken} as one that ends `init`. */
export function nothingWritten(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { exitCode, message, cause } = error;
  const hint = HINTS[exitCode] ?? "Nothing was written.";
  return new CalltallyError(exitCode, message, { cause, hint });
}
