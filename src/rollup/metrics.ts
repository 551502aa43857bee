import type { RollupRules } from "./rules.ts";

/** A column of figures. */
export interface Metric {
  name: string;
  /** Aggregate over the facts of each call; see `sql.ts`. */
  sql: string;
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

/** Whole milliseconds are added up before they become seconds, so that no sum shows a rounding error. */
const TOTAL_SECONDS = {
  seconds: "coalesce(sum(duration), 0)",
  milliseconds: "coalesce(sum(duration), 0) / 1000.0",
} as const;
const AVERAGE_SECONDS = {
  seconds: "round(avg(duration), 1)",
  milliseconds: "round(sum(duration) / 1000.0 / count(duration), 1)",
} as const;

/** Returns the figures of every rollup, in their order. */
export function metrics({ duration_unit }: RollupRules): readonly Metric[] {
  return [
    { name: "calls", ...SUM, sql: "count(*)", help: "Calls." },
    {
      name: "answered_calls",
      ...SUM,
      sql: "count(*) FILTER (WHERE outcome = 'answered')",
      help: "Calls whose disposition counts as answered.",
    },
    {
      name: "missed_calls",
      ...SUM,
      sql: "count(*) FILTER (WHERE outcome = 'missed')",
      help: "Calls whose disposition counts as missed.",
    },
    {
      name: "other_calls",
      ...SUM,
      sql: "count(*) FILTER (WHERE outcome = 'other')",
      help: "Calls with any other disposition, or none.",
    },
    {
      name: "answer_rate",
      type: "decimal",
      decimals: 4,
      sql: "round(1.0 * count(*) FILTER (WHERE outcome = 'answered') / count(*), 4)",
      help: "answered_calls / calls.",
    },
    {
      name: "unique_callers",
      ...COUNT,
      sql: "count(DISTINCT caller)",
      help: "Different caller ids in the row; does not add up across rows.",
    },
    {
      name: "first_time_callers",
      ...SUM,
      sql: "count(*) FILTER (WHERE is_first)",
      help: "Callers whose first call in the warehouse is in the row.",
    },
    {
      name: "qualified_calls",
      ...SUM,
      sql: "count(*) FILTER (WHERE outcome = 'answered' AND is_long)",
      help: "Calls that were answered and lasted long enough.",
    },
    {
      name: "total_duration_seconds",
      ...SUM,
      ...(duration_unit === "milliseconds" && { type: "decimal", decimals: 3 }),
      sql: TOTAL_SECONDS[duration_unit],
      help: "Sum of the durations, in seconds.",
    },
    {
      name: "average_duration_seconds",
      type: "decimal",
      decimals: 1,
      sql: AVERAGE_SECONDS[duration_unit],
      help: "Average over the calls that have a duration, in seconds.",
    },
    {
      name: "first_call_at",
      type: "time",
      sql: "min(call_started)",
      help: "Start of the earliest call, UTC.",
    },
    { name: "last_call_at", type: "time", sql: "max(call_started)", help: "Start of the latest call, UTC." },
  ];
}
