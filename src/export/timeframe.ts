import { UsageError } from "../base/errors.ts";
import { comparePeriods } from "../calendar/comparison.ts";
import { comparisonRange, countDays, type DateRange, toInstants } from "../calendar/dates.ts";
import type { Grain } from "../calendar/grain.ts";
import { localDate } from "../calendar/local-time.ts";
import { type LabelledPeriod, type Period, periods } from "../calendar/periods.ts";
import type { Ask } from "../request/resolve.ts";
import type { CallFilter, Span } from "../rollup/call-filter.ts";
import type { FigureSession } from "../rollup/figure-session.ts";

export interface Timeframe {
  timezone: string;
  filter: CallFilter;
  range: DateRange;
  span: Span;
  grain?: Grain | undefined;
  /** In order; empty without a grain. */
  periods: readonly Period[];
  previousRange?: DateRange | undefined;
  previousSpan?: Span | undefined;
  previousPeriods: readonly LabelledPeriod[];
  isPreviousCovered?: boolean;
}

/** The shortest of each. */
const DAYS: Record<Grain, number> = { day: 1, week: 7, month: 28, quarter: 90 };

/** Upper bound; larger tables are unreadable, and an odd date in one call would make millions of periods. */
export const MAX_PERIODS = 4000;

/** A grain cuts an open range at the first and the last call. @throws UsageError for too many periods */
export async function resolveTimeframe(
  session: FigureSession,
  options: Pick<Ask, "timezone" | "range" | "filter" | "grain" | "compare" | "spell">,
): Promise<Timeframe> {
  const { timezone, range = {}, filter, grain, compare, spell } = options;
  const timeframe = { timezone, filter, range, span: toInstants(range, timezone), grain };
  const closed = grain && (await closeRange(session, range, timezone));
  const current = grain && closed ? periodsOf(closed, grain, timezone, spell) : [];
  if (compare === undefined) return { ...timeframe, periods: current, previousPeriods: [] };

  const compared =
    grain && closed
      ? comparePeriods(closed, current, { kind: compare, grain, zone: timezone })
      : { range: comparisonRange(range, compare), periods: [] };
  const previousSpan = toInstants(compared.range, timezone);
  return {
    ...timeframe,
    periods: current,
    previousRange: compared.range,
    previousSpan,
    previousPeriods: compared.periods,
    isPreviousCovered: await isCovered(session, compared.range, timezone),
  };
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

/** Replaces open ends by the days of the first and the last call; undefined if there are no calls. */
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

async function isCovered(session: FigureSession, { from }: DateRange, zone: string): Promise<boolean> {
  const first = await session.readFirstStart();
  return first !== null && from !== undefined && localDate(first, zone) <= from;
}
