import { Temporal } from "temporal-polyfill";
import type { Comparison } from "./grain.ts";
import { type LastUnit, readLast } from "./last.ts";

/** Local dates `YYYY-MM-DD`, both inclusive; without one of them the range is open there. */
export interface DateRange {
  from?: string;
  to?: string;
}

/** All instants between them have years of four digits, so that they sort as text. */
const EARLIEST = "1900-01-01";
const LATEST = "2999-12-31";
/** The last instant of which that is so. */
export const LAST_INSTANT_MS = Date.parse("9999-12-31T23:59:59.999Z");

/** Returns a range that has both ends; undefined for any other. */
export function closedRange({
  from,
  to,
}: { [End in keyof DateRange]?: DateRange[End] | undefined } = {}): Required<DateRange> | undefined {
  return from === undefined || to === undefined ? undefined : { from, to };
}

/**
 * Returns the local date `YYYY-MM-DD`, from 1900 to 2999, that `text` is.
 * @throws Error that names the text and, where only one date can be meant, the nearest valid one
 */
export function parseDate(text: string): string {
  const meant = nearestDate(text);
  if (meant === text) return text;
  const advice = meant === undefined ? ", such as 2026-11-20" : `; did you mean ${meant}?`;
  throw new Error(`"${text}" is not a date from 1900 to 2999 as YYYY-MM-DD${advice}`);
}

function nearestDate(text: string): string | undefined {
  const yearFirst = /^\s*(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)/.exec(text);
  if (yearFirst) return nearest(Number(yearFirst[1]), Number(yearFirst[3]), Number(yearFirst[4]));
  const yearLast = /^\s*(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})(?!\d)/.exec(text);
  if (!yearLast) return undefined;
  const [first, second, year] = [Number(yearLast[1]), Number(yearLast[2]), Number(yearLast[3])];
  // 11/20 can be read in one way alone, and 5/6 in two.
  if (first > 12) return nearest(year, second, first);
  return second > 12 ? nearest(year, first, second) : undefined;
}

/** A month that does not exist says nothing of what was meant; a day that does not exist is near one that does. */
function nearest(year: number, month: number, day: number): string | undefined {
  if (month < 1 || month > 12) return undefined;
  const date = Temporal.PlainDate.from({ year, month, day: Math.max(1, day) }, { overflow: "constrain" });
  return [EARLIEST, date.toString(), LATEST].toSorted()[1];
}

/**
 * Returns the range that `text` names, seen from the local date `today`: `7d`, `4w` and `3m` are the last complete days,
 * ISO weeks and calendar months, up to ten years; `yesterday` is `1d` and `last-month` is `1m`; `mtd` and `ytd` are the
 * month and the year up to and with today.
 * @throws Error that says what is allowed, and the nearest of it where there is one
 */
export function parseLast(text: string, today: string): Required<DateRange> {
  const range = readLast(text);
  const day = Temporal.PlainDate.from(today);
  if (range.unit === undefined) return dates(range.begin(day), day);
  const end = startOfUnit(day, range.unit);
  return dates(end.subtract(duration(range.count, range.unit)), end.subtract({ days: 1 }));
}

function startOfUnit(day: Temporal.PlainDate, unit: LastUnit): Temporal.PlainDate {
  if (unit === "m") return day.with({ day: 1 });
  return unit === "w" ? day.subtract({ days: day.dayOfWeek - 1 }) : day;
}

function duration(count: number, unit: LastUnit): Temporal.DurationLike {
  if (unit === "m") return { months: count };
  return unit === "w" ? { weeks: count } : { days: count };
}

/**
 * Returns the same dates a year before (29 February becomes the 28th), or what lies just before: as many calendar
 * months before whole months; the same days of the month before, cut at its end, where the range begins with a month
 * and ends in it; else, and where `days` are asked for, as many days.
 * @throws Error where the previous of an open range is asked for
 */
export function comparisonRange(range: DateRange, kind: Comparison): DateRange {
  const { from, to } = inOrder(range);
  if (kind === "year") {
    return {
      ...(from !== undefined && { from: yearBefore(from) }),
      ...(to !== undefined && { to: yearBefore(to) }),
    };
  }
  if (from === undefined || to === undefined) {
    throw new Error("Cannot compare an open range with the one before: it needs a first and a last date");
  }
  const [first, last] = [Temporal.PlainDate.from(from), Temporal.PlainDate.from(to)];
  return kind === "days" ? daysBefore(first, last) : previous(first, last);
}

const yearBefore = (date: string) => Temporal.PlainDate.from(date).subtract({ years: 1 }).toString();

function previous(from: Temporal.PlainDate, to: Temporal.PlainDate): DateRange {
  const isFromFirst = from.day === 1;
  if (isFromFirst && to.day === to.daysInMonth) {
    const { months } = from.until(to.add({ days: 1 }), { largestUnit: "months" });
    return dates(from.subtract({ months }), from.subtract({ days: 1 }));
  }
  if (isFromFirst && from.toPlainYearMonth().equals(to.toPlainYearMonth())) {
    return dates(from.subtract({ months: 1 }), to.subtract({ months: 1 }));
  }
  return daysBefore(from, to);
}

function daysBefore(from: Temporal.PlainDate, to: Temporal.PlainDate): Required<DateRange> {
  const days = from.until(to).days + 1;
  return dates(from.subtract({ days }), from.subtract({ days: 1 }));
}

function dates(from: Temporal.PlainDate, to: Temporal.PlainDate): Required<DateRange> {
  return { from: from.toString(), to: to.toString() };
}

/**
 * Returns the instants that bound a range in an IANA zone: the start of its first day and, exclusive, the start of the
 * day after its last; ISO 8601 in UTC with milliseconds.
 */
export function toInstants(range: DateRange, zone: string): { startsAt?: string; endsAt?: string } {
  const { from, to } = inOrder(range);
  return {
    ...(from !== undefined && { startsAt: startOfDay(Temporal.PlainDate.from(from), zone) }),
    ...(to !== undefined && { endsAt: startOfDay(Temporal.PlainDate.from(to).add({ days: 1 }), zone) }),
  };
}

/**
 * Returns the first instant of a local day in UTC: one o'clock where the zone skips midnight, the first midnight where
 * there are two, and the start of the next day where it skips the whole of it. After the year 9999 it is the last instant
 * of that.
 */
export function startOfDay(date: Temporal.PlainDate, zone: string): string {
  return new Date(Math.min(date.toZonedDateTime(zone).epochMilliseconds, LAST_INSTANT_MS)).toISOString();
}

/** Counts the days of a range. */
export function countDays({ from, to }: Required<DateRange>): number {
  return Temporal.PlainDate.from(from).until(to).days + 1;
}

function inOrder(range: DateRange): DateRange {
  const { from, to } = range;
  if (from !== undefined && to !== undefined && from > to) throw new Error(`${from} is after ${to}`);
  return range;
}
