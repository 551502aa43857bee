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
type Dimension = (typeof WATCHED)[number];
export const KINDS = ["silent", "few", "many"] as const;
export const END_REASONS = ["calls again", "as before", "nothing to compare with"] as const;

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
}

type End = { endedMs: number; reason: (typeof END_REASONS)[number] };

/**
 * Finds keys that have gone silent or far off, and notices that are over.
 * @param calls all since {@link HORIZON_MS} before, by start
 * @param options.untilMs calls from then on are not judged
 * @param options.zone IANA zone of weekdays and hours
 */
export function judgeCalls<Past extends PastNotice>(
  calls: readonly WatchedCall[],
  { untilMs, zone, past }: { untilMs: number; zone: string; past: readonly Past[] },
) {
  const started: (WatchedKey & Finding)[] = [];
  const ended: (End & { notice: Past })[] = [];
  const weeksBefore = weekShifter(zone);
  const pastOf = (dimension: Dimension) => past.filter((notice) => notice.dimension === dimension);
  const watch = (dimension: Dimension, key: string, times: readonly number[] = []) => {
    const own = pastOf(dimension).filter((notice) => notice.key === key);
    const known = dimension === "all" ? own : [...own, ...pastOf("all")];
    return new KeyCalls(times, { weeksBefore, untilMs, past: known });
  };
  const grouped = new Map(WATCHED.map((dimension) => [dimension, groupTimes(calls, dimension)]));
  const examined = [...grouped].flatMap(([dimension, groups]) =>
    [...groups].filter(([key, times]) => watch(dimension, key, times).isExamined()),
  );
  const level = FALSE_CHANCE / examined.length;
  const stretches = [startOfDay(untilMs, zone), weeksBefore(untilMs, 1)] as const;
  let remaining = calls;
  for (const [dimension, all] of grouped) {
    const groups = remaining === calls ? all : groupTimes(remaining, dimension);
    const off = new Set(pastOf(dimension).map(({ key }) => key));
    const open = pastOf(dimension).filter(({ endedMs }) => endedMs === undefined);
    for (const notice of open) {
      const end = watch(dimension, notice.key, all.get(notice.key)).endOf(notice);
      if (end !== undefined) ended.push({ notice, ...end });
    }
    const others = remaining.map(({ startedMs }) => startedMs);
    for (const [key, times] of groups) {
      if (open.some((notice) => notice.key === key)) continue;
      const watched = watch(dimension, key, times);
      const finding = watched.isExamined() ? watched.find(level, stretches) : undefined;
      if (finding === undefined) continue;
      const apart = [...new Set([key, ...off])].map((each) => groups.get(each) ?? []);
      // A source that all calls have is off because all calls are.
      const isAll = dimension !== "tracking_number" && times.length === others.length;
      if (dimension !== "all" && (isAll || watched.isShared(finding, others, apart))) continue;
      started.push({ dimension, key, ...finding });
      off.add(key);
    }
    if (off.size > 0) remaining = remaining.filter((call) => !off.has(keyOf(call, dimension) ?? ""));
  }
  return { started, ended };
}

type Count = (fromMs: number, untilMs: number) => number;

/** The calls of a key. */
class KeyCalls {
  readonly #times: readonly number[];
  readonly #untilMs: number;
  readonly #weeksBefore: WeekShifter;
  readonly #past: readonly PastNotice[];

  constructor(
    times: readonly number[],
    context: { weeksBefore: WeekShifter; untilMs: number; past: readonly PastNotice[] },
  ) {
    this.#times = times;
    this.#untilMs = context.untilMs;
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
  find(level: number, stretches: readonly number[]): Finding | undefined {
    const sinceMs = Math.max(this.#weekMs, ...this.#past.map(({ endedMs = 0 }) => endedMs));
    const lastMs = this.#times.at(-1) ?? 0;
    const silent = this.#look(Math.max(lastMs + 1, sinceMs));
    if (lastMs < this.#untilMs && silent.calls === 0 && silent.chance < level)
      return { kind: "silent", sinceMs: lastMs, calls: 0, expected: silent.expected };
    for (const fromMs of stretches) {
      const { kind, chance, ...seen } = this.#look(Math.max(fromMs, sinceMs));
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
    const count: Count = (...span) =>
      countIn(all, ...span) - apart.reduce((sum, times) => sum + countIn(times, ...span), 0);
    const others = this.#look(Math.max(sinceMs, this.#weekMs), count);
    return others.kind === (kind === "many" ? "many" : "few") && others.chance < SHARED_CHANCE;
  }

  /** Returns undefined while it is still off. */
  endOf({ kind, sinceMs }: PastNotice): End | undefined {
    const againMs = this.#times[lowerBound(this.#times, sinceMs + 1)];
    if (kind === "silent" && againMs !== undefined) return { endedMs: againMs, reason: "calls again" };
    const endedMs = this.#untilMs;
    if (this.#before(this.#weekMs).weeks < MIN_WEEKS) return { endedMs, reason: "nothing to compare with" };
    const isOff = kind === "silent" || this.#look(Math.max(sinceMs, this.#weekMs)).kind === kind;
    return isOff ? undefined : { endedMs, reason: "as before" };
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
        ({ sinceMs, endedMs = this.#untilMs }) => sinceMs < until && endedMs > from,
      );
      if (isOff || from < firstMs) continue;
      calls += count(from, until);
      weeks += 1;
    }
    return { calls, weeks };
  }

  get #weekMs(): number {
    return this.#weeksBefore(this.#untilMs, 1);
  }

  readonly #count: Count = (...span) => countIn(this.#times, ...span);
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

/** Returns when the local day of the last judged moment begins. */
function startOfDay(untilMs: number, zone: string): number {
  const { offsetMs } = zoneOffsets(zone)(untilMs - 1);
  return Math.floor((untilMs - 1 + offsetMs) / DAY_MS) * DAY_MS - offsetMs;
}
