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

/** A column of figures. */
export interface Metric {
  name: string;
  aggregate: Aggregate;
  type: "integer" | "decimal" | "time";
  /** Digits after the point, of a decimal. */
  decimals?: number;
  /** A number of things, so 0 where there are no calls. */
  isCount?: true;
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

/** The names of all figures that are made of the facts of calls. */
export const METRIC_NAMES: ReadonlySet<string> = new Set(
  metrics({ duration_unit: "seconds" }).map(({ name }) => name),
);

/** Whether a metric has a previous value and a change; times have none to tell. */
export function isCompared({ type }: Metric): boolean {
  return type !== "time";
}
