import { comparePeriods, counterpartOf, type Distance, distanceOf } from "../base/calendar/comparison.ts";
import {
  closedRange,
  comparisonRange,
  countDays,
  type DateRange,
  type Span,
  toInstants,
} from "../base/calendar/dates.ts";
import type { Grain } from "../base/calendar/grain.ts";
import { hasHistory, isCovered } from "../base/calendar/history.ts";
import { localDate } from "../base/calendar/local-time.ts";
import { type LabelledPeriod, type Period, periods } from "../base/calendar/periods.ts";
import { UsageError } from "../base/errors.ts";
import type { CallFilter } from "../calls/filter.ts";
import type { Ask } from "../config/request/resolve.ts";
import type { FigureSession } from "../sources/figure-session.ts";

export interface Timeframe {
  timezone: string;
  filter: CallFilter;
  range: DateRange;
  span: Span;
  grain?: Grain | undefined;
  /** In order; empty without a grain. */
  periods: readonly Period[];
  compared?: Counterpart | undefined;
}

/** What the figures of a range are compared with. */
export interface Counterpart {
  range: ComparedRange;
  span: Span;
  /** The counterparts of the periods, with the names of both: days, if they are no whole period. */
  periods: readonly ComparedPeriod[];
  /** How many times as long it is. */
  times: number;
  /** Whether the copy has its days; else there are no changes. */
  isCovered: boolean;
  /** Whether enough calls lie before it to know its first-time callers. */
  hasHistory: boolean;
  /** Whether the range begins after the last sync, so that there are no changes. */
  isUnreached: boolean;
}

export interface ComparedRange extends DateRange {
  /** Local time on the last day, `05:24`, if the range is compared with only as much as has been synced of it. */
  until?: string;
}

interface ComparedPeriod extends LabelledPeriod {
  /** Its own name. */
  previous: string;
}

/** The shortest of each. */
const DAYS: Record<Grain, number> = { day: 1, week: 7, month: 28, quarter: 90 };

/** Upper bound; larger tables are unreadable, and an odd date in one call would make millions of periods. */
export const MAX_PERIODS = 4000;

/**
 * A grain cuts an open range at the first and the last call, day of spend, or day of a job.
 * @param asOf when the last sync finished, ISO 8601 UTC
 * @throws UsageError for too many periods
 */
export async function resolveTimeframe(
  session: FigureSession,
  options: Pick<Ask, "timezone" | "range" | "filter" | "grain" | "compare" | "spell">,
  asOf: string | null | undefined,
): Promise<Timeframe> {
  const { timezone, range = {}, filter, grain, compare, spell } = options;
  const timeframe = { timezone, filter, range, span: toInstants(range, timezone), grain };
  const closed = grain && (await closeRange(session, range, timezone));
  const current = grain && closed ? periodsOf(closed, grain, timezone, spell) : [];
  if (compare === undefined) return { ...timeframe, periods: current };

  const comparison =
    grain && closed
      ? comparePeriods(closed, current, { kind: compare, grain, zone: timezone })
      : { range: comparisonRange(range, compare), periods: [], distance: undefined };
  const compared = await compareTo(session, { ...comparison, to: range, timezone, asOf });
  return { ...timeframe, periods: current, compared };
}

/** Completes a comparison: a range that the last sync is in the midst of is compared with as much of the days before. */
export async function compareTo(
  session: FigureSession,
  {
    range,
    periods,
    distance,
    to,
    timezone,
    asOf,
  }: Pick<Counterpart, "range" | "periods"> & {
    /** @default between the first days */
    distance?: Distance | undefined;
    to: DateRange;
    timezone: string;
    asOf: string | null | undefined;
  },
): Promise<Counterpart> {
  const [span, current] = [toInstants(range, timezone), toInstants(to, timezone)];
  const first = await session.readFirstStart();
  const isUnreached = current.startsAt !== undefined && (asOf ?? "") <= current.startsAt;
  const common = {
    range,
    span,
    periods,
    isCovered: isCovered(span.startsAt, first),
    hasHistory: hasHistory(span.startsAt, first),
    isUnreached,
  };
  const [closed, before] = [closedRange(to), closedRange(range)];
  if (
    closed === undefined ||
    before === undefined ||
    span.endsAt === undefined ||
    !current.startsAt ||
    !current.endsAt
  )
    return { ...common, times: 1 };
  const whole = { ...common, times: lengthOf(span) / lengthOf(current) };
  if (!asOf || isUnreached || asOf >= current.endsAt) return whole;
  const { day, time, at } = counterpartOf(asOf, distance ?? distanceOf(before, closed), timezone);
  if (at >= span.endsAt) return whole;
  const part = { ...span, endsAt: at };
  const times = lengthOf(part) / lengthOf({ ...current, endsAt: asOf });
  return { ...common, range: { ...before, to: day, until: time }, span: part, times };
}

function lengthOf({ startsAt = "", endsAt = "" }: Span): number {
  return Date.parse(endsAt) - Date.parse(startsAt);
}

export function mostPeriods(range: Required<DateRange>, grain: Grain): number {
  return countDays(range) / DAYS[grain];
}

function periodsOf(range: Required<DateRange>, grain: Grain, zone: string, spell: Ask["spell"]): Period[] {
  const count = mostPeriods(range, grain);
  if (count <= MAX_PERIODS) return periods({ ...range, grain, zone });
  throw new UsageError(
    `${spell("grain")} ${grain} would make ${Math.ceil(count)} periods from ${range.from} to ${range.to}; the maximum is ${MAX_PERIODS}`,
    { hint: `Give ${spell("range.from")} and ${spell("range.to")}, or a coarser grain.` },
  );
}

/** Replaces open ends by the first and the last day with something to count; undefined if there is none. */
async function closeRange(
  session: FigureSession,
  { from, to }: DateRange,
  timezone: string,
): Promise<Required<DateRange> | undefined> {
  if (from !== undefined && to !== undefined) return { from, to };
  const extent = await session.readExtent();
  if (extent === undefined) return undefined;
  return { from: from ?? localDate(extent.first, timezone), to: to ?? localDate(extent.last, timezone) };
}
