import type { FactColumn } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import type { Outcome } from "../attribution/compiled-rules.ts";

/** How a figure is made of the facts of some calls; an engine says it in its own language. */
export type Aggregate =
  | { kind: "count" }
  | { kind: "count with outcome"; outcome: Outcome }
  | { kind: "count where"; fact: Extract<FactColumn, "is_first_call" | "is_qualified"> }
  | { kind: "count distinct"; fact: "caller" }
  | { kind: "share with outcome"; outcome: Outcome; decimals: number }
  | { kind: "total seconds" | "average seconds" | "median seconds" }
  | { kind: "earliest" | "latest"; fact: "call_started" };

/** A number of calls that costs are shared out over. */
export type CostPer = "calls" | "qualified_calls" | "first_time_callers";

/** How a figure is made of spend, or of spend and figures of calls. */
export type SpendAggregate =
  | { kind: "spend"; of: "cost_micros" | "clicks" | "impressions" }
  | { kind: "cost per"; of: CostPer };

/** A column of figures. */
export interface Metric<A extends Aggregate | SpendAggregate = Aggregate> {
  name: string;
  aggregate: A;
  type: "integer" | "decimal" | "time";
  /** Digits after the point, of a decimal. */
  decimals?: number;
  /** ISO 4217, of an amount. */
  currency?: string | undefined;
  /** A number of things, so 0 where there are no calls. */
  isCount?: true;
  /** A part of a whole: 0.25 for a quarter. */
  isShare?: true;
  /** Adds up across rows, since each call is in one row, and so is each caller's first call. */
  isAdditive?: true;
  /** One sentence for a person. */
  help: string;
}

const COUNT = { type: "integer", isCount: true } as const;
const SUM = { ...COUNT, isAdditive: true } as const;
const ANSWER_RATE_DECIMALS = 4;

/** Returns the figures of every rollup, in their order. */
export function metrics({ duration_unit }: Pick<AttributionRules, "duration_unit">): readonly Metric[] {
  return [
    { name: "calls", ...SUM, aggregate: { kind: "count" }, help: "Calls." },
    {
      name: "answered_calls",
      ...SUM,
      aggregate: { kind: "count with outcome", outcome: "answered" },
      help: "Calls whose disposition counts as answered.",
    },
    {
      name: "missed_calls",
      ...SUM,
      aggregate: { kind: "count with outcome", outcome: "missed" },
      help: "Calls whose disposition counts as missed.",
    },
    {
      name: "other_calls",
      ...SUM,
      aggregate: { kind: "count with outcome", outcome: "other" },
      help: "Calls with any other disposition, or none.",
    },
    {
      name: "answer_rate",
      type: "decimal",
      decimals: ANSWER_RATE_DECIMALS,
      isShare: true,
      aggregate: { kind: "share with outcome", outcome: "answered", decimals: ANSWER_RATE_DECIMALS },
      help: "answered_calls / calls.",
    },
    {
      name: "unique_callers",
      ...COUNT,
      aggregate: { kind: "count distinct", fact: "caller" },
      help: "Different callers in the row, by the digits of their numbers; does not add up across rows.",
    },
    {
      name: "first_time_callers",
      ...SUM,
      aggregate: { kind: "count where", fact: "is_first_call" },
      help: "Callers whose first call in the warehouse is in the row.",
    },
    {
      name: "qualified_calls",
      ...SUM,
      aggregate: { kind: "count where", fact: "is_qualified" },
      help: "Calls that were answered and lasted long enough.",
    },
    {
      name: "total_duration_seconds",
      ...SUM,
      ...(duration_unit === "milliseconds" && { type: "decimal", decimals: 3 }),
      aggregate: { kind: "total seconds" },
      help: "Sum of the durations, in seconds.",
    },
    {
      name: "average_duration_seconds",
      type: "decimal",
      decimals: 1,
      aggregate: { kind: "average seconds" },
      help: "Average over the calls that have a duration, in seconds.",
    },
    {
      name: "median_duration_seconds",
      type: "decimal",
      decimals: 1,
      aggregate: { kind: "median seconds" },
      help: "Median over the calls that have a duration, in seconds: the middle one, or the mean of the two in the middle.",
    },
    {
      name: "first_call_at",
      type: "time",
      aggregate: { kind: "earliest", fact: "call_started" },
      help: "Start of the earliest call, UTC.",
    },
    {
      name: "last_call_at",
      type: "time",
      aggregate: { kind: "latest", fact: "call_started" },
      help: "Start of the latest call, UTC.",
    },
  ];
}

/** What the columns of spend look like. */
export interface SpendForm {
  /** ISO 4217; undefined where nothing was ever imported. */
  currency: string | undefined;
  /** Digits after the point that show every amount whole. */
  decimals: number;
}

/** Digits after the point of a cost per call. */
const COST_PER_DECIMALS = 2;

/** Returns the figures of spend, in their order; blank where nothing was spent. */
export function spendMetrics({ currency, decimals }: SpendForm): readonly Metric<SpendAggregate>[] {
  const costPer = (name: string, of: CostPer) =>
    ({
      name,
      type: "decimal",
      decimals: COST_PER_DECIMALS,
      currency,
      aggregate: { kind: "cost per", of },
      help: `cost / ${of}; in the rows (total) and (other), only of keys that have spend.`,
    }) as const;
  return [
    {
      name: "cost",
      type: "decimal",
      decimals,
      currency,
      isAdditive: true,
      aggregate: { kind: "spend", of: "cost_micros" },
      help: "What ads cost, as `spend import` read it.",
    },
    {
      name: "clicks",
      type: "integer",
      isAdditive: true,
      aggregate: { kind: "spend", of: "clicks" },
      help: "Clicks on the ads, as the reports of spend have them.",
    },
    {
      name: "impressions",
      type: "integer",
      isAdditive: true,
      aggregate: { kind: "spend", of: "impressions" },
      help: "Times that the ads were shown, as the reports of spend have them.",
    },
    costPer("cost_per_call", "calls"),
    costPer("cost_per_qualified_call", "qualified_calls"),
    costPer("cost_per_first_time_caller", "first_time_callers"),
  ];
}

/** Whether a metric is made of spend. */
export function isOfSpend(metric: Metric<Aggregate | SpendAggregate>): metric is Metric<SpendAggregate> {
  return metric.aggregate.kind === "spend" || metric.aggregate.kind === "cost per";
}

/** Whether a metric depends on which calls are their callers' first. */
export function isOfFirstCalls({ aggregate }: Metric<Aggregate | SpendAggregate>): boolean {
  if (aggregate.kind === "cost per") return aggregate.of === "first_time_callers";
  return aggregate.kind === "count where" && aggregate.fact === "is_first_call";
}

const CALL_FIGURES = metrics({ duration_unit: "seconds" }).map(({ name }) => name);
/** The names of the figures of spend. */
export const SPEND_FIGURES: readonly string[] = spendMetrics({ currency: undefined, decimals: 0 }).map(
  ({ name }) => name,
);
/** The names of all figures, in the order of their columns. */
export const FIGURES: readonly string[] = [...CALL_FIGURES, ...SPEND_FIGURES];

/** The names of all figures that are made of the facts of calls. */
export const METRIC_NAMES: ReadonlySet<string> = new Set(CALL_FIGURES);

/** The names of figures that show when a call started. */
export const TIME_FIGURES: readonly string[] = metrics({ duration_unit: "seconds" }).flatMap(
  ({ name, type }) => (type === "time" ? [name] : []),
);

/** Whether a metric has a previous value and a change; times have none to tell. */
export function isCompared({ type }: Pick<Metric, "type">): boolean {
  return type !== "time";
}
