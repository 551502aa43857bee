import { Temporal } from "temporal-polyfill";
import { type DateRange, startOfDay } from "./dates.ts";
import { GRAINS, type Grain } from "./grain.ts";

/** A period, or the part of it that lies in a range. */
export interface Period {
  /** `2026-10-25`, `2026-W43` with the year that ISO 8601 gives to the week, `2026-10`, or `2026-Q4`. */
  period: string;
  /** Its first day as a local date, also where the range begins later. */
  firstDay: string;
  /** First instant, in UTC with milliseconds. */
  startsAt: string;
  /** The instant after the last: where the next period starts. */
  endsAt: string;
}

const MONTHS_OF_QUARTER = 3;

/** Where a period begins, under the label that it is shown with. */
export type LabelledPeriod = Pick<Period, "period" | "startsAt">;

/**
 * Returns the periods that touch a range of local dates, cut to it, in their order and without a gap. A day that the
 * zone skipped is none.
 */
export function periods(range: Required<DateRange> & { grain: Grain; zone: string }): Period[] {
  const { grain, zone } = range;
  const end = Temporal.PlainDate.from(range.to).add({ days: 1 });
  const found: Period[] = [];
  let date = Temporal.PlainDate.from(range.from);
  let startsAt = startOfDay(date, zone);
  while (Temporal.PlainDate.compare(date, end) < 0) {
    const next = earlier(nextStart(date, grain), end);
    const endsAt = startOfDay(next, zone);
    if (startsAt < endsAt) {
      found.push({
        period: label(date, grain),
        firstDay: firstDay(date, grain).toString(),
        startsAt,
        endsAt,
      });
    }
    [date, startsAt] = [next, endsAt];
  }
  return found;
}

/** Returns a range of local dates as the one period that it is, `2026-W43`; else as `2026-10-05 to 2026-11-01`. */
export function describeRange({ from, to }: Required<DateRange>): string {
  const first = Temporal.PlainDate.from(from);
  const end = Temporal.PlainDate.from(to).add({ days: 1 });
  const grain = GRAINS.find(
    (each) => firstDay(first, each).equals(first) && nextStart(first, each).equals(end),
  );
  return grain === undefined ? `${from} to ${to}` : label(first, grain);
}

const earlier = (a: Temporal.PlainDate, b: Temporal.PlainDate) =>
  Temporal.PlainDate.compare(a, b) < 0 ? a : b;

/** The first day of the period after the one that `date` is in. */
function nextStart(date: Temporal.PlainDate, grain: Grain): Temporal.PlainDate {
  const first = firstDay(date, grain);
  switch (grain) {
    case "day":
      return first.add({ days: 1 });
    case "week":
      return first.add({ weeks: 1 });
    case "month":
      return first.add({ months: 1 });
    case "quarter":
      return first.add({ months: MONTHS_OF_QUARTER });
  }
}

function firstDay(date: Temporal.PlainDate, grain: Grain): Temporal.PlainDate {
  switch (grain) {
    case "day":
      return date;
    case "week":
      return date.subtract({ days: date.dayOfWeek - 1 });
    case "month":
      return date.with({ day: 1 });
    case "quarter":
      return date.with({ day: 1, month: (quarterOf(date) - 1) * MONTHS_OF_QUARTER + 1 });
  }
}

const quarterOf = ({ month }: Temporal.PlainDate) => Math.ceil(month / MONTHS_OF_QUARTER);

function label(date: Temporal.PlainDate, grain: Grain): string {
  const year = (number = date.year) => String(number).padStart(4, "0");
  switch (grain) {
    case "day":
      return date.toString();
    case "week":
      return `${year(date.yearOfWeek)}-W${String(date.weekOfYear).padStart(2, "0")}`;
    case "month":
      return date.toPlainYearMonth().toString();
    case "quarter":
      return `${year()}-Q${quarterOf(date)}`;
  }
}
