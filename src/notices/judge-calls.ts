import { chanceOfAtLeast, chanceOfAtMost } from "../base/chance.ts";
import { zoneOffsets } from "../calendar/local-time.ts";

const DAY_MS = 86_400_000;
export const WEEK_MS = 7 * DAY_MS;
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
/** If all other calls are far off as well, with less than this chance, the key is not the reason. */
const SHARED_CHANCE = 0.01;

/** In the order in which they are judged: the calls of a key with a notice do not count for the next. */
export const WATCHED = ["tracking_number", "source", "campaign", "all"] as const;
export type WatchedDimension = (typeof WATCHED)[number];
export const KINDS = ["silent", "few", "many"] as const;
export const END_REASONS = ["calls again", "as before", "nothing to compare with"] as const;

export interface WatchedCall extends Record<Exclude<WatchedDimension, "all">, string | null> {
  startedMs: number;
}

/** What a key is off by. */
export interface Finding {
  kind: (typeof KINDS)[number];
  sinceMs: number;
  /** Calls since then, and how many were expected. */
  calls: number;
  expected: number;
}

export interface KeyNotice {
  dimension: WatchedDimension;
  key: string;
}

/** A notice of before; its time is not compared with. */
export interface PastNotice extends KeyNotice {
  kind: Finding["kind"];
  sinceMs: number;
  /** Undefined while it is open. */
  endedMs: number | undefined;
}

export interface NoticeEnd<Past> {
  notice: Past;
  endedMs: number;
  reason: (typeof END_REASONS)[number];
}

export interface Judgement<Past> {
  started: (KeyNotice & Finding)[];
  ended: NoticeEnd<Past>[];
}

interface JudgeOptions<Past> {
  /** Calls from then on are not judged. */
  untilMs: number;
  /** IANA zone of weekdays and hours. */
  zone: string;
  /** Notices that are open, or were in the time of the calls. */
  past: readonly Past[];
}

/**
 * Finds keys that have gone silent or far off, and notices that are over.
 * @param calls all since {@link HORIZON_MS} before, by start
 */
export function judgeCalls<Past extends PastNotice>(
  calls: readonly WatchedCall[],
  { untilMs, zone, past }: JudgeOptions<Past>,
): Judgement<Past> {
  const judgement: Judgement<Past> = { started: [], ended: [] };
  const weeksBefore = weekShifter(zone);
  const pastOf = (dimension: WatchedDimension, key: string) =>
    past.filter((notice) => notice.dimension === dimension && notice.key === key);
  const watch = (dimension: WatchedDimension, key: string, times: readonly number[]) => {
    const own = [...pastOf(dimension, key), ...(dimension === "all" ? [] : pastOf("all", ""))];
    return new WatchedKey(times, { weeksBefore, untilMs, past: own });
  };
  const grouped = new Map(WATCHED.map((dimension) => [dimension, groupTimes(calls, dimension)]));
  const examined = WATCHED.flatMap((dimension) =>
    [...(grouped.get(dimension) ?? [])].filter(([key, times]) => watch(dimension, key, times).isExamined()),
  );
  const level = FALSE_CHANCE / examined.length;
  const days = { dayMs: startOfDay(untilMs, zone), weekMs: weeksBefore(untilMs, 1) };
  let remaining = calls;
  for (const dimension of WATCHED) {
    const groups = (remaining === calls && grouped.get(dimension)) || groupTimes(remaining, dimension);
    const known = past.filter((each) => each.dimension === dimension);
    const off = new Set(known.map(({ key }) => key));
    const open = new Map(
      known.filter(({ endedMs }) => endedMs === undefined).map((each) => [each.key, each]),
    );
    for (const [key, notice] of open) {
      const end = watch(dimension, key, grouped.get(dimension)?.get(key) ?? []).endOf(notice);
      if (end !== undefined) judgement.ended.push({ notice, ...end });
    }
    const others = remaining.map(({ startedMs }) => startedMs);
    for (const [key, times] of groups) {
      if (open.has(key)) continue;
      const watched = watch(dimension, key, times);
      const finding = watched.isExamined() ? watched.find(level, days) : undefined;
      if (finding === undefined) continue;
      const apart = [...new Set([key, ...off])].map((each) => groups.get(each) ?? []);
      // A source that all calls have is off because all calls are.
      const isAll = dimension !== "tracking_number" && times.length === others.length;
      if (dimension !== "all" && (isAll || watched.isShared(finding, others, apart))) continue;
      judgement.started.push({ dimension, key, ...finding });
      off.add(key);
    }
    if (off.size > 0) remaining = remaining.filter((call) => !off.has(keyOf(call, dimension) ?? ""));
  }
  return judgement;
}

/** The calls of a key. */
class WatchedKey {
  readonly #times: readonly number[];
  readonly #untilMs: number;
  readonly #weeksBefore: WeekShifter;
  readonly #past: readonly PastNotice[];

  constructor(
    times: readonly number[],
    {
      weeksBefore,
      untilMs,
      past,
    }: { weeksBefore: WeekShifter; untilMs: number; past: readonly PastNotice[] },
  ) {
    this.#times = times;
    this.#untilMs = untilMs;
    this.#weeksBefore = weeksBefore;
    this.#past = past;
  }

  isExamined(): boolean {
    const { calls, weeks } = this.#before(this.#weeksBefore(this.#untilMs, 1));
    return this.#isComparable() && calls >= MIN_CALLS_A_WEEK * weeks;
  }

  #isComparable(): boolean {
    return this.#before(this.#weeksBefore(this.#untilMs, 1)).weeks >= MIN_WEEKS;
  }

  /** What is off: since the last call, today, or in seven days. Time of an earlier notice is not judged again. */
  find(level: number, { dayMs, weekMs }: { dayMs: number; weekMs: number }): Finding | undefined {
    const endedMs = Math.max(weekMs, ...this.#past.map((notice) => notice.endedMs ?? weekMs));
    const lastMs = this.#times[lowerBound(this.#times, this.#untilMs) - 1] ?? weekMs;
    const silent = this.#look(Math.max(lastMs + 1, endedMs));
    if (silent.calls === 0 && silent.chance < level)
      return { kind: "silent", sinceMs: lastMs, calls: 0, expected: silent.expected };
    for (const fromMs of [dayMs, weekMs]) {
      const { kind, chance, ...seen } = this.#look(Math.max(fromMs, endedMs));
      if (kind !== undefined && chance < level) return { kind, ...seen };
    }
    return undefined;
  }

  /** Whether all other calls are far off in the same way. @param apart calls that are not among the others */
  isShared(
    { kind, sinceMs }: Finding,
    all: readonly number[],
    apart: readonly (readonly number[])[],
  ): boolean {
    const count = (fromMs: number, untilMs: number) =>
      countIn(all, fromMs, untilMs) - apart.reduce((sum, times) => sum + countIn(times, fromMs, untilMs), 0);
    const seen = this.#look(Math.max(sinceMs, this.#weeksBefore(this.#untilMs, 1)), count);
    return (
      (seen.kind === "many") === (kind === "many") && seen.kind !== undefined && seen.chance < SHARED_CHANCE
    );
  }

  /** Returns undefined while it is still off. */
  endOf({ kind, sinceMs }: PastNotice): Pick<NoticeEnd<never>, "endedMs" | "reason"> | undefined {
    const againMs = this.#times[lowerBound(this.#times, sinceMs + 1)];
    if (kind === "silent" && againMs !== undefined && againMs < this.#untilMs)
      return { endedMs: againMs, reason: "calls again" };
    if (!this.#isComparable()) return { endedMs: this.#untilMs, reason: "nothing to compare with" };
    if (kind === "silent") return undefined;
    const seen = this.#look(Math.max(sinceMs, this.#weeksBefore(this.#untilMs, 1)));
    return seen.kind === kind ? undefined : { endedMs: this.#untilMs, reason: "as before" };
  }

  /** Compares the calls from a moment on with those of the weeks before. */
  #look(sinceMs: number, count = this.#count) {
    const { calls: others, weeks } = this.#before(sinceMs, count);
    const calls = count(sinceMs, this.#untilMs);
    const expected = weeks === 0 ? 0 : others / weeks;
    const kind: Finding["kind"] | undefined =
      calls * FACTOR <= expected ? "few" : calls >= expected * FACTOR ? "many" : undefined;
    const chanceOf = kind === "many" ? chanceOfAtLeast : chanceOfAtMost;
    return { kind, sinceMs, calls, expected, chance: weeks === 0 ? 1 : chanceOf(calls, others, weeks) };
  }

  /** Counts the calls at the same weekdays and hours of the weeks before that have the key and no notice. */
  #before(fromMs: number, count = this.#count): { calls: number; weeks: number } {
    const [firstMs = Number.POSITIVE_INFINITY] = this.#times;
    let [calls, weeks] = [0, 0];
    for (let week = 1; week <= WEEKS; week++) {
      const [from, until] = [this.#weeksBefore(fromMs, week), this.#weeksBefore(this.#untilMs, week)];
      const isOff = this.#past.some(
        ({ sinceMs, endedMs }) => sinceMs < until && (endedMs ?? this.#untilMs) > from,
      );
      if (isOff || from < firstMs) continue;
      calls += count(from, until);
      weeks += 1;
    }
    return { calls, weeks };
  }

  readonly #count = (fromMs: number, untilMs: number) => countIn(this.#times, fromMs, untilMs);
}

function groupTimes(calls: readonly WatchedCall[], dimension: WatchedDimension): Map<string, number[]> {
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

const keyOf = (call: WatchedCall, dimension: WatchedDimension) =>
  dimension === "all" ? "" : call[dimension];

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

/** Returns when the local day of the last judged moment begins. */
function startOfDay(untilMs: number, zone: string): number {
  const { offsetMs } = zoneOffsets(zone)(untilMs - 1);
  return Math.floor((untilMs - 1 + offsetMs) / DAY_MS) * DAY_MS - offsetMs;
}
