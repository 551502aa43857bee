import type { Clock } from "../../base/clock.ts";
import { EXIT } from "../../base/errors.ts";
import { formatCount, formatElapsed, formatQuantity } from "../../base/text/quantity-text.ts";
import { ApiError } from "../../service/api/api-errors.ts";
import { type AttributionPage, fetchAttributionPage } from "../../service/api/attribution-client.ts";
import { type ApiAccess, ApiClient } from "../../service/api/client.ts";
import { Chain, HELD_BY_BEING_FIRST } from "../../service/paging/chain.ts";
import { describeKeys } from "../../service/paging/order-key.ts";
import { overlapOf, reachesTotal, type Slice } from "../../service/paging/slice.ts";
import { toSlice } from "../../sync/fetch.ts";
import { type Check, fail, ok, unverified, warn } from "./check.ts";

/** Clocks may differ by this, plus the duration of a request. */
const MAX_SKEW_MS = 60_000;
/** For each of the five requests. */
const ATTEMPTS = 2;

/** Rows that the second page repeats. */
const OVERLAP = 50;

/** Responses that show how a service pages. */
interface Probes {
  /** The requested limit. */
  limit: number;
  /** The first page, twice. */
  first: AttributionPage;
  again: AttributionPage;
  /** The page after it. */
  next: AttributionPage;
  /** The last page by the service's own total. */
  last: AttributionPage;
  /** The page after the last. */
  beyond: AttributionPage;
}

/** Requests five pages, with ten attempts at most. */
export async function checkService(
  api: ApiAccess,
  { limit, clock, signal }: { limit: number; clock: Clock; signal: AbortSignal },
) {
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
    const size = first.rows.length;
    const next = await fetchPage(Math.max(0, size - overlapOf(size, OVERLAP)));
    // A capped page would end before the end.
    const last = await fetchPage(Math.max(0, next.total - Math.max(1, size)));
    const beyond = await fetchPage(last.total);
    checks.push(...judgePaging({ limit, first, again, next, last, beyond }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    checks.push(failedCheck(error));
  }
  return { checks, page: first };
}

function failedCheck({ exitCode, status, message, hint }: ApiError): Check {
  const title = exitCode !== EXIT.refused ? "service" : status === 401 ? "token" : "access";
  return fail(exitCode, title, message, hint);
}

/** Compares the response's timestamp with the local time at which it must have been made. */
function judgeClock(timestamp: string | undefined, askedMs: number, respondedMs: number): Check {
  const servedMs = Date.parse(timestamp ?? "");
  if (Number.isNaN(servedMs)) return ok("clock", "the service does not report its time");
  const skewMs = askedMs > servedMs ? askedMs - servedMs : Math.min(0, respondedMs - servedMs);
  if (Math.abs(skewMs) <= MAX_SKEW_MS) return ok("clock", "agrees with the service to the minute");
  const side = skewMs > 0 ? "ahead of" : "behind";
  return warn(
    "clock",
    `the clock of this machine is ${formatElapsed(Math.abs(skewMs))} ${side} that of the service`,
    "Set the clock by NTP: the look-back and the age of the last full pass depend on it.",
  );
}

/** How a service pages: cap, order and overlaps, total, end. */
const PAGING: readonly ((probes: Probes) => Check)[] = [judgeCap, judgeOrder, judgeTotal, judgeEnd];

function judgePaging(probes: Probes): Check[] {
  if (probes.first.total === 0) {
    return [ok("calls", "the service has none with DNI session data, and lists no others")];
  }
  return PAGING.map((judge) => judge(probes));
}

function judgeCap({ limit, first }: Probes): Check {
  const name = "page size";
  const rows = first.rows.length;
  if (rows >= Math.min(limit, first.total))
    return ok(name, `${formatCount(rows)} calls a page, as requested`);
  if (rows < 2) {
    return unverified(
      name,
      `the service sends ${formatQuantity(rows, "call")} a page, instead of ${formatCount(limit)}`,
      "Such pages cannot overlap, so no pass can be verified. Ask the support of the service for longer ones.",
    );
  }
  return warn(
    name,
    `the service caps its pages: ${formatCount(limit)} calls requested, ${formatCount(rows)} sent`,
    `No call is lost. With ${rows} as the setting limit, it sends what is requested.`,
  );
}

/** A proof of completeness needs calls in the order of a key, and overlapping pages. */
function judgeOrder({ first, again, next, last }: Probes): Check {
  const name = "order";
  const chain = new Chain();
  const [front, second, third] = [first, again, next].map((page) => toSlice(page));
  if (front === undefined || second === undefined || third === undefined) return ok(name, "nothing to check");
  chain.add(front, HELD_BY_BEING_FIRST);
  if (chain.findLink(second, false).unseen * 2 > first.rows.length || isReordered(front, second)) {
    return unverified(
      name,
      "the service lists the calls in a different order each time: two requests for one page disagree",
      "No pass over such pages can be verified. Ask the support of the service for a stable order.",
    );
  }
  chain.add(second, HELD_BY_BEING_FIRST);
  if (!reachesTotal(front) && chain.findLink(third, false).known === 0) {
    return unverified(
      name,
      "a page that should repeat the end of the one before has none of its calls",
      "Without overlapping pages no pass can be verified. Ask the support of the service what offset counts.",
    );
  }
  for (const slice of [third, toSlice(last)]) chain.add(slice, HELD_BY_BEING_FIRST);
  const order = describeKeys(chain.keys);
  if (order !== undefined) return ok(name, `stable, ${order}; pages overlap as they should`);
  return warn(
    name,
    `none by id, start or source: call ${chain.outOfPlace} is out of place`,
    "Every sync then requests the documented order by source; without a stable order no pass can be verified.",
  );
}

/** Whether the shared calls of two slices changed their order too much for new calls or ties. */
function isReordered(first: Slice, second: Slice): boolean {
  const indexes = new Map(first.rows.map(({ id }, index) => [id, index]));
  const places = second.rows.flatMap(({ id }) => indexes.get(id) ?? []);
  const descents = places.filter((at, index) => at < (places[index - 1] ?? 0)).length;
  return descents * 4 > places.length;
}

function judgeTotal({ first, again, next, last, beyond }: Probes): Check {
  const totals = [first, again, next, last, beyond].map((page) => page.total);
  const [least, most] = [Math.min(...totals), Math.max(...totals)];
  if (least === most) return ok("total", `steady at ${formatCount(most)} calls`);
  const spread = `between ${formatCount(least)} and ${formatCount(most)} calls within five requests`;
  if (most - least <= Math.max(50, most / 100)) return ok("total", `${spread}: calls come or go`);
  return warn("total", spread, "The service miscounts; runs may be `probable` or `unverified`.");
}

function judgeEnd({ last, beyond }: Probes): Check {
  // A call may have arrived in between.
  const isBeyondRight = beyond.rows.length === Math.max(0, beyond.total - beyond.offset);
  if (reachesTotal(toSlice(last)) && isBeyondRight) {
    return ok("end", "the last page ends at the total");
  }
  return unverified(
    "end",
    `the total is ${formatCount(last.total)}, and the page at ${formatCount(last.offset)} has ${formatCount(last.rows.length)} calls, the one at ${formatCount(beyond.offset)} ${formatCount(beyond.rows.length)}`,
    "The service's total and its pages do not agree: passes may stay unverified.",
  );
}
