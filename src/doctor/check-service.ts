import { ApiError } from "../api/api-errors.ts";
import { type AttributionPage, fetchAttributionPage } from "../api/attribution-client.ts";
import { type ApiAccess, ApiClient } from "../api/client.ts";
import type { Clock } from "../base/clock.ts";
import { EXIT } from "../base/errors.ts";
import { formatCount, formatElapsed } from "../base/quantity-text.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import { judgePaging, nextOffset } from "./check-paging.ts";

/** Clocks may differ by this, plus the duration of a request. */
const MOST_SKEW_MS = 60_000;
/** For each of the five requests. */
const ATTEMPTS = 2;

export interface ServiceOptions {
  api: ApiAccess;
  limit: number;
  clock: Clock;
  signal: AbortSignal;
}

/** Requests five pages, with ten attempts at most. */
export async function checkService(
  options: ServiceOptions,
): Promise<{ checks: Check[]; page: AttributionPage | undefined }> {
  const { api, limit, clock, signal } = options;
  const query = { limit, org_unit_id: api.orgUnitId };
  await using client = new ApiClient({ ...api, clock, retry: { ...api.retry, attempts: ATTEMPTS } });
  const fetchPage = (offset: number) => fetchAttributionPage(client, { ...query, offset }, { signal });
  const checks: Check[] = [];
  let first: AttributionPage | undefined;
  try {
    const askedMs = clock.now();
    first = await fetchPage(0);
    const respondedMs = clock.now();
    const took = formatElapsed(respondedMs - askedMs);
    checks.push(
      ok("service", `${api.baseUrl.origin} responds, ${formatCount(first.rows.length)} calls in ${took}`),
    );
    checks.push(ok("token", "the service accepts it"));
    checks.push(judgeClock(first.timestamp, askedMs, respondedMs));
    const again = await fetchPage(0);
    const next = await fetchPage(nextOffset(first));
    // A capped page would end before the end.
    const last = await fetchPage(Math.max(0, next.total - Math.max(1, first.rows.length)));
    const beyond = await fetchPage(last.total);
    checks.push(...judgePaging({ limit, first, again, next, last, beyond }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    checks.push(failedCheck(error));
  }
  return { checks, page: first };
}

function failedCheck({ exitCode, message, hint }: ApiError): Check {
  return fail(exitCode, exitCode === EXIT.refused ? "token" : "service", message, hint);
}

/** Compares the response's timestamp with the local time at which it must have been made. */
function judgeClock(timestamp: string | undefined, askedMs: number, respondedMs: number): Check {
  const servedMs = Date.parse(timestamp ?? "");
  if (Number.isNaN(servedMs)) return ok("clock", "the service does not report its time");
  const skewMs = askedMs > servedMs ? askedMs - servedMs : Math.min(0, respondedMs - servedMs);
  if (Math.abs(skewMs) <= MOST_SKEW_MS) return ok("clock", "agrees with the service to the minute");
  const side = skewMs > 0 ? "ahead of" : "behind";
  return warn(
    "clock",
    `the clock of this machine is ${formatElapsed(Math.abs(skewMs))} ${side} that of the service`,
    "Set the clock by NTP: the look-back and the age of the last full pass depend on it.",
  );
}
