import { type DateRange, toInstants } from "../calendar/dates.ts";
import type { Grain } from "../calendar/grain.ts";
import { localDate } from "../calendar/local-time.ts";
import { type Period, periods } from "../calendar/periods.ts";
import { MAX_PERIODS, mostPeriods, type Timeframe } from "../export/timeframe.ts";
import type { ExportedRollup } from "./exported-rollups.ts";

/** The days of an export, in its zone. */
export interface GivenScope {
  /** Its days; open if an end is missing. */
  range: DateRange;
  /** From the first day of its first period to its last day; undefined without periods. */
  extent?: Required<DateRange> | undefined;
  /** Stretches that ended by then were complete, ISO 8601 UTC. */
  settledUntil: string;
}

/** The stretch of a row; a rollup without periods has one, without a name. */
export type Stretch = Pick<Period, "period" | "startsAt" | "endsAt">;

/** At least as long as the longest period. */
const LONGEST_PERIOD_DAYS = 100;
/** Upper bound for two consecutive exports; if they are further apart, a clock was wrong. */
const MOST_PERIODS = 2 * MAX_PERIODS;

/** How rows are cut into periods. */
interface Cut {
  grain?: Grain | undefined;
  timezone: string;
}

/** Returns the complete stretches of an export: they ended in its range, and no correction is expected any more. */
export function completeStretches(
  timeframe: GivenScope,
  { grain, timezone }: Cut,
  /** Further days to look at. */
  other?: Required<DateRange>,
): Stretch[] {
  const { range, extent, settledUntil } = timeframe;
  const cut = toInstants(range, timezone);
  if (grain === undefined) {
    const { startsAt, endsAt } = cut;
    const isComplete = startsAt !== undefined && endsAt !== undefined && endsAt <= settledUntil;
    return isComplete ? [{ period: "", startsAt, endsAt }] : [];
  }
  const days = [extent, other].filter((each) => each !== undefined);
  if (days.length === 0) return [];
  const from = days.map((each) => each.from).reduce((a, b) => (a < b ? a : b));
  const last = days.map((each) => each.to).reduce((a, b) => (a > b ? a : b));
  // A day in any zone; what ends later is not complete, even if a call has a later date.
  const to = earlier(last, settledUntil.slice(0, "YYYY-MM-DD".length));
  if (to < from || mostPeriods({ from, to }, grain) > MOST_PERIODS) return [];
  // Whole periods: if the range is open, the last one continues after its last call.
  const end = new Date(Date.parse(to) + LONGEST_PERIOD_DAYS * 86_400_000).toISOString();
  return periods({ from, to: localDate(end, "UTC"), grain, zone: timezone })
    .slice(0, -1)
    .flatMap(({ period, ...whole }) => {
      const startsAt = later(whole.startsAt, cut.startsAt);
      const endsAt = earlier(whole.endsAt, cut.endsAt);
      return startsAt < endsAt && endsAt <= settledUntil ? [{ period, startsAt, endsAt }] : [];
    });
}

/** Returns the stretches that were complete in an earlier export and have the same bounds in another. */
export function comparableStretches(before: GivenScope, now: GivenScope, question: Cut): Stretch[] {
  const cutNow = new Map(
    completeStretches({ ...now, settledUntil: before.settledUntil }, question, before.extent).map((each) => [
      each.period,
      each,
    ]),
  );
  return completeStretches(before, question, now.extent).filter(({ period, startsAt, endsAt }) => {
    const same = cutNow.get(period);
    return same?.startsAt === startsAt && same.endsAt === endsAt;
  });
}

/** Returns the days from the first period to the last day; undefined without periods. */
export function extentOf({ range, periods, timezone }: Timeframe): Required<DateRange> | undefined {
  const [first, last] = [periods[0], periods.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const lastDay = localDate(new Date(Date.parse(last.endsAt) - 1).toISOString(), timezone);
  return { from: first.firstDay, to: range.to ?? lastDay };
}

export function givenScopeOf({
  range_from,
  range_to,
  first_day,
  last_day,
  ...rest
}: ExportedRollup): GivenScope {
  return {
    range: { ...(range_from !== null && { from: range_from }), ...(range_to !== null && { to: range_to }) },
    extent: first_day === null || last_day === null ? undefined : { from: first_day, to: last_day },
    settledUntil: rest.settled_until,
  };
}

const later = (a: string, b = a) => (a > b ? a : b);
const earlier = (a: string, b = a) => (a < b ? a : b);
