import type { Aggregate, CountPart, Part, Units } from "./parts.ts";

/** The calls that a cost is divided by. */
export type CostPer = "calls" | "qualified_calls" | "first_time_callers";

/** How a figure is computed from spend, or from spend and figures of calls. */
export type SpendAggregate =
  | { kind: "spend"; of: "cost_micros" | "clicks" | "impressions" }
  | { kind: "cost per"; of: CostPer };

/** How a figure is computed from what calls earned, with the calls or the spend of the row. */
export type OutcomeAggregate =
  | { kind: "outcome"; of: "booked" | "sold" | "revenue" }
  | { kind: "per call" | "per cost" | "cost per booked" };

/** The aggregates that amounts of jobs are needed for. */
function needsAmounts(aggregate: OutcomeAggregate): boolean {
  return aggregate.kind === "outcome" ? aggregate.of === "revenue" : aggregate.kind !== "cost per booked";
}

export type AnyAggregate = Aggregate | SpendAggregate | OutcomeAggregate;

export interface Metric<A extends AnyAggregate = Aggregate, Name extends string = string> {
  name: Name;
  aggregate: A;
  type: "integer" | "decimal" | "time";
  /** Digits after the point, of a decimal. */
  decimals?: number;
  /** ISO 4217, of an amount. */
  currency?: string | undefined;
  /** Whether it is blank in every row, because nothing that it is made of was imported. */
  isUnknown?: boolean;
  /** 0 rather than null where there are no calls. */
  isCount?: true;
  /** A part of a whole: 0.25 for a quarter. */
  isShare?: true;
  /** Adds up across rows, because each call, and each caller's first call, is in one row. */
  isAdditive?: true;
  help: string;
}

type NamedMetric<Name extends string> = Metric<Aggregate, Name>;

const named = <Name extends string>(metric: NamedMetric<Name>) => metric;

const sum = <Name extends string>(name: Name, aggregate: Aggregate, help: string) =>
  named({ name, type: "integer", isCount: true, isAdditive: true, aggregate, help });
const count = <Name extends string>(name: Name, of: CountPart, help: string) =>
  sum(name, { kind: "count", of }, help);
const decimal = <Name extends string>(name: Name, decimals: number, aggregate: Aggregate, help: string) =>
  named({ name, type: "decimal", decimals, aggregate, help });
const time = <Name extends string>(name: Name, which: "earliest" | "latest") => {
  const help = `Start of the ${which} call, UTC.`;
  return {
    ...named({ name, type: "time", aggregate: { kind: "start", of: `${which}_start` }, help }),
    type: "time",
  } as const;
};
const share = <Name extends string>(
  name: Name,
  aggregate: Omit<Extract<Aggregate, { kind: "share" }>, "kind" | "decimals">,
  help: string,
) => named({ ...decimal(name, 4, { kind: "share", decimals: 4, ...aggregate }, help), isShare: true });

function callMetrics({ duration_unit, hours }: Units) {
  /** Blank rather than 0 if no opening hours are set. */
  const inHours = <Name extends string>(metric: NamedMetric<Name>): NamedMetric<Name> => {
    if (hours !== undefined) return metric;
    const { isCount: _, isAdditive: __, ...blank } = metric;
    return { ...blank, aggregate: { kind: "unknown" } };
  };
  return [
    count("calls", "calls", "Calls."),
    count("answered_calls", "answered_calls", "Calls whose disposition counts as answered."),
    count("missed_calls", "missed_calls", "Calls whose disposition counts as missed."),
    count("other_calls", "other_calls", "Calls with any other disposition, or none."),
    share("answer_rate", { of: "answered_calls", per: "calls" }, "answered_calls / calls."),
    named({
      name: "unique_callers",
      type: "integer",
      isCount: true,
      aggregate: { kind: "callers" },
      help: "Different callers in the row, by the digits of their numbers; does not add up across rows.",
    }),
    count("first_time_callers", "first_calls", "Callers whose first call in the warehouse is in the row."),
    count("qualified_calls", "qualified_calls", "Calls that were answered and lasted long enough."),
    share("qualified_rate", { of: "qualified_calls", per: "calls" }, "qualified_calls / calls."),
    named({
      ...sum("total_duration_seconds", { kind: "total seconds" }, "Sum of the durations, in seconds."),
      ...(duration_unit === "milliseconds" && { type: "decimal", decimals: 3 }),
    }),
    decimal(
      "average_duration_seconds",
      1,
      { kind: "average seconds" },
      "Average over the calls that have a duration, in seconds.",
    ),
    decimal(
      "median_duration_seconds",
      1,
      { kind: "median seconds" },
      "Median over the calls that have a duration, in seconds.",
    ),
    time("first_call_at", "earliest"),
    time("last_call_at", "latest"),
    inHours(count("calls_in_hours", "calls_in_hours", "Calls in opening hours; blank if none are set.")),
    inHours(count("missed_in_hours", "missed_in_hours", "Missed calls in opening hours.")),
    inHours(
      share(
        "answer_rate_in_hours",
        { of: "answered_in_hours", per: "calls_in_hours" },
        "Answered calls in opening hours / calls_in_hours.",
      ),
    ),
  ];
}

/** For tables of accounts: rollups have the rate of answered calls. */
export const MISSED_RATE = share(
  "missed_rate",
  { of: "missed_calls", per: "calls" },
  "missed_calls / calls.",
);

type CallMetric = ReturnType<typeof callMetrics>[number];
type CallFigure = CallMetric["name"];
export type TimeFigure = Extract<CallMetric, { type: "time" }>["name"];

/** Returns the figures of calls, in order. */
export const metrics: (units: Units) => readonly Metric[] = callMetrics;

export interface SpendForm {
  /** ISO 4217; undefined if nothing was ever imported. */
  currency?: string | undefined;
  /** Digits after the point that show every amount in full. */
  decimals: number;
}

function metricsOfSpend({ currency, decimals }: SpendForm) {
  const named = <Name extends string>(metric: Metric<SpendAggregate, Name>) => metric;
  const amount = <Name extends string>(name: Name, digits: number, aggregate: SpendAggregate, help: string) =>
    named({ name, type: "decimal", decimals: digits, currency, aggregate, help });
  const number = <Name extends "clicks" | "impressions">(of: Name, help: string) =>
    named({ name: of, type: "integer", isAdditive: true, aggregate: { kind: "spend", of }, help });
  const costPer = <Name extends string>(name: Name, of: CostPer) => {
    const help = `cost / ${of}; blank unless the cost is over 0, as is that of all keys with calls in (total) and (other).`;
    return amount(name, 2, { kind: "cost per", of }, help);
  };
  const cost: SpendAggregate = { kind: "spend", of: "cost_micros" };
  return [
    named({ ...amount("cost", decimals, cost, "What ads cost, from `spend import`."), isAdditive: true }),
    number("clicks", "Clicks on the ads, from the reports of spend."),
    number("impressions", "How often the ads were shown, from the reports of spend."),
    costPer("cost_per_call", "calls"),
    costPer("cost_per_qualified_call", "qualified_calls"),
    costPer("cost_per_first_time_caller", "first_time_callers"),
  ];
}

export type SpendFigure = ReturnType<typeof metricsOfSpend>[number]["name"];

/** Returns the figures of spend, in order; null where nothing was spent. */
export const spendMetrics: (form: SpendForm) => readonly Metric<SpendAggregate>[] = metricsOfSpend;

/** Which periods outcomes are counted in: those of their calls, or of the dates of their jobs. */
export const REVENUE_BY = ["call", "job-date"] as const;

export interface OutcomeForm extends SpendForm {
  by: (typeof REVENUE_BY)[number];
}

function metricsOfOutcomes({ currency, decimals }: SpendForm) {
  const count = (of: "booked" | "sold", help: string) =>
    ({
      name: `${of}_calls`,
      type: "integer",
      isCount: true,
      isAdditive: true,
      aggregate: { kind: "outcome", of },
      help,
    }) as const;
  const decimal = <Name extends string>(
    name: Name,
    aggregate: OutcomeAggregate,
    help: string,
    of: { decimals?: number; currency?: string | undefined } = { currency },
  ) => ({ name, type: "decimal", decimals: 2, aggregate, help, ...of }) as const;
  return [
    count("booked", "Calls that led to a job that was booked or sold, from `outcome import`."),
    count("sold", "Calls that led to a job that was sold."),
    {
      ...decimal("revenue", { kind: "outcome", of: "revenue" }, "What sold jobs earned, less refunds.", {
        decimals,
        currency,
      }),
      isCount: true,
      isAdditive: true,
    },
    decimal("revenue_per_call", { kind: "per call" }, "revenue / calls."),
    decimal(
      "return_on_ad_spend",
      { kind: "per cost" },
      "revenue / cost; blank where a cost per call is.",
      {},
    ),
    decimal(
      "cost_per_booked_call",
      { kind: "cost per booked" },
      "cost / booked_calls; blank where a cost per call is.",
    ),
  ] as const;
}

export type OutcomeFigure = ReturnType<typeof metricsOfOutcomes>[number]["name"];
export type Figure = CallFigure | SpendFigure | OutcomeFigure;

/** Returns the figures of outcomes, in order. @param spend of the same rollup, for figures that need both */
export function outcomeMetrics(
  form: OutcomeForm,
  spend: SpendForm | undefined,
): readonly Metric<OutcomeAggregate>[] {
  const hasAmounts = form.currency !== undefined;
  return metricsOfOutcomes(form)
    .filter(({ aggregate: { kind } }) => {
      // The jobs of a period are of calls of other periods, too.
      if (kind === "per call") return form.by === "call";
      return kind === "outcome" || spend !== undefined;
    })
    .map((metric) =>
      hasAmounts || !needsAmounts(metric.aggregate) ? metric : { ...metric, isUnknown: true },
    );
}

export function isOfSpend(metric: Metric<AnyAggregate>): metric is Metric<SpendAggregate> {
  return metric.aggregate.kind === "spend" || metric.aggregate.kind === "cost per";
}

export function isOfOutcomes(aggregate: AnyAggregate): aggregate is OutcomeAggregate {
  return ["outcome", "per call", "per cost", "cost per booked"].includes(aggregate.kind);
}

const DIVISORS: Record<CostPer, Part> = {
  calls: "calls",
  qualified_calls: "qualified_calls",
  first_time_callers: "first_calls",
};

/** Returns what a cost is divided by; undefined for other metrics. */
export function divisorOf({ aggregate }: Pick<Metric<AnyAggregate>, "aggregate">): Part | undefined {
  return aggregate.kind === "cost per" ? DIVISORS[aggregate.of] : undefined;
}

export function isOfFirstCalls({ aggregate }: Metric<AnyAggregate>): boolean {
  if (aggregate.kind === "cost per") return aggregate.of === "first_time_callers";
  return aggregate.kind === "count" && aggregate.of === "first_calls";
}

/** With opening hours: all kinds of figures. */
export const CALL_METRICS = callMetrics({ duration_unit: "seconds", hours: {} });
const SPEND_METRICS = metricsOfSpend({ currency: undefined, decimals: 0 });
const CALL_FIGURES = CALL_METRICS.map(({ name }) => name);
export const SPEND_FIGURES: readonly string[] = SPEND_METRICS.map(({ name }) => name);
const OF_BOTH = { currency: undefined, decimals: 0 };
const OUTCOME_METRICS = metricsOfOutcomes(OF_BOTH);
export const OUTCOME_FIGURES: readonly string[] = OUTCOME_METRICS.map(({ name }) => name);
/** Those that need spend, too. */
export const RETURN_FIGURES: readonly string[] = OUTCOME_METRICS.flatMap(({ name, aggregate }) =>
  ["per cost", "cost per booked"].includes(aggregate.kind) ? [name] : [],
);
/** Costs of calls, and what calls return on costs: too few calls distort them. */
export const COST_PER_CALL_FIGURES: readonly string[] = [
  ...SPEND_METRICS.filter((metric) => divisorOf(metric) !== undefined).map(({ name }) => name),
  ...RETURN_FIGURES,
];
/** Whether only rollups with the columns of spend have a figure. */
export const needsSpend = (name: string): boolean =>
  SPEND_FIGURES.includes(name) || RETURN_FIGURES.includes(name);
export const FIRST_CALL_FIGURES: ReadonlySet<string> = new Set(
  [...CALL_METRICS, ...SPEND_METRICS].filter(isOfFirstCalls).map(({ name }) => name),
);
export const FIGURES: readonly Figure[] = [...CALL_METRICS, ...SPEND_METRICS, ...OUTCOME_METRICS].map(
  ({ name }) => name,
);

export const METRIC_NAMES: ReadonlySet<string> = new Set(CALL_FIGURES);

export const TIME_FIGURES: readonly string[] = CALL_METRICS.flatMap(({ name, type }) =>
  type === "time" ? [name] : [],
);

/** Whether a metric has a previous value and a change; times have none. */
export function isCompared({ type }: Pick<Metric, "type">): boolean {
  return type !== "time";
}
