import type { Evidence, Totals } from "./evidence.ts";
import { describeKeys, type OrderKey } from "./order-key.ts";

export const VERDICTS = ["exact", "verified", "probable", "unverified"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** The verdicts of a pass that is known to have read every call. */
export const SURE_VERDICTS = ["exact", "verified"] as const satisfies readonly Verdict[];

/** Whether a verdict proves that a full pass read every call. */
export function isSure(verdict: string | null | undefined): boolean {
  return SURE_VERDICTS.some((sure) => sure === verdict);
}

export interface Judgement {
  verdict: Verdict;
  /** Why, in one sentence. */
  verdict_reason: string;
  /** What the operator can do about it, in one sentence; null where nothing stands in the way. */
  advice: string | null;
}

/** Returns the missing-call threshold: more calls missing at once are not marked without --accept-gone. */
export function missingCallThreshold(calls: number): number {
  return Math.max(10, Math.ceil(calls / 100));
}

const QUIET = "Run `calltally sync --full` again: a run in which no call comes or goes can be exact.";
const AGAIN = "Run `calltally sync --full` again, at a quieter time.";
const ASK = "Ask the support of the service";

/**
 * Judges a full pass. `exact` and `verified` say that every call that was visible during the whole pass was read: what
 * that stands on, see `Chain`.
 *
 * @param distinct different calls read in the pass
 */
export function judge(evidence: Evidence, distinct: number): Judgement {
  const { totals, end } = evidence;
  const found =
    findBreak(evidence, distinct) ?? findDoubt(evidence, distinct) ?? findContradiction(evidence, distinct);
  if (found !== undefined) return found;
  if (isCounted(totals, distinct)) {
    return judgement("exact", `all pages joined, and every one of ${totals.last} calls read`);
  }
  const joined = `all pages joined, while calls came or went: ${counted(distinct, totals)}`;
  if (end === "short slice") return judgement("verified", joined);
  return probable(`${joined}; but fewer than two full pages of one length do not show the end`, QUIET);
}

/** What leaves it open whether all calls were read. */
function findBreak(evidence: Evidence, distinct: number): Judgement | undefined {
  const { totals, seamsBroken, fragmented, keys } = evidence;
  const count = counted(distinct, totals);
  if (!evidence.startsAtFront) {
    return unverified(
      `the service did not begin with the first call: ${count}`,
      `${ASK} what offset 0 gives.`,
    );
  }
  if (evidence.end === "unseen") return unverified(`the end of the calls was not reached: ${count}`, AGAIN);
  if (distinct === 0 && totals.last > 0) {
    return unverified(`no call came: ${count}`, `${ASK} why its pages are empty.`);
  }
  if (fragmented > 0) {
    return unverified(
      `${plural(fragmented, "page")} had to be read in pieces: ${count}`,
      "See the rows that the service fails on in `rejected_calls`, and tell its support.",
    );
  }
  if (!evidence.isFrontMet && seamsBroken === 0) {
    return unverified("the closing look at the front met no known call", AGAIN);
  }
  if (!evidence.isLinked) {
    return unverified(
      `${plural(Math.max(1, seamsBroken), "seam")} between pages did not join: ${count}`,
      `Try another --limit; if it stays, see \`calltally doctor\`: pages may not overlap as they should.`,
    );
  }
  if (keys.length === 0 && !fits(totals, distinct)) {
    return unverified(`${noOrder(evidence)}, and the counts do not fit: ${count}`, ORDER_ADVICE);
  }
  if (!evidence.isProven && !fits(totals, distinct)) {
    return unverified(`${TIES}, and the counts do not fit: ${count}`, TIES_ADVICE);
  }
  return undefined;
}

const TIES = "more calls than a page has stand at one place of the order";
const TIES_ADVICE = "A larger --limit may join the pages.";
const ORDER_ADVICE = `${ASK} for a stable order by call id or start; without one no pass can be proven.`;

/** What keeps the proof from being one, though nothing speaks against the pages. */
function findDoubt(evidence: Evidence, distinct: number): Judgement | undefined {
  const { keys, repeated, old, unplaced, totals } = evidence;
  const isTrusted = keys.some(({ newestAt }) => newestAt !== undefined);
  const count = counted(distinct, totals);
  if (keys.length === 0)
    return probable(`all pages share calls and the counts fit, but ${noOrder(evidence)}`, ORDER_ADVICE);
  if (!evidence.isProven)
    return probable(`all pages share calls and the counts fit, but ${TIES}`, TIES_ADVICE);
  if (repeated > 0) {
    return probable(
      `all pages joined, but ${plural(repeated, "response")} had a request_id that was met before: a cache may have answered`,
      "Have caches between here and the service heed `cache-control: no-cache`.",
    );
  }
  if (old > 0) {
    return probable(
      `all pages joined, but ${plural(old, "response")} came from the past by the service's own timestamps`,
      `${ASK} about caches or replicas that lag; a run at a quieter time may do.`,
    );
  }
  if (!isTrusted && !isCounted(totals, distinct)) {
    return probable(
      `all pages joined, while calls came or went: ${count}; but an order by source may be one by figures of the sources`,
      `${ASK} for a stable order by call id or start; a run in which no call comes or goes can be exact.`,
    );
  }
  if (unplaced > 0) {
    return probable(
      "all pages joined, but some rows have no readable call_id",
      "See them in `rejected_calls`, and tell the service's support.",
    );
  }
  return undefined;
}

/** What the service's own count says against the pages. */
function findContradiction({ end, totals, vanished }: Evidence, distinct: number): Judgement | undefined {
  const count = counted(distinct, totals);
  const joined = "all pages joined";
  if (totals.overruns > 0) {
    return probable(
      `${joined}, but the service's total contradicts its pages, which go beyond it: ${count}`,
      `${ASK} what \`total\` counts.`,
    );
  }
  if (totals.fall > missingCallThreshold(totals.most)) {
    return probable(
      `${joined}, but total fell by ${totals.fall} while reading: a replica may lag`,
      `If so many calls were deleted, the next full pass will say so; else: ${ASK.toLowerCase()} about replicas.`,
    );
  }
  if (totals.falls > 0 && totals.rises > 0 && distinct < totals.most) {
    return probable(
      `${joined}, but total fell and rose while reading, and counted more: ${distinct} calls read, total up to ${totals.most}`,
      `${ASK} about caches or replicas that lag; a run at a quieter time may do.`,
    );
  }
  if (vanished > totals.falls) {
    return probable(
      `${joined}, but ${plural(vanished, "call")} went from their place, though total fell by ${totals.falls} alone`,
      `${ASK} whether calls change places, as in an order by the last change.`,
    );
  }
  if (end === "disputed" || !fits(totals, distinct)) {
    return probable(
      `${joined}, but the service counts more than it lists: ${count}`,
      `${ASK} what \`total\` counts.`,
    );
  }
  return undefined;
}

/** Whether every response counted the calls that were read, no more and no fewer. */
function isCounted(totals: Totals, distinct: number): boolean {
  return totals.isConstant && distinct === totals.last;
}

/** Whether no more calls are lacking than came in while reading, by what was seen of `total`. */
function fits(totals: Totals, distinct: number): boolean {
  return totals.last - distinct <= totals.last - totals.least && totals.overruns === 0;
}

/** What an incremental pass is judged by, beside what it saw. */
export interface Books {
  /** Calls that the service should show, by the warehouse. */
  expected: number;
  /** When the last verified full pass ended, such as `2026-11-20 13:37 UTC`. */
  since: string | null;
  /** The order keys that it found. */
  keys: readonly OrderKey[];
}

/**
 * Judges an incremental pass. `probable` is the most it can be: a late call and a removed one, both beyond the
 * look-back, would leave the books in balance.
 */
export function judgeIncremental(evidence: Evidence, { expected, since, keys }: Books): Judgement {
  const { totals, fragmented, repeated, old } = evidence;
  const isRemembered = evidence.keys.some(({ name }) => keys.some((key) => key.name === name));
  if (!isRemembered) {
    const order = describeKeys(keys) ?? "in order";
    return unverified(`the calls are not listed as they were, ${order}`, FULL);
  }
  if (!evidence.settled) return unverified("no calls were met that are known and cannot have changed", FULL);
  if (!evidence.isProven || fragmented > 0) return unverified("the pages read did not join", FULL);
  if ((evidence.end === "unseen" || evidence.end === "disputed") && !evidence.isFrontMet) {
    return unverified("the live end of the calls was not met again", FULL);
  }
  if (repeated + old > 0) return unverified("a cache or a replica that lags may have answered", FULL);
  if (expected !== totals.last) {
    return unverified(`the books do not balance: ${expected} calls here, total ${totals.last}`, FULL);
  }
  return probable(
    `read up to known calls, ${describeKeys(keys)}, and the books balance: ${expected} calls here and at the service; all were verified ${since}`,
    "Nothing: the next full pass proves it. `calltally sync --full` does so now.",
  );
}

const FULL = "Run `calltally sync --full`.";

function noOrder({ outOfPlace }: Evidence): string {
  return `the calls are listed in no order by id, start or source: call ${outOfPlace} is out of place`;
}

function counted(distinct: number, { last }: Totals): string {
  return `${distinct} calls read, total ${last}`;
}

function judgement(verdict: Verdict, verdict_reason: string): Judgement {
  return { verdict, verdict_reason, advice: null };
}

function probable(verdict_reason: string, advice: string): Judgement {
  return { verdict: "probable", verdict_reason, advice };
}

function unverified(verdict_reason: string, advice: string): Judgement {
  return { verdict: "unverified", verdict_reason, advice };
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
