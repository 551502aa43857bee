import type { FactColumn } from "../calls/facts.ts";
import type { Condition } from "./call-filter.ts";

/** What conditions have of a database; all else is SQL that SQLite and ClickHouse share. */
export interface ConditionDialect {
  fact: (name: FactColumn) => string;
  /** What is looked for where, to compare a fact with a list, which is not empty. */
  lookup: (fact: FactColumn, values: readonly (string | number)[]) => [value: string, list: string];
  hasOutcome: (stages: Extract<Condition, { outcomes: unknown }>["outcomes"]) => string;
}

export function conditionText(condition: Condition, dialect: ConditionDialect): string {
  const textOf = (one: Condition) => conditionText(one, dialect);
  if ("any" in condition) return `(${condition.any.map(textOf).join(" OR ")})`;
  if ("all" in condition) return `(${condition.all.map(textOf).join(" AND ")})`;
  if ("outcomes" in condition) return dialect.hasOutcome(condition.outcomes);
  const fact = dialect.fact(condition.fact);
  if ("isAtLeast" in condition) return `${fact} >= ${Number(condition.isAtLeast)}`;
  if ("isPresent" in condition) return `${fact} IS NOT NULL`;
  if ("holds" in condition) return fact;
  if ("isNoneOf" in condition) {
    if (condition.isNoneOf.length === 0) return "1";
    const [value, list] = dialect.lookup(condition.fact, condition.isNoneOf);
    return `(${value} IS NULL OR ${value} NOT IN ${list})`;
  }
  const values = condition.isOneOf.filter((value) => value !== null);
  const isIn = values.length === 0 ? "0" : dialect.lookup(condition.fact, values).join(" IN ");
  return values.length < condition.isOneOf.length ? `(${isIn} OR ${fact} IS NULL)` : isIn;
}
