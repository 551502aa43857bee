import { zoneOffsets } from "../../base/calendar/local-time.ts";
import { chanceOfAtLeast, chanceOfAtMost } from "../../base/chance.ts";
import { type CallHours, type CallKeys, type HourCounts, keyOf, type WatchedKey } from "./call-hours.ts";
import { type EndReason, type NoticeKind, WATCHED } from "./notice-table.ts";

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;
export const WEEK_MS = WEEK_HOURS * HOUR_MS;
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
/** Calls are as before again at so many times what is expected, or nearer: a rate near the factor does not come and go. */
const END_FACTOR = 1.25;
/** The chance of a false notice, of all examined keys together, in one judgement of an hour. */
const FALSE_CHANCE = 2e-5;
/** A key is off more than all other calls are, but for this chance; with more, the others are off as well. */
const SHARED_CHANCE = 0.01;
/** A notice is over when calls are no longer half or double, but for this chance. */
const END_CHANCE = 0.0002;

/** How calls are off. Hours are counted since 1970. */
interface Finding {
  kind: NoticeKind;
  sinceHour: number;
  /** Calls since then, and how many were expected. */
  calls: number;
  expected: number;
}

/** A notice that is open, or was in the time of the calls: that time is not compared with. */
export interface PastNotice extends WatchedKey, Pick<Finding, "kind" | "sinceHour"> {
  /** Undefined while it is open. */
  endedHour: number | undefined;
  reason: EndReason | null;
}

type End = { endedHour: number; reason: EndReason };

interface JudgeOptions<Past> {
  /** Later calls are not judged. */
  untilHour: number;
  /** IANA zone of weekdays and hours. */
  zone: string;
  past: readonly Past[];
  /** Local days with spend of each campaign, since 1970; no other campaign is watched. */
  spent?: ReadonlyMap<string, ReadonlySet<number>>;
}

/**
 * Finds keys that have gone silent or far off, and notices that are over.
 * @param calls those since {@link HORIZON_MS} before
 */
export function judgeCalls<Past extends PastNotice>(
  calls: CallHours,
  { untilHour, zone, past, spent = new Map() }: JudgeOptions<Past>,
) {
  const { days, dayHour, weekHour } = lastDays(untilHour, zone);
  const watch = (key: WatchedKey, counts: HourCounts) => {
    const own = past.filter((notice) => notice.dimension === "all" || isSame(notice, key));
    const isDay = key.dimension === "campaign" ? isWholeDay(spent.get(key.key)) : () => true;
    return new KeyCalls(counts, { days, untilHour, weekHour, past: own, isDay });
  };
  const open: (WatchedKey & Pick<Finding, "kind">)[] = [];
  const ended: (End & { notice: Past })[] = [];
  for (const notice of past.filter(({ endedHour }) => endedHour === undefined)) {
    const end = watch(notice, calls.countKey(notice)).endOf(notice);
    if (end === undefined) open.push(notice);
    else ended.push({ notice, ...end });
  }
  /** Whether neither another notice nor a new key explains a finding, nor that all other calls are off as well. */
  const isNews = (key: WatchedKey, finding: Finding, level: number): boolean => {
    const { kind, sinceHour } = finding;
    // Open ones of the same direction, others of this time, and those whose new level is usual since.
    const noticed = past.filter(
      ({ endedHour = untilHour, reason, ...notice }) =>
        !open.some((other) => isSame(notice, other)) &&
        (endedHour > sinceHour || kind === "many" || reason === "nothing to compare with"),
    );
    const alike = open.filter((notice) => (notice.kind === "many") === (kind === "many"));
    const apart = [...alike, ...noticed].filter((notice) => !isSame(notice, key));
    const isNew = kind === "many" ? newKeys(calls, weekHour) : () => false;
    const isLeft = (keys: CallKeys) => !isNew(keys) && !apart.some((notice) => has(keys, notice));
    const own = watch(
      key,
      calls.count((keys) => isLeft(keys) && has(keys, key)),
    ).look(sinceHour);
    if (own.kind !== kind || own.chanceOf(TESTS[kind]) >= level) return false;
    if (key.dimension === "all") return true;
    const others = calls.count((keys) => isLeft(keys) && !has(keys, key));
    // A source that all calls have is off because all calls are.
    if (others.firstFrom(0) === undefined) return key.dimension === "tracking_number";
    const rest = watch({ dimension: "all", key: "" }, others).look(sinceHour);
    return TESTS[kind](own.calls, rest.calls, rest.expected / own.expected) < SHARED_CHANCE;
  };
  const examined = WATCHED.flatMap((dimension) =>
    [...calls.group(dimension, MIN_WEEKS * MIN_CALLS_A_WEEK)]
      .map(([key, counts]) => ({ dimension, key, watched: watch({ dimension, key }, counts) }))
      .filter(({ watched }) => watched.isExamined()),
  );
  const level = FALSE_CHANCE / examined.length;
  const started: (WatchedKey & Finding)[] = [];
  for (const { watched, ...key } of examined) {
    if (past.some((notice) => notice.endedHour === undefined && isSame(notice, key))) continue;
    const found = watched.find(level, [dayHour, weekHour], (finding) => isNews(key, finding, level));
    if (found === undefined) continue;
    started.push({ ...key, ...found });
    open.push({ ...key, kind: found.kind });
  }
  return { started, ended };
}

const isSame = (a: WatchedKey, b: WatchedKey) => a.dimension === b.dimension && a.key === b.key;
const has = (keys: CallKeys, { dimension, key }: WatchedKey) => keyOf(keys, dimension) === key;
const TESTS = { silent: chanceOfAtMost, few: chanceOfAtMost, many: chanceOfAtLeast };

/** On the first and last day of its spend, a campaign may have run for some hours only. */
function isWholeDay(spent: ReadonlySet<number> = new Set()): (day: number) => boolean {
  return (day) => [day - 1, day, day + 1].every((each) => spent.has(each));
}

/** Returns whether calls have a key that has no calls in the weeks before, which it has to have to be examined. */
function newKeys(calls: CallHours, weekHour: number): (keys: CallKeys) => boolean {
  const isNew = (["tracking_number", "source", "campaign"] as const).map((dimension) => {
    const first = calls.firstDays(dimension);
    const since = weekHour - MIN_WEEKS * WEEK_HOURS;
    return (keys: CallKeys) => (first.get(keys[dimension] ?? "") ?? 0) * DAY_HOURS > since;
  });
  return (keys) => isNew.some((each) => each(keys));
}

interface LocalDay {
  /** Since 1970. */
  day: number;
  from: number;
  until: number;
  /** The same weekday and local time as `until`, one week before, two, and so on. */
  ends: readonly number[];
}

/** Returns the local days of the last week, up to the judged hour, and when the last of them and the week begin. */
function lastDays(untilHour: number, zone: string) {
  const offsetAt = zoneOffsets(zone);
  const offsetHours = (hour: number) => offsetAt(hour * HOUR_MS).offsetMs / HOUR_MS;
  const startOf = (day: number) => {
    const guess = day * DAY_HOURS - offsetHours(day * DAY_HOURS);
    return Math.ceil(day * DAY_HOURS - offsetHours(guess));
  };
  const sameTime = (hour: number, weeksBefore: number) => {
    const before = hour - weeksBefore * WEEK_HOURS;
    return Math.round(before + offsetHours(hour) - offsetHours(before));
  };
  const last = Math.floor((untilHour - 1 + offsetHours(untilHour - 1)) / DAY_HOURS);
  const days = Array.from({ length: 8 }, (_, index): LocalDay => {
    const day = last - 7 + index;
    const until = Math.min(startOf(day + 1), untilHour);
    const ends = Array.from({ length: WEEKS }, (_, week) => sameTime(until, week + 1));
    return { day, from: startOf(day), until, ends };
  });
  return { days, dayHour: startOf(last), weekHour: sameTime(untilHour, 1) };
}

interface KeyContext extends Pick<JudgeOptions<unknown>, "untilHour"> {
  days: readonly LocalDay[];
  weekHour: number;
  past: readonly PastNotice[];
  /** Whether a local day counts. */
  isDay: (day: number) => boolean;
}

/** The calls of a key. */
class KeyCalls {
  readonly #counts: HourCounts;
  readonly #context: KeyContext;
  #noise: number | undefined;
  #firstHour: number | undefined;

  constructor(counts: HourCounts, context: KeyContext) {
    this.#counts = counts;
    this.#context = context;
  }

  isExamined(): boolean {
    const { others, weeks } = this.look(this.#context.weekHour);
    return weeks >= MIN_WEEKS && others >= MIN_CALLS_A_WEEK * weeks;
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
    const { weekHour, untilHour, past } = this.#context;
    const earliest = Math.max(weekHour, ...past.map(({ endedHour = 0 }) => endedHour));
    const lastHour = this.#counts.lastBefore(untilHour) ?? 0;
    for (const from of [lastHour + 1, ...stretches]) {
      const sinceHour = Math.max(from, earliest);
      const { kind, chanceOf, calls, expected } = this.look(sinceHour);
      if (kind === undefined || chanceOf(TESTS[kind]) >= level) continue;
      const finding: Finding = { kind, calls, expected, sinceHour };
      if (!isNews(finding)) continue;
      return calls === 0 ? { ...finding, kind: "silent", sinceHour: lastHour + 1 } : finding;
    }
    return undefined;
  }

  /** Returns undefined while it is still off, or too few calls show otherwise. */
  endOf({ kind, sinceHour }: PastNotice): End | undefined {
    const { weekHour, untilHour } = this.#context;
    if (this.look(weekHour).weeks < MIN_WEEKS)
      return { endedHour: untilHour, reason: "nothing to compare with" };
    const longest = untilHour - Math.max(sinceHour, weekHour);
    // It is not known since when calls are as before: the shortest stretch that shows it.
    for (let length = 1; length < 2 * longest; length *= 2) {
      const from = untilHour - Math.min(length, longest);
      const { calls, expected, chanceOf } = this.look(from);
      const chance =
        kind === "many" ? chanceOf(chanceOfAtMost, FACTOR) : chanceOf(chanceOfAtLeast, 1 / FACTOR);
      if (chance >= END_CHANCE) continue;
      if (kind === "silent")
        return { endedHour: this.#counts.firstFrom(from) ?? from, reason: "calls again" };
      if (kind === "many" ? calls <= expected * END_FACTOR : calls * END_FACTOR >= expected)
        return { endedHour: from, reason: "as before" };
    }
    return undefined;
  }

  /** Compares the calls from an hour on with those of the weeks before. */
  look(fromHour: number) {
    const days = this.#daysFrom(fromHour);
    const before = this.#weeksOf(days);
    const weeks = days.length === 0 ? 0 : before.length;
    const calls = sumOf(days.map(({ from, until }) => this.#counts.countIn(from, until)));
    const others = sumOf(before.flat());
    const expected = weeks === 0 ? 0 : others / weeks;
    const kind: Finding["kind"] | undefined =
      calls * FACTOR <= expected ? "few" : calls >= expected * FACTOR ? "many" : undefined;
    /** At a factor of what is expected. */
    const chanceOf = (test: typeof chanceOfAtMost, factor = 1) => {
      const exact = weeks === 0 ? 1 : test(calls, others, weeks / factor);
      if (exact >= END_CHANCE || others === 0) return exact;
      // With noise, what is expected is known as little as from fewer calls.
      const squares = sumOf(
        days.map((_, day) => (sumOf(before.map((week) => week[day] ?? 0)) / others) ** 2),
      );
      const basis = Math.floor(1 / (1 / others + this.#noiseOf() * squares * (1 + 1 / weeks)));
      return basis === 0 ? 1 : test(calls, basis, basis / (expected * factor));
    };
    return { kind, calls, expected, others, weeks, chanceOf };
  }

  /**
   * Returns by how much days vary more than calls that come at random do, as a share of their mean, squared: the variance
   * of each weekday in the weeks before less the mean, and one standard error more.
   */
  #noiseOf(): number {
    if (this.#noise !== undefined) return this.#noise;
    let [left, error, squares] = [0, 0, 0];
    for (const day of this.#daysFrom(this.#context.weekHour)) {
      const counts = this.#weeksOf([day]).flat();
      if (counts.length < 2) continue;
      const mean = sumOf(counts) / counts.length;
      const variance = sumOf(counts.map((count) => (count - mean) ** 2)) / (counts.length - 1);
      left += variance - mean;
      error += (2 * variance ** 2) / (counts.length - 1);
      squares += mean ** 2;
    }
    this.#noise = squares > 0 ? Math.max(0, (left + Math.sqrt(error)) / squares) : 0;
    return this.#noise;
  }

  /** Returns the days of the judged week from an hour on, without those that do not count. */
  #daysFrom(fromHour: number): LocalDay[] {
    const { days, isDay } = this.#context;
    return days
      .map((each) => ({ ...each, from: Math.max(each.from, fromHour) }))
      .filter(({ day, from, until }) => from < until && isDay(day));
  }

  /**
   * Counts the calls on the same weekdays and hours of each week before that has the key and no notice: for as long, up to
   * the same local time, since a clock change may lie between.
   */
  #weeksOf(days: readonly LocalDay[]): number[][] {
    const { past, untilHour, isDay } = this.#context;
    this.#firstHour ??= this.#counts.firstFrom(0) ?? untilHour;
    const firstHour = this.#firstHour;
    const weeks: number[][] = [];
    for (let week = 1; week <= WEEKS; week++) {
      const counts: number[] = [];
      for (const { day, from, until, ends } of days) {
        const end = ends[week - 1] ?? until;
        const start = end - (until - from);
        const isOff = ({ sinceHour, endedHour = untilHour }: PastNotice) =>
          sinceHour < end && endedHour > start;
        if (start < firstHour || !isDay(day - week * 7) || past.some(isOff)) break;
        counts.push(this.#counts.countIn(start, end));
      }
      if (counts.length === days.length) weeks.push(counts);
    }
    return weeks;
  }
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);
