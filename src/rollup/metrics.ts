import { normalizeDisposition, type RollupRules } from "./rules.ts";

/** A column of figures. */
export interface Metric {
  name: string;
  /** Aggregate over the expressions of {@link callFacts}. */
  sql: string;
  /** Digits after the point; whole numbers and times have none to show. */
  decimals?: number;
}

/** Whole milliseconds are added up before they become seconds, so that no sum shows a rounding error. */
const TOTAL_SECONDS = {
  seconds: "coalesce(sum(seconds), 0)",
  milliseconds: "coalesce(sum(milliseconds), 0) / 1000.0",
} as const;
const AVERAGE_SECONDS = {
  seconds: "round(avg(seconds), 1)",
  milliseconds: "round(sum(milliseconds) / 1000.0 / count(milliseconds), 1)",
} as const;

/** Returns the figures of every rollup, in their order. Uniques do not add up across rows. */
export function metrics({ duration_unit }: RollupRules): readonly Metric[] {
  return [
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
    { name: "total_duration_seconds", sql: TOTAL_SECONDS[duration_unit] },
    { name: "average_duration_seconds", sql: AVERAGE_SECONDS[duration_unit], decimals: 1 },
    { name: "first_call_at", sql: "min(call_started)" },
    { name: "last_call_at", sql: "max(call_started)" },
  ];
}

/** Returns the expressions over `calls` as c that the metrics stand on. */
export function callFacts(rules: RollupRules): string[] {
  const disposition = "lower(trim(replace(replace(c.disposition, '-', ' '), '_', ' ')))";
  const outcome = `CASE WHEN ${disposition} IN (${literals(rules.answered)}) THEN 'answered'
      WHEN ${disposition} IN (${literals(rules.missed)}) THEN 'missed' ELSE 'other' END`;
  const qualifiedDuration = rules.qualified_seconds * (rules.duration_unit === "seconds" ? 1 : 1000);
  return [
    `${outcome} AS outcome`,
    "nullif(c.caller_id, '') AS caller",
    "c.call_id IN (SELECT call_id FROM first_calls) AS is_first",
    `${disposition} IN (${literals(rules.answered)}) AND c.duration >= ${qualifiedDuration} AS is_qualified`,
    `c.duration AS ${rules.duration_unit}`,
    "c.call_started",
  ];
}

/** SQLite's lower() knows ASCII alone: beyond it a disposition matches as configured, in lower and in upper case. */
function literals(dispositions: readonly string[]): string {
  const spellings = dispositions
    .map(normalizeDisposition)
    .flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()])
    .map((text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
  return [...new Set(spellings)].map((text) => `'${text.replaceAll("'", "''")}'`).join(", ");
}
