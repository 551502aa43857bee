import { chanceOfAtLeast, chanceOfAtMost } from "../../base/chance.ts";
import type { HourCounts, WatchedKey } from "./call-hours.ts";
import { type LocalDay, WEEKS } from "./local-days.ts";
import type { EndReason, NoticeKind } from "./notice-table.ts";

/** Fewer weeks without a notice are too few to compare with. */
export const MIN_WEEKS = 4;
/** A key with fewer is not examined: its silence would be noticed only after weeks. */
export const MIN_CALLS_A_WEEK = 10;
/** Far off is at most half, or at least twice, of what is expected. */
const FACTOR = 2;
/** Calls are as before again at so many times what is expected, or nearer: a rate near the factor does not come and go. */
const END_FACTOR = 1.25;
/** A notice is over when calls are no longer half or double, but for this chance. */
const END_CHANCE = 0.0002;

/** The chance of so few, or so many, calls. */
export const TESTS = { silent: chanceOfAtMost, few: chanceOfAtMost, many: chanceOfAtLeast };

/** How calls are off. Hours are counted since 1970. */
export interface Finding {
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

export type End = { endedHour: number; reason: EndReason };

interface KeyContext {
  /** Later calls are not judged. */
  untilHour: number;
  days: readonly LocalDay[];
  weekHour: number;
  past: readonly PastNotice[];
  /** Whether a local day counts. */
  isDay: (day: number) => boolean;
}

/** The calls of a key, compared with those of the weeks before. */
export class KeyCalls {
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
    const week = this.look(weekHour);
    if (week.weeks < MIN_WEEKS) return { endedHour: untilHour, reason: "nothing to compare with" };
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
      if (isAsBefore(kind, calls, expected)) return { endedHour: from, reason: "as before" };
    }
    // Few calls, or days that vary much, may never be enough for the test; a whole week as before is.
    if (sinceHour > weekHour || !isAsBefore(kind, week.calls, week.expected)) return undefined;
    if (kind !== "silent") return { endedHour: weekHour, reason: "as before" };
    return { endedHour: this.#counts.firstFrom(weekHour) ?? weekHour, reason: "calls again" };
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

const isAsBefore = (kind: NoticeKind, calls: number, expected: number) =>
  kind === "many" ? calls <= expected * END_FACTOR : calls * END_FACTOR >= expected;

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each, 0);
