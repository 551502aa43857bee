import fc from "fast-check";
import { type DateRange, type Span, toInstants } from "../../src/base/calendar/dates.ts";
import { GRAINS } from "../../src/base/calendar/grain.ts";
import { type Period, periods } from "../../src/base/calendar/periods.ts";
import { namesOf } from "../../src/base/records.ts";
import { CHANNELS } from "../../src/calls/attribution/channel-rules.ts";
import type { Call } from "../../src/calls/columns.ts";
import type { CallFilter } from "../../src/calls/filter.ts";
import { DIMENSIONS, type Dimension } from "../../src/figures/dimensions.ts";
import type { RollupQuery } from "../../src/figures/rollup-query.ts";
import type { FoldQuery } from "../support/figures/fold.ts";
import { arbitraryCalls } from "../support/warehouses/calls.ts";
import type { SpentRow } from "../support/warehouses/spend.ts";

/**
 * The moments before and after clock changes, and repeated hours: in Berlin, New York, on Lord Howe by half an
 * hour, and in Troll by two hours, when Berlin's are.
 */
const AROUND_CHANGES = [
  "2026-03-29T00:59:59.999Z",
  "2026-03-29T01:00:00.000Z",
  "2026-10-25T00:30:00.000Z",
  "2026-10-25T01:30:00.000Z",
  "2026-03-08T06:59:59.999Z",
  "2026-03-08T07:00:00.000Z",
  "2026-11-01T05:30:00.000Z",
  "2026-11-01T06:30:00.000Z",
  "2026-04-04T14:59:59.999Z",
  "2026-04-04T15:00:00.000Z",
  "2026-10-03T15:29:59.999Z",
  "2026-10-03T15:30:00.000Z",
];

/** Values that services should not send, but do. */
const odd: fc.Arbitrary<Partial<Call>> = fc.record(
  {
    caller_id: fc.constantFrom("null", " undefined", "{caller}", "-", "(not set)"),
    tracking_number: fc.constantFrom("+49 30", "004930", "49 30", "-", "--", "Desk", "null", "{number}"),
    disposition: fc.constantFrom("-", "_ _", "__", " null ", "{disposition}"),
    duration: fc.constantFrom(-1, -5000),
    utm_source: fc.constantFrom("(other)", '"(Other)"'),
    call_started: fc.constantFrom(...AROUND_CHANGES, "0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const oddities = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Partial<Call>>({}) },
  { weight: 1, arbitrary: odd },
);

/** Calls of which some are odd, and some gone from the service. */
export const accounts = fc
  .tuple(arbitraryCalls(60), fc.array(oddities, { minLength: 60, maxLength: 60 }))
  .map(([calls, odds]) => calls.map((call, index): Call => ({ ...call, ...odds[index] })))
  .chain((calls) =>
    fc.record({ calls: fc.constant(calls), gone: fc.subarray(calls, { maxLength: calls.length >> 2 }) }),
  );

const some = (...texts: string[]) => fc.subarray(texts, { minLength: 1 });
const FILTERS = {
  org_unit: some("Munich", "Berlin", "10", "(not set)"),
  channel: fc.subarray([...CHANNELS], { minLength: 8 }),
  source: some("Google ", "facebook", "face  book", "(not set)", "é", "istanbul"),
  campaign: some("AUTUMN", "1", "10", "Herbst  Aktion", "(not set)", "google"),
  disposition: some("answered", "No_Answer", "(not set)", "VOICE-MAIL", "-", "__"),
  topic: some("GREETING", "pipe", "(not set)"),
  min_duration_seconds: fc.constantFrom(0, 1, 60),
  first_time: fc.constant(true as const),
  has_gclid: fc.constant(true as const),
  tracking_number: some("+49 89 (65) 43-21", "4930", "(not set)", "-", "desk"),
  exclude_callers: some("+491", "0049 2", "Anonymous", "+4930123456", "-", ""),
} satisfies { [Name in keyof CallFilter]: fc.Arbitrary<CallFilter[Name]> };
const { exclude_callers, ...others } = FILTERS;

/** No filter, many at the same time, which select few calls, and excluded callers with at most one other. */
const filters: fc.Arbitrary<CallFilter> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 2, arbitrary: fc.record(FILTERS, { requiredKeys: [], noNullPrototype: true }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(exclude_callers, fc.record(others), fc.constantFrom(undefined, ...namesOf(others)))
      .map(([excluded, all, name]): CallFilter => {
        return { exclude_callers: excluded, ...(name && { [name]: all[name] }) };
      }),
  },
);

const DATES = [
  "2025-12-31",
  "2026-01-01",
  "2026-03-28",
  "2026-03-29",
  "2026-03-30",
  "2026-04-04",
  "2026-04-05",
  "2026-10-25",
  "2026-12-31",
];
const dates = fc
  .tuple(fc.constantFrom(...DATES), fc.constantFrom(...DATES))
  .map((pair) => pair.toSorted())
  .map(([from = "", to = ""]) => ({ from, to }));
const zones = fc.constantFrom(
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Antarctica/Troll",
);

/** The possible questions about calls, with days in a zone. */
export const questions = fc.record({
  dimensions: fc.subarray([...DIMENSIONS], { minLength: 1, maxLength: 3 }),
  raw: fc.boolean(),
  filter: filters,
  zone: zones,
  range: fc.option(dates, { nil: undefined }),
  previousRange: fc.option(dates, { nil: undefined }),
  grain: fc.option(fc.constantFrom(...GRAINS), { nil: undefined }),
  fill: fc.boolean(),
  top: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
});

/** Rows of spend, of campaigns that calls may have. */
export const spends: fc.Arbitrary<SpentRow[]> = fc.array(
  fc.record({
    day: fc.constantFrom("2025-12-31", "2026-01-01", "2026-03-29", "2026-06-15", "2026-12-31", "2027-01-01"),
    source: fc.constantFrom("google", "facebook", "face book", "bing", "é"),
    medium: fc.constantFrom("cpc", "paid_social", "banner"),
    campaign: fc.option(fc.constantFrom("Autumn", "AUTUMN ", "autumn", "Google", "Shop", "New One"), {
      freq: 6,
    }),
    campaign_id: fc.option(fc.constantFrom("1", "2", "10", "777"), { freq: 2 }),
    cost_micros: fc.oneof(
      fc.integer({ min: 0, max: 9_999 }).map((cents) => cents * 10_000),
      fc.integer({ min: -5, max: 3_000_000 }),
    ),
    currency: fc.constantFrom("EUR", null),
    clicks: fc.option(fc.nat({ max: 50 }), { freq: 4 }),
    impressions: fc.option(fc.nat({ max: 5000 }), { freq: 4 }),
  }),
  { maxLength: 25 },
);

export interface Question {
  dimensions: Dimension[];
  raw: boolean;
  filter: CallFilter;
  zone: string;
  range: Required<DateRange> | undefined;
  previousRange: Required<DateRange> | undefined;
  grain: (typeof GRAINS)[number] | undefined;
  fill: boolean;
  top: number | undefined;
}

/** The same question in instants and periods, for the SQL and for the fold. */
export function resolve({ dimensions, raw, filter, zone, range, previousRange, grain, fill, top }: Question) {
  const span: Span = toInstants(range ?? {}, zone);
  const previousSpan: Span | undefined = previousRange && toInstants(previousRange, zone);
  const periodsOf = (dates: Required<DateRange>): Period[] =>
    grain === undefined ? [] : periods({ ...dates, grain, zone });
  const current = periodsOf(range ?? { from: "2026-01-01", to: "2026-12-31" });
  const previous = (previousRange ? periodsOf(previousRange) : [])
    .slice(0, current.length)
    .map(({ startsAt }, place) => ({ startsAt, period: current[place]?.period ?? "" }));
  const isFilled = fill && grain !== undefined;
  const query: RollupQuery = {
    dimensions,
    raw,
    span,
    top,
    fill: isFilled,
    ...(grain !== undefined && { periods: current }),
    compared: previousSpan && [{ span: previousSpan, ...(grain !== undefined && { periods: previous }) }],
  };
  const fold: Omit<FoldQuery, "rules"> = {
    dimensions,
    raw,
    filter,
    zone,
    span,
    ...(top !== undefined && { top }),
    fill: isFilled,
    ...(grain !== undefined && { periods: current }),
    ...(previousSpan && { previous: { span: previousSpan, periods: previous } }),
  };
  return { query, fold };
}
