import { Temporal } from "temporal-polyfill";
import type { Grain, SpanComparison } from "./grain.ts";

/** ISO 8601 UTC with milliseconds; open where an end is missing. */
export interface Span {
  startsAt?: string;
  /** Exclusive. */
  endsAt?: string;
}

/** Local dates `YYYY-MM-DD`, both inclusive; an end that is missing is open. */
export interface DateRange {
  from?: string;
  to?: string;
}

/** All instants in between have four-digit years, so they sort as text. */
const EARLIEST = "1900-01-01";
const LATEST = "2999-12-31";
/** The last instant with a four-digit year. */
export const LAST_INSTANT_MS = Date.parse("9999-12-31T23:59:59.999Z");

export function closedRange({
  from,
  to,
}: { [End in keyof DateRange]?: DateRange[End] | undefined } = {}): Required<DateRange> | undefined {
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** Accepts `YYYY-MM-DD` from 1900 to 2999. @throws Error that suggests the nearest date */
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
  // 11/20 can be read in only one way, 5/6 in two.
  if (first > 12) return nearest(year, second, first);
  return second > 12 ? nearest(year, first, second) : undefined;
}

/** A month that does not exist gives no suggestion; a day that does not exist has a near one that does. */
function nearest(year: number, month: number, day: number): string | undefined {
  if (month < 1 || month > 12) return undefined;
  const date = Temporal.PlainDate.from({ year, month, day: Math.max(1, day) }, { overflow: "constrain" });
  return [EARLIEST, date.toString(), LATEST].toSorted()[1];
}

export const MONTHS_OF_QUARTER = 3;
export const LENGTHS: Record<Grain, Temporal.DurationLike> = {
  day: { days: 1 },
  week: { weeks: 1 },
  month: { months: 1 },
  quarter: { months: MONTHS_OF_QUARTER },
};

export function firstDay(date: Temporal.PlainDate, grain: Grain): Temporal.PlainDate {
  switch (grain) {
    case "day":
      return date;
    case "week":
      return date.subtract({ days: date.dayOfWeek - 1 });
    case "month":
      return date.with({ day: 1 });
    case "quarter":
      return date.with({ day: 1, month: date.month - ((date.month - 1) % MONTHS_OF_QUARTER) });
  }
}

/**
 * Returns the same dates a year earlier (29 February becomes the 28th), the days 52 weeks earlier, or the range just before: as many calendar
 * months before whole months; the same days of the previous month if the range begins with a month and ends in it;
 * otherwise, or if `days` are requested, as many days.
 * @throws Error for the previous range of an open range
 */
export function comparisonRange(range: DateRange, kind: SpanComparison): DateRange {
  const { from, to } = inOrder(range);
  if (kind === "year" || kind === "52-weeks") {
    const distance: Temporal.DurationLike = kind === "year" ? { years: 1 } : { weeks: 52 };
    const earlier = (date: string) => Temporal.PlainDate.from(date).subtract(distance).toString();
    return {
      ...(from !== undefined && { from: earlier(from) }),
      ...(to !== undefined && { to: earlier(to) }),
    };
  }
  if (from === undefined || to === undefined) {
    throw new Error("Cannot compare an open range with the previous one: give a first and a last date");
  }
  const [first, last] = [Temporal.PlainDate.from(from), Temporal.PlainDate.from(to)];
  return kind === "days" ? daysBefore(first, last) : previous(first, last);
}

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

/** ISO 8601 UTC with milliseconds; the end is exclusive, i.e. the start of the day after the last one. */
export function toInstants(range: DateRange, zone: string): Span {
  const { from, to } = inOrder(range);
  return {
    ...(from !== undefined && { startsAt: startOfDay(Temporal.PlainDate.from(from), zone) }),
    ...(to !== undefined && { endsAt: startOfDay(Temporal.PlainDate.from(to).add({ days: 1 }), zone) }),
  };
}

/**
 * Returns the first instant of a local day in UTC: one o'clock if the zone skips midnight, the first midnight if
 * there are two, the start of the next day if it skips the whole day. After the year 9999: its last instant.
 */
export function startOfDay(date: Temporal.PlainDate, zone: string): string {
  return new Date(Math.min(date.toZonedDateTime(zone).epochMilliseconds, LAST_INSTANT_MS)).toISOString();
}

export function countDays({ from, to }: Required<DateRange>): number {
  return Temporal.PlainDate.from(from).until(to).days + 1;
}

function inOrder(range: DateRange): DateRange {
  const { from, to } = range;
  if (from !== undefined && to !== undefined && from > to) throw new Error(`${from} is after ${to}`);
  return range;
}
