import { toInstants } from "../../base/calendar/dates.ts";
import type { Grain } from "../../base/calendar/grain.ts";
import { localDate } from "../../base/calendar/local-time.ts";
import { type Period, periods } from "../../base/calendar/periods.ts";
import { MAX_PERIODS, mostPeriods, type Timeframe } from "../../export/timeframe.ts";
import type { ExportedRollup } from "./exported-rollups.ts";

export type ExportedScope = Pick<
  ExportedRollup,
  "range_from" | "range_to" | "first_day" | "last_day" | "settled_until"
>;

/** The time span of a row; a rollup without periods has one, without a name. */
export type Stretch = Pick<Period, "period" | "startsAt" | "endsAt">;

/** At least as long as the longest period. */
const LONGEST_PERIOD_DAYS = 100;
/** Upper bound for two consecutive exports; if they are further apart, a clock was wrong. */
const MAX_COMPARED_PERIODS = 2 * MAX_PERIODS;

interface Cut {
  grain?: Grain | undefined;
  timezone: string;
}

/** Returns the spans that ended in its range and are final by now. @param other has further days to look at */
export function completeStretches(scope: ExportedScope, { grain, timezone }: Cut, other?: ExportedScope) {
  const { settled_until, range_from, range_to } = scope;
  const range = {
    ...(range_from !== null && { from: range_from }),
    ...(range_to !== null && { to: range_to }),
  };
  const cut = toInstants(range, timezone);
  if (grain === undefined) {
    const { startsAt, endsAt } = cut;
    const isComplete = startsAt !== undefined && endsAt !== undefined && endsAt <= settled_until;
    return isComplete ? [{ period: "", startsAt, endsAt }] : [];
  }
  const days = [scope, other].flatMap((each) => [each?.first_day ?? [], each?.last_day ?? []].flat()).sort();
  const [from, last] = [days[0], days.at(-1)];
  if (from === undefined || last === undefined) return [];
  // A day in any zone; whatever ends later is not complete, even if a call has a later date.
  const to = earlier(last, settled_until.slice(0, "YYYY-MM-DD".length));
  if (to < from || mostPeriods({ from, to }, grain) > MAX_COMPARED_PERIODS) return [];
  // Whole periods: if the range is open, the last one continues after its last call.
  const end = new Date(Date.parse(to) + LONGEST_PERIOD_DAYS * 86_400_000).toISOString();
  return periods({ from, to: localDate(end, "UTC"), grain, zone: timezone })
    .slice(0, -1)
    .flatMap(({ period, ...whole }) => {
      const startsAt = later(whole.startsAt, cut.startsAt);
      const endsAt = earlier(whole.endsAt, cut.endsAt);
      return startsAt < endsAt && endsAt <= settled_until ? [{ period, startsAt, endsAt }] : [];
    });
}

/** Returns the spans that were complete in an earlier export and have the same bounds in another. */
export function comparableStretches(before: ExportedScope, now: ExportedScope, question: Cut): Stretch[] {
  const then = { ...now, settled_until: before.settled_until };
  const cutNow = new Map(completeStretches(then, question, before).map((each) => [each.period, each]));
  return completeStretches(before, question, now).filter(({ period, startsAt, endsAt }) => {
    const same = cutNow.get(period);
    return same?.startsAt === startsAt && same.endsAt === endsAt;
  });
}

export function scopeOf({ range, periods, timezone }: Timeframe, settled_until: string): ExportedScope {
  const [first, last] = [periods[0], periods.at(-1)];
  const lastDay = (endsAt: string) =>
    range.to ?? localDate(new Date(Date.parse(endsAt) - 1).toISOString(), timezone);
  return {
    range_from: range.from ?? null,
    range_to: range.to ?? null,
    first_day: first?.firstDay ?? null,
    last_day: last ? lastDay(last.endsAt) : null,
    settled_until,
  };
}

const later = (a: string, b = a) => (a > b ? a : b);
const earlier = (a: string, b = a) => (a < b ? a : b);
