import type { FactColumn } from "../calls/facts.ts";
import type { Aggregate, CountPart } from "../figures/parts.ts";
import { NOT_SET, RESERVED_KEYS } from "../figures/reserved-keys.ts";
import { literal } from "./sql-text.ts";

/** What the views `rollup_…` have of a database; all else is SQL that SQLite and ClickHouse share. */
export interface SqlDialect {
  fact: (name: FactColumn) => string;
  /** How many units of the fact `duration` are a second. */
  unitsPerSecond: number;
  /** Rounds a number that is not negative to an integer, a half up. */
  round: (number: string) => string;
  /** Removes double quotes from both ends. */
  unquote: (text: string) => string;
}

type Condition = [fact: FactColumn, is: string];
const IN_HOURS: Condition = ["in_hours", " = 'yes'"];

const CONDITIONS: Record<Exclude<CountPart, "calls">, readonly Condition[]> = {
  answered_calls: [["outcome", " = 'answered'"]],
  missed_calls: [["outcome", " = 'missed'"]],
  other_calls: [["outcome", " = 'other'"]],
  qualified_calls: [["is_qualified", ""]],
  first_calls: [["is_first_call", ""]],
  calls_in_hours: [IN_HOURS],
  answered_in_hours: [["outcome", " = 'answered'"], IN_HOURS],
  missed_in_hours: [["outcome", " = 'missed'"], IN_HOURS],
};

export function countText(part: CountPart, { fact }: Pick<SqlDialect, "fact">): string {
  if (part === "calls") return "count(*)";
  return `sum(${CONDITIONS[part].map(([name, is]) => `${fact(name)}${is}`).join(" AND ")})`;
}

/** Returns a figure of `figures/parts.ts`, except medians: not every SQLite has that function. */
export function figureText(
  aggregate: Exclude<Aggregate, { kind: "median seconds" }>,
  dialect: SqlDialect,
): string {
  const { fact, round, unitsPerSecond } = dialect;
  const quotient = (dividend: string, divisor: string, decimals: number) => {
    const unit = 10 ** decimals;
    return `${round(`${unit}.0 * ${dividend} / nullif(${divisor}, 0)`)} / ${unit}`;
  };
  switch (aggregate.kind) {
    case "count":
      return countText(aggregate.of, dialect);
    case "callers":
      return `coalesce(count(DISTINCT ${fact("caller")}), 0)`;
    case "share":
      return quotient(
        countText(aggregate.of, dialect),
        countText(aggregate.per, dialect),
        aggregate.decimals,
      );
    case "total seconds":
      return `coalesce(sum(${fact("duration")}), 0)${unitsPerSecond === 1 ? "" : ` / ${unitsPerSecond}.0`}`;
    case "average seconds":
      return quotient(`sum(${fact("duration")})`, `(${unitsPerSecond} * count(${fact("duration")}))`, 1);
    case "start":
      return `${aggregate.of === "earliest_start" ? "min" : "max"}(${fact("call_started")})`;
    case "unknown":
      return "NULL";
  }
}

/** Quotes a key that reads like a reserved one; the first two comparisons spare nearly all texts the third. */
export function shownText(key: string, { unquote }: SqlDialect): string {
  const reads = `lower(${unquote(key)}) IN (${RESERVED_KEYS.map(literal).join(", ")})`;
  const shown = `CASE WHEN ${key} >= '"' AND ${key} < ')' AND ${reads} THEN '"' || ${key} || '"' ELSE ${key} END`;
  return `coalesce(${shown}, ${literal(NOT_SET)})`;
}
