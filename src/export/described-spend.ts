import { closedRange, countDays, type DateRange, type Span } from "../base/calendar/dates.ts";
import { PERIOD_ON_PERIOD } from "../base/calendar/grain.ts";
import { localDate } from "../base/calendar/local-time.ts";
import { longLabelOf } from "../base/calendar/period-text.ts";
import type { Period } from "../base/calendar/periods.ts";
import { recordOf } from "../base/records.ts";
import { formatMicros } from "../base/text/currency.ts";
import type { SessionSpend, SpendSum } from "../sources/session-spend.ts";
import { MATCHES } from "../sources/spend-campaigns.ts";
import type { DescribedSpend } from "./statements/range-schema.ts";
import type { Counterpart, Timeframe } from "./timeframe.ts";

const OF_BOTH: readonly string[] = ["source", "channel", "campaign", "include_gone"];

export function describeSpend(spend: SessionSpend, timeframe: Timeframe): DescribedSpend {
  const { span, filter, compared } = timeframe;
  const isCompared = (each: Counterpart) =>
    !each.isCovered || areCostsKnown(spend, timeframe, each).every((isKnown) => isKnown);
  const sums = spend.sums(span);
  const none: SpendSum = { rows: 0, cost_micros: 0n };
  const all = { ...none };
  for (const { rows, cost_micros } of sums.values()) {
    all.rows += rows;
    all.cost_micros += cost_micros;
  }
  const ofCallsAlone = Object.keys(filter).filter((name) => !OF_BOTH.includes(name));
  return {
    currency: spend.form.currency ?? null,
    decimals: spend.form.decimals,
    ...toCost(all),
    days: spend.days(span) ?? null,
    ...(!compared.every(isCompared) && { days_differ: true }),
    campaigns: recordOf(MATCHES, (match) => toCost(sums.get(match) ?? none)),
    ...(ofCallsAlone.length > 0 && { filters_of_calls_alone: ofCallsAlone }),
    imports: spend
      .files(span)
      .map(({ file, imported_at, ...sum }) => ({ file, imported_at, ...toCost(sum) })),
  };
}

/** Whether the days compared with lack as many days of spend, and end with a day: spend is known by the day. */
export function isSpendComparable(
  spend: { days: (span: Span) => { count: number } | undefined },
  { range, span }: Pick<Timeframe, "range" | "span">,
  compared: Pick<Counterpart, "range" | "span"> | undefined,
): boolean {
  const countMissing = (days: DateRange, of: Span) => {
    const closed = closedRange(days);
    return closed && countDays(closed) - (spend.days(of)?.count ?? 0);
  };
  if (compared === undefined || compared.range.until !== undefined) return false;
  return countMissing(range, span) === countMissing(compared.range, compared.span);
}

/** Returns whether costs can be compared: for all rows, or period on period, for each counterpart. */
function areCostsKnown(
  spend: Parameters<typeof isSpendComparable>[0],
  timeframe: Timeframe,
  compared: Counterpart,
): boolean[] {
  if (compared.as !== PERIOD_ON_PERIOD) return [isSpendComparable(spend, timeframe, compared)];
  const { periods, span, range } = compared;
  return periods.map(({ period, startsAt, days }, index) => {
    const now = timeframe.periods.find((each) => each.period === period);
    if (now === undefined) return false;
    const { endsAt = span.endsAt } = { endsAt: periods[index + 1]?.startsAt };
    const until = index === periods.length - 1 ? range.until : undefined;
    return isSpendComparable(
      spend,
      { range: daysOf(now, timeframe.timezone), span: now },
      {
        range: { ...days, ...(until !== undefined && { until }) },
        span: { startsAt, ...(endsAt && { endsAt }) },
      },
    );
  });
}

function daysOf({ startsAt, endsAt }: Period, zone: string): DateRange {
  const last = new Date(Date.parse(endsAt) - 1).toISOString();
  return { from: localDate(startsAt, zone), to: localDate(last, zone) };
}

/** Returns a function that says whether the costs of a period can be compared. */
export function costTest(
  spend: Parameters<typeof isSpendComparable>[0],
  timeframe: Timeframe,
  compared: Counterpart,
): (period: unknown) => boolean {
  const [isKnown = false, ...others] = areCostsKnown(spend, timeframe, compared);
  if (compared.as !== PERIOD_ON_PERIOD) return () => isKnown;
  const known = new Set<unknown>(
    compared.periods.flatMap(({ period }, index) => ([isKnown, ...others][index] ? [period] : [])),
  );
  return (period) => known.has(period);
}

function toCost({ rows, cost_micros }: SpendSum): { rows: number; cost: number } {
  return { rows, cost: Number(formatMicros(cost_micros)) };
}

export function sentencesOnSpend(
  { currency, rows, days, campaigns, imports }: DescribedSpend,
  zone: string,
): string[] {
  if (days === null) return ["No spend was imported for these days."];
  const { id, name, unmatched, unnamed } = campaigns;
  const files = [...new Set(imports.map(({ file }) => file))];
  const shown = `${files.slice(0, FILES_SHOWN).join(", ")}${files.length > FILES_SHOWN ? ", …" : ""}`;
  return [
    `In ${currency}, as the ad platforms report it for ${longLabelOf(days.first)} to ${longLabelOf(days.last)}; their days are treated as days of ${zone}.`,
    `Of ${rows} rows, ${id.rows} have the campaign of calls by its id, ${name.rows} by its name; ${unmatched.rows} are of campaigns that no call has, ${unnamed.rows} of none.`,
    "Costs per call are of rows whose cost is over 0; (with spend) adds these up, so by channel or source it has other calls than by campaign. (total) and (other) have costs per call only if all their calls are of such rows.",
    `From ${shown}.`,
  ];
}

const FILES_SHOWN = 5;
