import { Temporal } from "temporal-polyfill";
import { type DateRange, startOfDay } from "./dates.ts";
import type { Grain } from "./grain.ts";

/** A period, or the part of it that lies in a range. */
export interface Period {
  /** `2026-10-25`, `2026-W43` with the year that ISO 8601 gives to the week, or `2026-10`. */
  period: string;
  /** Its first day as a local date, also where the range begins later. */
  firstDay: string;
  /** First instant, in UTC with milliseconds. */
  startsAt: string;
  /** The instant after the last: where the next period starts. */
  endsAt: string;
}

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
      found.push({ period: label(date, grain), firstDay: firstDay(date, grain), startsAt, endsAt });
    }
    [date, startsAt] = [next, endsAt];
  }
  return found;
}

const earlier = (a: Temporal.PlainDate, b: Temporal.PlainDate) =>
  Temporal.PlainDate.compare(a, b) < 0 ? a : b;

/** The first day of the period after the one that `date` is in. */
function nextStart(date: Temporal.PlainDate, grain: Grain): Temporal.PlainDate {
  if (grain === "month") return date.with({ day: 1 }).add({ months: 1 });
  return date.add({ days: grain === "week" ? 8 - date.dayOfWeek : 1 });
}

function firstDay(date: Temporal.PlainDate, grain: Grain): string {
  if (grain === "month") return date.with({ day: 1 }).toString();
  return (grain === "week" ? date.subtract({ days: date.dayOfWeek - 1 }) : date).toString();
}

function label(date: Temporal.PlainDate, grain: Grain): string {
  if (grain === "week")
    return `${String(date.yearOfWeek).padStart(4, "0")}-W${String(date.weekOfYear).padStart(2, "0")}`;
  return grain === "month" ? date.toPlainYearMonth().toString() : date.toString();
}
