import { normalizeDisposition, type RollupRules } from "./rules.ts";

/** A column of figures. */
export interface Metric {
  name: string;
  /** Aggregate over the expressions of {@link callFacts}. */
  sql: string;
  /** Digits after the point; whole numbers and times have none to show. */
  decimals?: number;
}

/** The figures of every rollup, in their order. Uniques do not add up across rows. */
export const METRICS: readonly Metric[] = [
  { name: "calls", sql: "count(*)" },
  { name: "answered_calls", sql: "count(*) FILTER (WHERE outcome = 'answered')" },
  { name: "missed_calls", sql: "count(*) FILTER (WHERE outcome = 'missed')" },
  { name: "other_calls", sql: "count(*) FILTER (WHERE outcome = 'other')" },
  {
    name: "answer_rate",
    sql: "round(1.0 * count(*) FILTER (WHERE outcome = 'answered') / count(*), 4)",
    decimals: 4,
  },
  { name: "unique_callers", sql: "count(DISTINCT caller)" },
  { name: "first_time_callers", sql: "count(*) FILTER (WHERE is_first)" },
  { name: "qualified_calls", sql: "count(*) FILTER (WHERE is_qualified)" },
  { name: "total_duration_seconds", sql: "coalesce(sum(seconds), 0)" },
  { name: "average_duration_seconds", sql: "round(avg(seconds), 1)", decimals: 1 },
  { name: "first_call_at", sql: "min(call_started)" },
  { name: "last_call_at", sql: "max(call_started)" },
];

/** Returns the expressions over `calls` as c that the metrics stand on. */
export function callFacts(rules: RollupRules): string[] {
  const disposition = "lower(trim(replace(replace(c.disposition, '-', ' '), '_', ' ')))";
  const outcome = `CASE WHEN ${disposition} IN (${literals(rules.answered)}) THEN 'answered'
      WHEN ${disposition} IN (${literals(rules.missed)}) THEN 'missed' ELSE 'other' END`;
  const seconds = rules.duration_unit === "seconds" ? "c.duration" : "c.duration / 1000.0";
  return [
    `${outcome} AS outcome`,
    "nullif(c.caller_id, '') AS caller",
    "c.call_id IN (SELECT call_id FROM first_calls) AS is_first",
    `${disposition} IN (${literals(rules.answered)}) AND ${seconds} >= ${rules.qualified_seconds} AS is_qualified`,
    `${seconds} AS seconds`,
    "c.call_started",
  ];
}

function literals(dispositions: readonly string[]): string {
  return dispositions.map((text) => `'${normalizeDisposition(text).replaceAll("'", "''")}'`).join(", ");
}
