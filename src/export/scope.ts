import type { Database } from "better-sqlite3";
import { comparisonRange, type DateRange, toInstants } from "../rollup/dates.ts";
import type { CallFilter, Span } from "../rollup/filter.ts";
import type { Comparison, Grain } from "../rollup/grain.ts";
import { localDate } from "../rollup/local-time.ts";
import { type Period, periods } from "../rollup/periods.ts";
import type { LabelledPeriod } from "../rollup/read.ts";

/** Which calls an export is about, and how they are cut into periods. */
export interface ScopeOptions {
  /** IANA zone whose days count. */
  timezone: string;
  /** Local dates, both included; an end that is missing is open. @default all calls */
  range?: DateRange | undefined;
  filter?: CallFilter | undefined;
  grain?: Grain | undefined;
  /** What stands beside: the stretch before, or the same dates a year before. */
  compare?: Comparison | undefined;
}

/** The same in instants. */
export interface Scope {
  timezone: string;
  filter: CallFilter;
  range: DateRange;
  span: Span;
  grain?: Grain | undefined;
  /** In the order of time; none without a grain. */
  periods: readonly Period[];
  previousRange?: DateRange | undefined;
  previousSpan?: Span | undefined;
  /** Those of the stretch compared with, under the labels of the periods they stand beside. */
  previousPeriods: readonly LabelledPeriod[];
}

/** Resolves dates to instants; where a grain cuts an open range, to the first and the last call in the warehouse. */
export function resolveScope(database: Database, options: ScopeOptions): Scope {
  const { timezone, range = {}, filter = {}, grain, compare } = options;
  const span = toInstants(range, timezone);
  const current =
    grain === undefined ? [] : periodsOf(closeRange(database, range, timezone), grain, timezone);
  const scope = { timezone, filter, range, span, grain, periods: current };
  if (compare === undefined) return { ...scope, previousPeriods: [] };

  const previousRange = comparisonRange(range, compare);
  const previousSpan = toInstants(previousRange, timezone);
  if (grain === undefined) return { ...scope, previousRange, previousSpan, previousPeriods: [] };
  // Periods stand side by side by their place. What is left over, such as a 31st beside a month of 30 days, is cut off,
  // so that the rows of each file add up to its total.
  const previous = periodsOf(previousRange, grain, timezone).slice(0, current.length);
  const last = previous.at(-1);
  return {
    ...scope,
    previousRange,
    previousSpan: last === undefined ? previousSpan : { ...previousSpan, endsAt: last.endsAt },
    previousPeriods: previous.map(({ startsAt }, place) => ({
      startsAt,
      period: current[place]?.period ?? "",
    })),
  };
}

function periodsOf({ from, to }: DateRange, grain: Grain, zone: string): Period[] {
  return from === undefined || to === undefined ? [] : periods({ from, to, grain, zone });
}

/** Puts the days of the first and of the last call in the place of ends that are open; none without calls. */
function closeRange(database: Database, range: DateRange, zone: string): DateRange {
  const [first, last] = database
    .prepare<[], [string | null, string | null]>("SELECT min(call_started), max(call_started) FROM calls")
    .raw()
    .get() ?? [null, null];
  return {
    ...(first !== null && { from: localDate(first, zone) }),
    ...(last !== null && { to: localDate(last, zone) }),
    ...range,
  };
}
