import { comparePeriods, counterpartOf, type Distance, distanceOf } from "../base/calendar/comparison.ts";
import {
  closedRange,
  comparisonRange,
  countDays,
  type DateRange,
  type Span,
  toInstants,
} from "../base/calendar/dates.ts";
import { type ComparisonName, type Grain, PERIOD_ON_PERIOD } from "../base/calendar/grain.ts";
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
  /** In the order asked for. */
  compared: readonly Counterpart[];
}

/** What the figures of a range are compared with. */
export interface Counterpart {
  as: ComparisonName;
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
  /** The last of the first periods whose counterparts the copy does not have, period on period. */
  lackingUpTo?: string;
}

export interface ComparedRange extends DateRange {
  /** Local time on the last day, `05:24`, if the range is compared with only as much as has been synced of it. */
  until?: string;
}

export interface ComparedPeriod extends LabelledPeriod {
  /** Its own name. */
  previous: string;
  days: Required<DateRange>;
  /** How many times as long as the period it is, until the last sync. */
  times?: number;
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
  const compared: Counterpart[] = [];
  for (const { as, kind } of compare) {
    const isByPeriods = kind === PERIOD_ON_PERIOD;
    const rangeBefore = isByPeriods ? range : comparisonRange(range, kind);
    const comparison =
      grain && closed
        ? comparePeriods(closed, current, { kind, grain, zone: timezone })
        : { range: rangeBefore, periods: [], distance: undefined };
    const to = isByPeriods ? (closed ?? range) : range;
    const counterpart = await compareTo(session, { as, ...comparison, to, timezone, asOf });
    const timed = { ...counterpart, periods: timePeriods(counterpart, current, asOf) };
    compared.push(isByPeriods ? coverPeriods(timed, await session.readFirstStart()) : timed);
  }
  return { ...timeframe, periods: current, compared };
}

/** Adds to each counterpart how many times as long it is. */
function timePeriods(
  { periods, span }: Counterpart,
  current: readonly Period[],
  asOf: string | null | undefined,
): ComparedPeriod[] {
  const byName = new Map(current.map((each) => [each.period, each]));
  const ends = (end: string | undefined, limit: string | null | undefined) =>
    [end, limit].flatMap((each) => each ?? []).toSorted()[0];
  return periods.map((each, index) => {
    const now = byName.get(each.period);
    const endsAt = ends(periods[index + 1]?.startsAt, span.endsAt);
    const before = lengthOf({ startsAt: each.startsAt, ...(endsAt && { endsAt }) });
    const until = ends(now?.endsAt, asOf);
    const times =
      before / lengthOf({ ...(now && { startsAt: now.startsAt }), ...(until && { endsAt: until }) });
    return Number.isFinite(times) && times > 0 ? { ...each, times } : each;
  });
}

/** Leaves out the first periods that the copy does not have. */
function coverPeriods(counterpart: Counterpart, firstStart: string | null): Counterpart {
  const { periods, range, span } = counterpart;
  const covered = periods.filter(({ startsAt }) => isCovered(startsAt, firstStart));
  const [first] = covered;
  const lacking = periods[periods.length - covered.length - 1];
  if (first === undefined || lacking === undefined) return counterpart;
  const { startsAt } = first;
  return {
    ...counterpart,
    range: { ...range, from: first.days.from },
    span: { ...span, startsAt },
    periods: covered,
    isCovered: true,
    hasHistory: hasHistory(startsAt, firstStart),
    lackingUpTo: lacking.period,
  };
}

/** Completes a comparison: a range that the last sync is in the midst of is compared with as much of the days before. */
export async function compareTo(
  session: FigureSession,
  {
    as,
    range,
    periods,
    distance,
    to,
    timezone,
    asOf,
  }: Pick<Counterpart, "as" | "range" | "periods"> & {
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
    as,
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
