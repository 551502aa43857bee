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

const QUIET = "Run `calltally sync --full` again: a run during which no call comes or goes can be exact.";
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
    judgeFirst("unverified", breaksOf(evidence, distinct)) ??
    judgeFirst("probable", doubtsOf(evidence, distinct)) ??
    judgeFirst("probable", contradictionsOf(evidence, distinct));
  if (found !== undefined) return found;
  if (isCounted(totals, distinct)) {
    const reason = `all pages joined, and every one of ${totals.last} calls read`;
    return { verdict: "exact", verdict_reason: reason, advice: null };
  }
  const joined = `all pages joined, while calls came or went: ${counted(distinct, totals)}`;
  if (end === "short slice") return { verdict: "verified", verdict_reason: joined, advice: null };
  const reason = `${joined}; but fewer than two full pages of one length do not prove the end`;
  return { verdict: "probable", verdict_reason: reason, advice: QUIET };
}

/** What may speak against a pass: whether it does, what it is, and what the operator can do about it. */
type Finding = readonly [isFound: boolean, reason: string, advice: string];

function judgeFirst(verdict: Verdict, findings: readonly Finding[]): Judgement | undefined {
  const found = findings.find(([isFound]) => isFound);
  return found && { verdict, verdict_reason: found[1], advice: found[2] };
}

/** What leaves it open whether all calls were read. */
function breaksOf(evidence: Evidence, distinct: number): Finding[] {
  const { totals, seamsBroken, fragmented, keys } = evidence;
  const count = counted(distinct, totals);
  const isUnfit = !fits(totals, distinct);
  return [
    [
      !evidence.startsAtFront,
      `the service did not begin with the first call: ${count}`,
      `${ASK} what offset 0 gives.`,
    ],
    [evidence.end === "unseen", `the end of the calls was not reached: ${count}`, AGAIN],
    [distinct === 0 && totals.last > 0, `no call came: ${count}`, `${ASK} why its pages are empty.`],
    [
      fragmented > 0,
      `${plural(fragmented, "page")} had to be read in pieces: ${count}`,
      "See the rows that the service fails on in `rejected_calls`, and report them to its support.",
    ],
    [!evidence.isFrontMet && seamsBroken === 0, "the final look at the front met no known call", AGAIN],
    [
      !evidence.isLinked,
      `${plural(Math.max(1, seamsBroken), "seam")} between pages did not join: ${count}`,
      "Try another --limit; if the problem remains, see `calltally doctor`: pages may not overlap as they should.",
    ],
    [keys.length === 0 && isUnfit, `${noOrder(evidence)}, and the counts do not fit: ${count}`, ORDER_ADVICE],
    [!evidence.isProven && isUnfit, `${TIES}, and the counts do not fit: ${count}`, TIES_ADVICE],
  ];
}

const TIES = "more calls than fit on a page have the same place in the order";
const TIES_ADVICE = "A larger --limit may join the pages.";
const ORDER_ADVICE = `${ASK} for a stable order by call id or start; without one no pass can be proven.`;

/** What keeps the proof from being one, though nothing speaks against the pages. */
function doubtsOf(evidence: Evidence, distinct: number): Finding[] {
  const { keys, repeated, old, unplaced, totals } = evidence;
  const isTrusted = keys.some(({ newestAt }) => newestAt !== undefined);
  const count = counted(distinct, totals);
  const fitting = "all pages share calls and the counts fit, but";
  return [
    [keys.length === 0, `${fitting} ${noOrder(evidence)}`, ORDER_ADVICE],
    [!evidence.isProven, `${fitting} ${TIES}`, TIES_ADVICE],
    [
      repeated > 0,
      `all pages joined, but ${plural(repeated, "response")} repeated an earlier request_id: a cache may have responded`,
      "Make caches between here and the service obey `cache-control: no-cache`.",
    ],
    [
      old > 0,
      `all pages joined, but ${plural(old, "response")} came from the past by the service's own timestamps`,
      `${ASK} about caches or replicas that lag; or try a run at a quieter time.`,
    ],
    [
      !isTrusted && !isCounted(totals, distinct),
      `all pages joined, while calls came or went: ${count}; but an order by source may depend on the sources' figures`,
      `${ASK} for a stable order by call id or start; a run in which no call comes or goes can be exact.`,
    ],
    [
      unplaced > 0,
      "all pages joined, but some rows have no readable call_id",
      "See them in `rejected_calls`, and report them to the service's support.",
    ],
  ];
}

/** What the service's own count says against the pages. */
function contradictionsOf({ end, totals, vanished }: Evidence, distinct: number): Finding[] {
  const count = counted(distinct, totals);
  const joined = "all pages joined";
  return [
    [
      totals.overruns > 0,
      `${joined}, but the service's total contradicts its pages, which go beyond it: ${count}`,
      `${ASK} what \`total\` counts.`,
    ],
    [
      totals.fall > missingCallThreshold(totals.most),
      `${joined}, but total fell by ${totals.fall} while reading: a replica may lag`,
      `If so many calls were deleted, the next full pass will confirm it; otherwise: ${ASK.toLowerCase()} about replicas.`,
    ],
    [
      totals.falls > 0 && totals.rises > 0 && distinct < totals.most,
      `${joined}, but total fell and rose while reading, and counted more: ${distinct} calls read, total up to ${totals.most}`,
      `${ASK} about caches or replicas that lag; or try a run at a quieter time.`,
    ],
    [
      vanished > totals.falls,
      `${joined}, but ${plural(vanished, "call")} left their place, though total fell only by ${totals.falls}`,
      `${ASK} whether calls change places, as in an order by last update.`,
    ],
    [
      end === "disputed" || !fits(totals, distinct),
      `${joined}, but the service counts more than it lists: ${count}`,
      `${ASK} what \`total\` counts.`,
    ],
  ];
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
  const { totals, fragmented, repeated, old, end } = evidence;
  const isRemembered = evidence.keys.some(({ name }) => keys.some((key) => key.name === name));
  const hasNoEnd = (end === "unseen" || end === "disputed") && !evidence.isFrontMet;
  const order = describeKeys(keys);
  const doubts: [boolean, string][] = [
    [!isRemembered, `the calls are not listed as before, ${order ?? "in order"}`],
    [!evidence.settled, "found no known calls that cannot have changed"],
    [!evidence.isProven || fragmented > 0, "the pages read did not join"],
    [hasNoEnd, "the live end of the list was not found again"],
    [repeated + old > 0, "a cache or a lagging replica may have responded"],
    [expected !== totals.last, `the counts disagree: ${expected} calls here, total ${totals.last}`],
  ];
  const doubt = doubts.find(([isFound]) => isFound);
  if (doubt !== undefined) return { verdict: "unverified", verdict_reason: doubt[1], advice: FULL };
  return {
    verdict: "probable",
    verdict_reason: `read up to known calls, ${order}, and the counts agree: ${expected} calls here and at the service; all were verified ${since}`,
    advice: "Nothing: the next full pass will prove it. To prove it now, run `calltally sync --full`.",
  };
}

const FULL = "Run `calltally sync --full`.";

function noOrder({ outOfPlace }: Evidence): string {
  return `the calls are listed in no order by id, start or source: call ${outOfPlace} is out of place`;
}

function counted(distinct: number, { last }: Totals): string {
  return `${distinct} calls read, total ${last}`;
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
