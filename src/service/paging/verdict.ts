import type { Evidence, Totals } from "./evidence.ts";
import { describeKeys, type OrderKey } from "./order-key.ts";

export const VERDICTS = ["exact", "verified", "probable", "unverified"] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A pass with one of these has read every call that was listed throughout. */
export const SURE_VERDICTS = ["exact", "verified"] as const satisfies readonly Verdict[];

export function isSure(verdict: string | null | undefined): boolean {
  return SURE_VERDICTS.some((sure) => sure === verdict);
}

export interface Judgement {
  verdict: Verdict;
  verdict_reason: string;
  /** What the operator can do; null if the verdict is sure. */
  advice: string | null;
}

/** Returns the missing-call threshold: more calls missing at once are not marked without --accept-gone. */
export function missingCallThreshold(calls: number): number {
  return Math.max(10, Math.ceil(calls / 100));
}

const QUIET = "Run `calltally sync --full` again: a run during which no call comes or goes can be exact.";
const SMALLER = "Run `calltally sync --full` with a smaller --limit, so that all pages have one length.";
const AGAIN = "Run `calltally sync --full` again, at a quieter time.";
const ASK = "Ask the support of the service";
const COUNTS_MORE = `${ASK} what \`total\` counts: its pages list fewer calls, though none came or went.`;

/**
 * Judges a full pass. `exact` and `verified` mean that every call listed throughout the pass was read; `Chain` has the proof.
 *
 * @param distinct calls read in the pass, each counted once
 */
export function judge(evidence: Evidence, distinct: number): Judgement {
  const judgement = judgeFirst("unverified", breaksOf(evidence, distinct)) ?? judgeJoined(evidence, distinct);
  const { totals, unplaced } = evidence;
  if (judgement.verdict !== "probable" || !isFarBelow(totals.most, distinct + unplaced)) return judgement;
  const reason = `${judgement.verdict_reason}; and far fewer calls came than the service counted: ${distinct} of ${totals.most}`;
  return { ...judgement, verdict: "unverified", verdict_reason: reason };
}

/** Judges a full pass whose pages fit together. */
function judgeJoined(evidence: Evidence, distinct: number): Judgement {
  const { totals, end } = evidence;
  const judgement = judgeFirst("probable", [
    ...doubtsOf(evidence, distinct),
    ...contradictionsOf(evidence, distinct),
  ]);
  if (judgement !== undefined) return judgement;
  if (isCounted(totals, distinct)) {
    const reason = `all pages joined, and every one of ${totals.last} calls read`;
    return { verdict: "exact", verdict_reason: reason, advice: null };
  }
  const joined = `all pages joined, while calls came or went: ${counted(distinct, totals)}`;
  if (end === "short slice") return { verdict: "verified", verdict_reason: joined, advice: null };
  const pages = evidence.isOneLength
    ? "fewer than two full pages of one length"
    : "pages of different lengths";
  const reason = `${joined}; but ${pages} do not prove the end`;
  return { verdict: "probable", verdict_reason: reason, advice: evidence.isOneLength ? QUIET : SMALLER };
}

/** Whether more calls are missing than the missing-call threshold of those counted. */
function isFarBelow(counted: number, read: number): boolean {
  return counted - read > missingCallThreshold(counted);
}

type Finding = readonly [isFound: boolean, reason: string, advice: string];

function judgeFirst(verdict: Verdict, findings: readonly Finding[]): Judgement | undefined {
  const finding = findings.find(([isFound]) => isFound);
  return finding && { verdict, verdict_reason: finding[1], advice: finding[2] };
}

/** Findings that make a pass `unverified`. */
function breaksOf(evidence: Evidence, distinct: number): Finding[] {
  const { totals, seamsBroken, fragmented, keys, end, endsAt, gaps, unplaced, front } = evidence;
  const count = counted(distinct, totals);
  const isUnfit = !fits(totals, distinct);
  const isListedLess = isFarBelow(totals.least, distinct + unplaced);
  const isCutOff = isListedLess && isFarBelow(totals.least, endsAt);
  const beyond = beyondEnd(evidence);
  const empty = gaps.map(({ first, last }) => `${first} to ${last}`).join(", ");
  return [
    [
      !evidence.startsAtFront,
      `the service did not begin with the first call: ${count}`,
      `${ASK} what offset 0 gives.`,
    ],
    [
      distinct === 0 && unplaced > 0,
      `no row has a readable call_id (${evidence.unplacedReason ?? "none"}): ${count}`,
      "See them in `rejected_calls`, and report them to the service's support.",
    ],
    [distinct === 0 && totals.last > 0, `no call came: ${count}`, `${ASK} why its pages are empty.`],
    [
      gaps.length > 0,
      `the list ended early and went on: offsets ${empty} came empty: ${count}`,
      `${ASK} why these pages are empty.`,
    ],
    [
      end === "unseen" &&
        !isEachReadOnce(evidence, distinct) &&
        !(isListedLess && evidence.behind.at(-1)?.rows === 0),
      `the end of the calls was not reached${beyond}: ${count}`,
      endAdvice(evidence) ?? AGAIN,
    ],
    [
      fragmented > 0,
      `${plural(fragmented, "page")} had to be read in pieces: ${count}`,
      "See the rows that the service fails on in `rejected_calls`, and report them to its support.",
    ],
    [
      !evidence.isFrontMet && seamsBroken === 0,
      `the closing look at the front met ${front.met} calls of the first page, where ${front.needed} are needed: ${count}`,
      AGAIN,
    ],
    [
      !evidence.isLinked,
      `${plural(Math.max(1, seamsBroken), "seam")} between pages did not join: ${count}`,
      "Try another --limit; if the problem remains, see `calltally doctor`: pages may not overlap as they should.",
    ],
    [
      isCutOff,
      `no ${beyond === "" ? "call" : "other call"} came from offset ${endsAt} on${beyond}, though the service counts more: ${count}`,
      ignoredOffset(evidence) ??
        `${ASK} for the calls beyond offset ${endsAt}, or sync each organization unit into its own warehouse (setting org_unit_id).`,
    ],
    [keys.length === 0 && isUnfit, `${noOrder(evidence)}, and the counts do not fit: ${count}`, ORDER_ADVICE],
    [!evidence.isProven && isUnfit, `${TIES}, and the counts do not fit: ${count}`, TIES_ADVICE],
  ];
}

const TIES = "more calls than fit on a page have the same place in the order";
const TIES_ADVICE = `A larger --limit may join the pages. At 1000, the most, only another order can: ask the service's support for one by call id.`;
const ORDER_ADVICE = `${ASK} for a stable order by call id or start; without one no pass can be proven.`;

/** Reasons why the proof does not hold, though the pages fit together. */
function doubtsOf(evidence: Evidence, distinct: number): Finding[] {
  const { keys, repeated, old, unplaced, totals } = evidence;
  const isTrusted = keys.some(({ newestAt }) => newestAt !== undefined);
  const count = counted(distinct, totals);
  const fitting = "all pages share calls and the counts fit, but";
  const isEndSeen = evidence.end !== "unseen" && evidence.end !== "repeated";
  return [
    [keys.length === 0, `${fitting} ${noOrder(evidence)}`, ORDER_ADVICE],
    [!evidence.isProven, `${fitting} ${TIES}`, TIES_ADVICE],
    [
      evidence.end === "moving",
      totals.isConstant
        ? `all pages joined, but the last call moved while total stood still: ${count}`
        : `all pages joined, but calls came or went at each look for the end: ${count}`,
      AGAIN,
    ],
    [
      !isEndSeen,
      `all pages joined, but no page shows the end of the calls${beyondEnd(evidence)}: ${count}`,
      endAdvice(evidence) ?? AGAIN,
    ],
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
      `${ASK} for a stable order by call id or start; a run during which no call comes or goes can be exact.`,
    ],
    [
      unplaced > 0,
      "all pages joined, but some rows have no readable call_id",
      "See them in `rejected_calls`, and report them to the service's support.",
    ],
  ];
}

/** Contradictions between the service's `total` and its pages. */
function contradictionsOf(
  { end, totals, vanished, closingOnly, unplaced }: Evidence,
  distinct: number,
): Finding[] {
  // By the theorem of `Chain`, a call that was counted at first and not read before the closing look was removed. So was
  // one that vanished, which was read: they are different calls. All of them together are no more than `total` fell.
  const unread = Math.max(0, totals.first - (distinct - closingOnly));
  const gone = vanished + unread;
  const count = counted(distinct, totals);
  const listsFarFewer = isFarBelow(totals.least, distinct + unplaced);
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
      end === "disputed" || !fits(totals, distinct),
      `${joined}, but the service counts more than it lists: ${count}`,
      listsFarFewer ? (totals.isConstant ? COUNTS_MORE : AGAIN) : `${ASK} what \`total\` counts.`,
    ],
    [
      totals.isConstant && distinct > totals.last,
      `${joined}, but total stood still while calls came or went: ${count}`,
      `${ASK} whether \`total\` comes from a cache; or try a run at a quieter time.`,
    ],
    [
      gone > totals.falls,
      `${joined}, but ${plural(gone, "call")} ${gone === 1 ? "is" : "are"} no longer in place, though total fell by only ${totals.falls}`,
      `${ASK} whether calls change places, as in an order by last update.`,
    ],
  ];
}

/** Whether each call was read in one place, `total` was their number in every response, and no other call came behind them. */
function isEachReadOnce({ totals, fresh, behind }: Evidence, distinct: number): boolean {
  const unseen = behind.at(-1)?.unseen ?? 0;
  return isCounted(totals, distinct) && fresh === distinct && unseen === 0;
}

function beyondEnd({ behind }: Evidence): string {
  const look = behind.findLast(({ rows }) => rows > 0);
  if (look === undefined) return "";
  const { offset, rows, unseen, repeats } = look;
  if (repeats === undefined)
    return `: offset ${offset} gave ${unseen > 0 ? plural(unseen, "other call") : plural(rows, "known call")}`;
  return `: offset ${offset} gave rows ${repeats + 1} to ${repeats + rows}`;
}

/** Advice if the first page came again in the place of a later one. */
function ignoredOffset({ behind }: Evidence): string | undefined {
  const look = behind.findLast(({ rows }) => rows > 0);
  return look?.unseen === 0 && look.repeats === 0
    ? `${ASK} why offset ${look.offset} gives the first calls again: it seems to ignore \`offset\`.`
    : undefined;
}

/** Returns what to ask about known calls behind the last one, unless calls that came before them moved them there. */
function endAdvice(evidence: Evidence): string | undefined {
  const { behind, totals } = evidence;
  const look = behind.findLast(({ rows }) => rows > 0);
  if (look === undefined || look.unseen > 0) return undefined;
  const moved = look.offset - (look.repeats ?? 0);
  if (look.offset < look.total && moved <= totals.rises) return undefined;
  return (
    ignoredOffset(evidence) ??
    `${ASK} what offset ${look.offset} gives: beyond the last call a page should be empty.`
  );
}

/** Whether `total` was the number of calls read in every response. */
function isCounted(totals: Totals, distinct: number): boolean {
  return totals.isConstant && distinct === totals.last;
}

/** Whether the calls read are at least the lowest `total`, and no page goes beyond its own. */
function fits(totals: Totals, distinct: number): boolean {
  return distinct >= totals.least && totals.overruns === 0;
}

/** What the warehouse knows before an incremental pass. */
export interface PriorState {
  /** Calls that the service should list. */
  expected: number;
  /** When the last verified full pass ended, e.g. `2026-11-20 13:37 UTC`. */
  since: string | null;
  /** The order keys of that pass. */
  keys: readonly OrderKey[];
}

/**
 * Judges an incremental pass, at most as `probable`: a late call and a removed one, both older than the look-back, would
 * cancel out in the counts.
 */
export function judgeIncremental(evidence: Evidence, { expected, since, keys }: PriorState): Judgement {
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
    [
      expected !== totals.last || isFarBelow(totals.most, expected),
      `the counts disagree: ${expected} calls here, total ${totals.last}${totals.most > totals.last ? `, and up to ${totals.most}` : ""}`,
    ],
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
