import { Temporal } from "temporal-polyfill";
import { comparisonRange, type DateRange, LENGTHS, startOfDay } from "./dates.ts";
import { type Comparison, type Grain, PERIOD_ON_PERIOD, type SpanComparison } from "./grain.ts";
import { localDate } from "./local-time.ts";
import { describeRange, nextStart, type Period } from "./periods.ts";

interface ComparisonOptions {
  kind: Comparison;
  grain: Grain;
  zone: string;
}

/**
 * Finds the counterpart of each period of a range: the same dates if whole months or years lie between (29 February
 * has none), else the days in order. For weeks, a year is 52 weeks. Period on period, it is the period before, or the
 * same part of it.
 * @returns the days compared with, which are fewer if the other range has fewer, and their periods
 */
export function comparePeriods(
  range: Required<DateRange>,
  current: readonly Period[],
  options: ComparisonOptions,
) {
  if (options.kind === PERIOD_ON_PERIOD) return compareWithPeriodsBefore(range, current, options);
  const { kind, grain, zone } = options;
  const from = Temporal.PlainDate.from(range.from);
  const before = rangeBefore(range, kind, grain);
  const [beforeFrom, beforeEnd] = [Temporal.PlainDate.from(before.from), dayAfter(before.to)];
  const isByMonths = grain === "month" || grain === "quarter" || (kind === "year" && grain === "day");
  const isByDate = beforeFrom.day === from.day && isByMonths;
  const distance: Temporal.DurationLike = isByDate
    ? { months: beforeFrom.until(from, { largestUnit: "months" }).months }
    : { days: beforeFrom.until(from).days };

  const parts: { start: Temporal.PlainDate; period: string }[] = [];
  for (const { period, startsAt } of current) {
    const start = Temporal.PlainDate.from(localDate(startsAt, zone)).subtract(distance);
    const last = parts.at(-1);
    // The first part has all days from the first, even if the zone skipped the first day of the range.
    if (last === undefined) {
      parts.push({ start: beforeFrom, period });
      continue;
    }
    const isTaken = !isBefore(last.start, start);
    if (!isTaken && isBefore(start, beforeEnd)) parts.push({ start, period });
  }
  // Shifts the last day, not the end after it: the day after 28 February is 1 March in one year and 29 February in
  // another.
  const shifted = Temporal.PlainDate.from(range.to).subtract(distance).add({ days: 1 });
  const cut = isBefore(shifted, beforeEnd) ? shifted : beforeEnd;
  return {
    range: { from: before.from, to: cut.subtract({ days: 1 }).toString() },
    distance,
    periods: describeParts(parts, cut, zone),
  };
}

/** A counterpart begins where the last one ends. */
interface Part {
  start: Temporal.PlainDate;
  /** The name of the period that is compared with it. */
  period: string;
}

function describeParts(parts: readonly Part[], cut: Temporal.PlainDate, zone: string) {
  return parts.map(({ start, period }, index) => {
    const end = parts[index + 1]?.start ?? cut;
    const last = (isBefore(start, end) ? end : dayAfter(start.toString())).subtract({ days: 1 });
    const days = { from: start.toString(), to: last.toString() };
    return { startsAt: startOfDay(start, zone), period, days, previous: describeRange(days) };
  });
}

/** A first or last period that the range cuts is compared with the same part of the one before. */
function compareWithPeriodsBefore(
  range: Required<DateRange>,
  current: readonly Period[],
  { grain, zone }: ComparisonOptions,
) {
  const distance = LENGTHS[grain];
  const dayOf = (period: Period) => Temporal.PlainDate.from(period.firstDay);
  const parts = current.map(({ period, startsAt }, index): Part => {
    const before = current[index - 1];
    if (before !== undefined) return { start: dayOf(before), period };
    const start = Temporal.PlainDate.from(range.from).subtract(distance);
    // The zone may have skipped the day before.
    return { start: startOfDay(start, zone) < startsAt ? start : start.subtract(distance), period };
  });
  const last = current.at(-1);
  const lastStart = last === undefined ? Temporal.PlainDate.from(range.from) : dayOf(last);
  const shifted = dayAfter(Temporal.PlainDate.from(range.to).subtract(distance).toString());
  const isWhole = dayAfter(range.to).equals(nextStart(lastStart, grain));
  const cut = isWhole || isBefore(lastStart, shifted) ? lastStart : shifted;
  const from = parts[0]?.start ?? lastStart.subtract(distance);
  return {
    range: { from: from.toString(), to: cut.subtract({ days: 1 }).toString() },
    distance,
    periods: describeParts(parts, cut, zone),
  };
}

/** Calendar units between two ranges. */
export type Distance = Temporal.DurationLike;

/** Returns the distance between two ranges: whole months if there are such, else days. */
export function distanceOf(before: Required<DateRange>, range: Required<DateRange>): Distance {
  const [from, beforeFrom] = [Temporal.PlainDate.from(range.from), Temporal.PlainDate.from(before.from)];
  const { months, days } = beforeFrom.until(from, { largestUnit: "months" });
  return days === 0 ? { months } : { days: beforeFrom.until(from).days };
}

/**
 * Finds the moment a distance before another, at the same local time of day.
 * @param asOf ISO 8601 UTC
 * @returns the day, the local time to the minute, and the moment in UTC
 */
export function counterpartOf(asOf: string, distance: Distance, zone: string) {
  const local = Temporal.Instant.from(asOf).toZonedDateTimeISO(zone);
  const day = local.toPlainDate().subtract(distance);
  const time = local.toPlainTime();
  const moment = day.toZonedDateTime({ timeZone: zone, plainTime: time });
  return {
    day: day.toString(),
    time: time.toString().slice(0, "HH:MM".length),
    at: new Date(moment.epochMilliseconds).toISOString(),
  };
}

function rangeBefore(range: Required<DateRange>, kind: SpanComparison, grain: Grain): Required<DateRange> {
  const isBy52Weeks = kind === "year" && grain === "week";
  return { ...range, ...comparisonRange(range, isBy52Weeks ? "52-weeks" : kind) };
}

const dayAfter = (date: string) => Temporal.PlainDate.from(date).add({ days: 1 });
const isBefore = (a: Temporal.PlainDate, b: Temporal.PlainDate) => Temporal.PlainDate.compare(a, b) < 0;
