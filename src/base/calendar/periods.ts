import { Temporal } from "temporal-polyfill";
import { countDays, type DateRange, firstDay, LENGTHS, MONTHS_OF_QUARTER, startOfDay } from "./dates.ts";
import { GRAINS, type Grain } from "./grain.ts";

/** A period, or the part of it within a range. */
export interface Period {
  /** `2026-10-25`, `2026-W43` with the ISO 8601 week year, `2026-10`, or `2026-Q4`. */
  period: string;
  /** Its first day as a local date, even if the range begins later. */
  firstDay: string;
  /** First instant, in UTC with milliseconds. */
  startsAt: string;
  /** The instant at which the next period starts. */
  endsAt: string;
}

/** The end is unknown where the span of the calls has one. */
export type LabelledPeriod = Pick<Period, "period" | "startsAt"> & { endsAt?: string };

/** Cuts the first and last period to the range; omits days that the zone skipped. */
export function periods(range: Required<DateRange> & { grain: Grain; zone: string }): Period[] {
  const { grain, zone } = range;
  const end = Temporal.PlainDate.from(range.to).add({ days: 1 });
  const periods: Period[] = [];
  let date = Temporal.PlainDate.from(range.from);
  let startsAt = startOfDay(date, zone);
  while (Temporal.PlainDate.compare(date, end) < 0) {
    const next = earlier(nextStart(date, grain), end);
    const endsAt = startOfDay(next, zone);
    if (startsAt < endsAt) {
      periods.push({
        period: LABELS[grain](date),
        firstDay: firstDay(date, grain).toString(),
        startsAt,
        endsAt,
      });
    }
    [date, startsAt] = [next, endsAt];
  }
  return periods;
}

/** Returns a range that is one period as `2026-W43`, any other as `2026-10-05 to 2026-11-01`. */
export function describeRange({ from, to }: Required<DateRange>): string {
  const grain = grainOfWhole({ from, to });
  return grain === undefined ? `${from} to ${to}` : LABELS[grain](Temporal.PlainDate.from(from));
}

/** Whether two ranges have as many days, or are whole months or quarters. */
export function areAlike(a: Required<DateRange>, b: Required<DateRange>): boolean {
  if (countDays(a) === countDays(b)) return true;
  const grain = grainOfWhole(a);
  return grain !== undefined && grain === grainOfWhole(b);
}

/** Returns what a range is one of; undefined for part of a period, or several. */
function grainOfWhole({ from, to }: Required<DateRange>): Grain | undefined {
  const first = Temporal.PlainDate.from(from);
  const end = Temporal.PlainDate.from(to).add({ days: 1 });
  return GRAINS.find((each) => firstDay(first, each).equals(first) && nextStart(first, each).equals(end));
}

const earlier = (a: Temporal.PlainDate, b: Temporal.PlainDate) =>
  Temporal.PlainDate.compare(a, b) < 0 ? a : b;

export function nextStart(date: Temporal.PlainDate, grain: Grain): Temporal.PlainDate {
  return firstDay(date, grain).add(LENGTHS[grain]);
}

const LABELS: Record<Grain, (date: Temporal.PlainDate) => string> = {
  day: (date) => date.toString(),
  week: ({ yearOfWeek = 0, weekOfYear = 0 }) => `${padded(yearOfWeek, 4)}-W${padded(weekOfYear, 2)}`,
  month: (date) => date.toPlainYearMonth().toString(),
  quarter: ({ year, month }) => `${padded(year, 4)}-Q${Math.ceil(month / MONTHS_OF_QUARTER)}`,
};

/** Returns the ISO 8601 week of a day: `2026-W43` for `2026-10-25`. */
export const weekOf = (day: string): string => LABELS.week(Temporal.PlainDate.from(day));

const padded = (number: number, digits: number) => String(number).padStart(digits, "0");
