import { comparePeriods } from "../../../base/calendar/comparison.ts";
import { comparisonRange, type DateRange, type Span, toInstants } from "../../../base/calendar/dates.ts";
import type { Grain } from "../../../base/calendar/grain.ts";
import { localDate } from "../../../base/calendar/local-time.ts";
import { daysInWords } from "../../../base/calendar/period-text.ts";
import { type LabelledPeriod, periods } from "../../../base/calendar/periods.ts";
import type { Counterpart } from "../../../export/timeframe.ts";
import type { PageFacts } from "../page-facts.ts";

export type Days = Required<DateRange>;

const DAY_MS = 86_400_000;

/** Returns the moment at which a local day begins on the page, where days are read as if they were UTC. */
export function midnightOf(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`);
}

/** Returns the day that begins at a moment of {@link midnightOf}. */
export function dayAt(ms: number): string {
  return new Date(ms).toISOString().slice(0, "YYYY-MM-DD".length);
}

export function spanOf({ from, to }: Days): Required<Span> {
  return {
    startsAt: new Date(midnightOf(from)).toISOString(),
    endsAt: new Date(midnightOf(to) + DAY_MS).toISOString(),
  };
}

/** Returns the local day of the last sync, but at most the day after the last one in the file. */
export function todayOf({ warehouse: { run }, timezone, to }: PageFacts): string {
  const next = dayAt(midnightOf(to) + DAY_MS);
  const synced = run?.finished_at ? localDate(run.finished_at, timezone) : next;
  return synced < next ? synced : next;
}

export type PageComparison = "previous" | "year";

/** Returns what days are compared with; or why the page cannot, as `export` would compare other calls. */
export function compareDays(facts: PageFacts, days: Days, kind: PageComparison): Counterpart | string {
  return toCompared(facts, days, { ...days, ...comparisonRange(days, kind) });
}

function toCompared(facts: PageFacts, days: Days, before: Days): Counterpart | string {
  const { timezone, coveredFrom, historyFrom, from, warehouse } = facts;
  const span = toInstants(days, timezone);
  if ((span.endsAt ?? "") > (warehouse.run?.finished_at ?? ""))
    return "Not compared: these days end after the last sync.";
  if (before.from < from)
    return `Not compared: the days to compare with begin on ${dayInWords(before.from)}, and this page on ${dayInWords(from)}.`;
  if (coveredFrom === null || before.from < coveredFrom)
    return "Not compared: the days before begin before the first call.";
  return {
    as: "previous",
    range: before,
    span: spanOf(before),
    periods: [],
    times: lengthOf(toInstants(before, timezone)) / lengthOf(span),
    isCovered: true,
    hasHistory: historyFrom !== null && before.from >= historyFrom,
    isUnreached: false,
  };
}

const dayInWords = (day: string) => daysInWords({ from: day, to: day });
const lengthOf = ({ startsAt = "", endsAt = "" }: Span) => Date.parse(endsAt) - Date.parse(startsAt);

/** Returns the periods of some days, and their counterparts in the days before if these can be compared. */
export function periodsOf(facts: PageFacts, days: Days, grain: Grain, kind: PageComparison | undefined) {
  const zone = facts.timezone;
  const current = periods({ ...days, grain, zone });
  const toPage = ({ period, startsAt }: LabelledPeriod) => ({
    period,
    startsAt: new Date(midnightOf(localDate(startsAt, zone))).toISOString(),
  });
  const comparison = kind && comparePeriods(days, current, { kind, grain, zone });
  const compared = comparison && toCompared(facts, days, comparison.range);
  const before = new Map(
    typeof compared === "object" ? comparison?.periods.map((period) => [period.period, period.days]) : [],
  );
  return {
    periods: current.map((period) => ({
      ...toPage(period),
      days: daysOf(period, zone),
      daysBefore: before.get(period.period),
    })),
    compared:
      typeof compared === "object"
        ? {
            ...compared,
            periods: (comparison?.periods ?? []).map((period) => ({ ...period, ...toPage(period) })),
          }
        : undefined,
  };
}

function daysOf({ startsAt, endsAt }: Required<Span>, zone: string): Days {
  const last = new Date(Date.parse(endsAt) - 1).toISOString();
  return { from: localDate(startsAt, zone), to: localDate(last, zone) };
}
