import { Temporal } from "temporal-polyfill";
import { chanceOfAtLeast, chanceOfAtMost } from "../base/chance.ts";
import { startOfDay } from "../calendar/dates.ts";
import { localDate, zoneOffsets } from "../calendar/local-time.ts";

const HOUR_MS = 3_600_000;
export const WEEK_MS = 7 * 24 * HOUR_MS;
/** Calls are compared with those at the same weekdays and hours of so many weeks before. */
const WEEKS = 8;
/** The judged week, those before, and one more that shows whether a key had calls before them. */
export const HORIZON_MS = (WEEKS + 2) * WEEK_MS;
/** Fewer weeks without a notice are too few to compare with. */
const MIN_WEEKS = 4;
/** A key with fewer is not examined: its silence would be noticed only after weeks. */
const MIN_CALLS_A_WEEK = 10;
/** Far off is at most half, or at least twice, of what is expected. */
const FACTOR = 2;
/** The chance of a false notice, of all examined keys together, in one judgement of an hour. */
const FALSE_CHANCE = 2e-5;
/** Other calls are off as well with less than this chance; with more, a key is not. */
const SHARED_CHANCE = 0.01;
/** A notice is over when calls are no longer half or double, but for this chance. */
const END_CHANCE = 0.001;

/** In the order in which they are judged. */
export const WATCHED = ["tracking_number", "source", "campaign", "all"] as const;
type Dimension = (typeof WATCHED)[number];
export const KINDS = ["silent", "few", "many"] as const;
export const END_REASONS = ["calls again", "as before", "nothing to compare with", "switched off"] as const;

export interface WatchedCall extends Record<Exclude<Dimension, "all">, string | null> {
  startedMs: number;
}

export interface WatchedKey {
  dimension: Dimension;
  /** Empty for all calls. */
  key: string;
}

/** How calls are off. */
interface Finding {
  kind: (typeof KINDS)[number];
  sinceMs: number;
  /** Calls since then, and how many were expected. */
  calls: number;
  expected: number;
}

/** A notice that is open, or was in the time of the calls: that time is not compared with. */
export interface PastNotice extends WatchedKey, Pick<Finding, "kind" | "sinceMs"> {
  /** Undefined while it is open. */
  endedMs: number | undefined;
  reason: (typeof END_REASONS)[number] | null;
}

type End = { endedMs: number; reason: (typeof END_REASONS)[number] };

interface JudgeOptions<Past> {
  /** Later calls are not judged. */
  untilMs: number;
  /** IANA zone of weekdays and hours. */
  zone: string;
  past: readonly Past[];
  /** When the last day of a campaign's spend began: without later spend, it may have been paused. */
  spentMs?: ReadonlyMap<string, number>;
}

/**
 * Finds keys that have gone silent or far off, and notices that are over.
 * @param calls all since {@link HORIZON_MS} before, by start
 */
export function judgeCalls<Past extends PastNotice>(
  calls: readonly WatchedCall[],
  { untilMs, zone, past, spentMs }: JudgeOptions<Past>,
) {
  const weeksBefore = weekShifter(zone);
  const lastDay = Temporal.PlainDate.from(localDate(new Date(untilMs - 1).toISOString(), zone));
  const stretches = [Date.parse(startOfDay(lastDay, zone)), weeksBefore(untilMs, 1)] as const;
  const watch = (key: WatchedKey, times: readonly number[] = []) => {
    const own = past.filter((notice) => notice.dimension === "all" || isSame(notice, key));
    return new KeyCalls(times, { weeksBefore, untilMs, past: own });
  };
  const groups = new Map(WATCHED.map((dimension) => [dimension, groupTimes(calls, dimension)]));
  const open: WatchedKey[] = [];
  const ended: (End & { notice: Past })[] = [];
  for (const notice of past.filter(({ endedMs }) => endedMs === undefined)) {
    const end = watch(notice, groups.get(notice.dimension)?.get(notice.key)).endOf(notice);
    if (end === undefined) open.push(notice);
    else ended.push({ notice, ...end });
  }
  /** Whether neither another notice explains a finding, nor that all other calls are off as well. */
  const isNews = (key: WatchedKey, finding: Finding, level: number): boolean => {
    const { kind, sinceMs } = finding;
    if (key.dimension === "campaign" && (spentMs?.get(key.key) ?? untilMs) <= sinceMs) return false;
    // Notices of this time, and those whose new level is usual since.
    const noticed = past.filter(
      ({ endedMs = untilMs, reason }) =>
        endedMs > sinceMs || kind === "many" || reason === "nothing to compare with",
    );
    const apart = [...open, ...noticed].filter((notice) => !isSame(notice, key));
    const left = calls.filter((call) => !apart.some((notice) => has(call, notice)));
    const timesOf = (isOwn: boolean) =>
      left.flatMap((call) => (has(call, key) === isOwn ? call.startedMs : []));
    if (apart.length > 0 && !watch(key, timesOf(true)).isOff(finding, level)) return false;
    if (key.dimension === "all") return true;
    const others = timesOf(false);
    // A source that all calls have is off because all calls are.
    if (others.length === 0) return key.dimension === "tracking_number";
    return !watch({ dimension: "all", key: "" }, others).isOff(finding, SHARED_CHANCE);
  };
  const examined = [...groups].flatMap(([dimension, keys]) =>
    [...keys]
      .map(([key, times]) => ({ dimension, key, watched: watch({ dimension, key }, times) }))
      .filter(({ watched }) => watched.isExamined()),
  );
  const level = FALSE_CHANCE / examined.length;
  const started: (WatchedKey & Finding)[] = [];
  for (const { watched, ...key } of examined) {
    if (past.some((notice) => notice.endedMs === undefined && isSame(notice, key))) continue;
    const found = watched.find(level, stretches, (finding) => isNews(key, finding, level));
    if (found === undefined) continue;
    started.push({ ...key, ...found });
    open.push(key);
  }
  return { started, ended };
}

const isSame = (a: WatchedKey, b: WatchedKey) => a.dimension === b.dimension && a.key === b.key;
const has = (call: WatchedCall, { dimension, key }: WatchedKey) => keyOf(call, dimension) === key;

/** The calls of a key. */
class KeyCalls {
  readonly #times: readonly number[];
  readonly #untilMs: number;
  readonly #weekMs: number;
  readonly #weeksBefore: WeekShifter;
  readonly #past: readonly PastNotice[];

  constructor(
    times: readonly number[],
    context: { weeksBefore: WeekShifter; untilMs: number; past: readonly PastNotice[] },
  ) {
    this.#times = times;
    this.#untilMs = context.untilMs;
    this.#weekMs = context.weeksBefore(context.untilMs, 1);
    this.#weeksBefore = context.weeksBefore;
    this.#past = context.past;
  }

  isExamined(): boolean {
    const { calls, weeks } = this.#before(this.#weekMs);
    return weeks >= MIN_WEEKS && calls >= MIN_CALLS_A_WEEK * weeks;
  }

  /**
   * Finds what is off: since the last call, today, or in seven days. Time of an earlier notice is not judged again.
   * @param stretches when today and the seven days begin
   */
  find(
    level: number,
    stretches: readonly number[],
    isNews: (finding: Finding) => boolean,
  ): Finding | undefined {
    const sinceMs = Math.max(this.#weekMs, ...this.#past.map(({ endedMs = 0 }) => endedMs));
    const lastMs = this.#times.at(-1) ?? 0;
    const silentMs = Math.max(lastMs + 1, sinceMs);
    for (const fromMs of [...(lastMs < this.#untilMs ? [silentMs] : []), ...stretches]) {
      const { kind, chance, calls, expected, ...seen } = this.#look(Math.max(fromMs, sinceMs));
      if (kind === undefined || chance >= level) continue;
      const isSilent = fromMs === silentMs && calls === 0;
      const finding: Finding = { kind, calls, expected, sinceMs: seen.sinceMs };
      if (isNews(finding)) return isSilent ? { ...finding, kind: "silent", sinceMs: lastMs } : finding;
    }
    return undefined;
  }

  /** Whether these calls are off in the same way as others. */
  isOff({ kind, sinceMs }: Finding, level: number): boolean {
    const seen = this.#look(sinceMs);
    return seen.kind === kind && seen.chance < level;
  }

  /** Returns undefined while it is still off, or too few calls show otherwise. */
  endOf({ kind, sinceMs }: PastNotice): End | undefined {
    if (this.#before(this.#weekMs).weeks < MIN_WEEKS)
      return { endedMs: this.#untilMs, reason: "nothing to compare with" };
    const longestMs = this.#untilMs - Math.max(sinceMs, this.#weekMs);
    // It is not known since when calls are as before: the shortest stretch that shows it.
    for (let lengthMs = HOUR_MS; lengthMs < 2 * longestMs; lengthMs *= 2) {
      const fromMs = this.#untilMs - Math.min(lengthMs, longestMs);
      const { calls, others, weeks } = this.#look(fromMs);
      const chance =
        kind === "many"
          ? chanceOfAtMost(calls, others, weeks / FACTOR)
          : chanceOfAtLeast(calls, others, weeks * FACTOR);
      if (weeks === 0 || chance >= END_CHANCE) continue;
      if (kind !== "silent") return { endedMs: fromMs, reason: "as before" };
      return { endedMs: this.#times[lowerBound(this.#times, fromMs)] ?? fromMs, reason: "calls again" };
    }
    return undefined;
  }

  /** Compares the calls from a moment on with those of the weeks before. */
  #look(sinceMs: number) {
    const { calls: others, weeks } = this.#before(sinceMs);
    const calls = countIn(this.#times, sinceMs, this.#untilMs);
    const expected = weeks === 0 ? 0 : others / weeks;
    const kind: Finding["kind"] | undefined =
      calls * FACTOR <= expected ? "few" : calls >= expected * FACTOR ? "many" : undefined;
    const chanceOf = kind === "many" ? chanceOfAtLeast : chanceOfAtMost;
    const chance = weeks === 0 ? 1 : chanceOf(calls, others, weeks);
    return { kind, sinceMs, calls, expected, chance, others, weeks };
  }

  /**
   * Counts the calls at the same weekdays and hours of the weeks before that have the key and no notice: for as long, up to
   * the same local time, since a clock change may lie between.
   */
  #before(fromMs: number): { calls: number; weeks: number } {
    const [firstMs = Number.POSITIVE_INFINITY] = this.#times;
    let [calls, weeks] = [0, 0];
    for (let week = 1; week <= WEEKS; week++) {
      const until = this.#weeksBefore(this.#untilMs, week);
      const from = until - (this.#untilMs - fromMs);
      const isOff = this.#past.some(
        ({ sinceMs, endedMs = this.#untilMs }) => sinceMs < until && endedMs > from,
      );
      if (isOff || from < firstMs) continue;
      calls += countIn(this.#times, from, until);
      weeks += 1;
    }
    return { calls, weeks };
  }
}

function groupTimes(calls: readonly WatchedCall[], dimension: Dimension): Map<string, number[]> {
  const groups = new Map<string, number[]>();
  for (const call of calls) {
    const key = keyOf(call, dimension);
    if (key === null) continue;
    const times = groups.get(key);
    if (times === undefined) groups.set(key, [call.startedMs]);
    else times.push(call.startedMs);
  }
  return groups;
}

const keyOf = (call: WatchedCall, dimension: Dimension) => (dimension === "all" ? "" : call[dimension]);

/** From the first up to, and without, the second moment. */
function countIn(times: readonly number[], fromMs: number, untilMs: number): number {
  return fromMs < untilMs ? lowerBound(times, untilMs) - lowerBound(times, fromMs) : 0;
}

/** Returns the index of the first time that is not before a moment. */
function lowerBound(times: readonly number[], ms: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

type WeekShifter = (ms: number, weeks: number) => number;

/** Returns a function from a moment to the same weekday and local time some weeks before. */
function weekShifter(zone: string): WeekShifter {
  const offsetAt = zoneOffsets(zone);
  return (ms, weeks) => {
    const before = ms - weeks * WEEK_MS;
    return before + offsetAt(ms).offsetMs - offsetAt(before).offsetMs;
  };
}
