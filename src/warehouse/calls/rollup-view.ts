import type { AttributionRules } from "../../attribution/attribution-rules.ts";
import { type Dimension, type KeyColumn, keyColumns } from "../../figures/dimensions.ts";
import { metrics } from "../../figures/metrics.ts";
import type { Aggregate, CountPart } from "../../figures/parts.ts";
import { NOT_SET, RESERVED_KEYS } from "../../figures/reserved-keys.ts";
import { groupBy, literal } from "../../rollup/sql-text.ts";
import { campaignNamesText } from "../../rollup/sqlite/campaign-names-sql.ts";

/**
 * Returns the SELECT of a rollup for a view, by a dimension that is a fact: the same figures as those of
 * `figures/parts.ts`, for any SQLite. Without medians: not every SQLite has that function.
 */
export function rollupViewText(
  dimension: Dimension,
  { duration_unit }: Pick<AttributionRules, "duration_unit">,
): string {
  const keys = keyColumns([dimension]);
  const figures = metrics({ duration_unit }).flatMap(({ name, aggregate }) => {
    if (aggregate.kind === "median seconds") return [];
    return [`${figureText(aggregate, duration_unit === "milliseconds")} AS ${name}`];
  });
  const columns = [...keys.map((key) => `${keyText(key)} AS ${key.name}`), ...figures];
  return `SELECT ${columns.join(",\n  ")}
FROM call_facts AS f${keys.some(({ isNameOf }) => isNameOf) ? NAMES : ""}
WHERE f.is_live
${groupBy(keys.map((_, index) => String(index + 1)))}ORDER BY ${["calls DESC", ...keys.map(({ name }) => name)].join(", ")}`;
}

const NAMES = `
LEFT JOIN (${campaignNamesText()}) AS n ON n.campaign_id = f.campaign_id`;

function figureText(
  aggregate: Exclude<Aggregate, { kind: "median seconds" }>,
  isMilliseconds: boolean,
): string {
  switch (aggregate.kind) {
    case "count":
      return countText(aggregate.of);
    case "callers":
      return "count(DISTINCT f.caller_id)";
    case "share":
      return quotientText(countText(aggregate.of), "count(*)", aggregate.decimals);
    case "total seconds":
      return `coalesce(sum(f.duration), 0)${isMilliseconds ? " / 1000.0" : ""}`;
    case "average seconds":
      return quotientText("sum(f.duration)", `(${isMilliseconds ? 1000 : 1} * count(f.duration))`, 1);
    case "start":
      return `${aggregate.of === "earliest_start" ? "min" : "max"}(f.call_started)`;
  }
}

const CONDITIONS: Record<Exclude<CountPart, "calls">, string> = {
  answered_calls: "f.outcome = 'answered'",
  missed_calls: "f.outcome = 'missed'",
  other_calls: "f.outcome = 'other'",
  qualified_calls: "f.is_qualified",
  first_calls: "f.is_first_call",
};

function countText(part: CountPart): string {
  return part === "calls" ? "count(*)" : `count(*) FILTER (WHERE ${CONDITIONS[part]})`;
}

/** Rounds only an integer: `round(3 / 20.0, 1)` is 0.1 or 0.2 depending on SQLite's version. */
function quotientText(dividend: string, divisor: string, decimals: number): string {
  const unit = 10 ** decimals;
  return `round(${unit}.0 * ${dividend} / ${divisor}) / ${unit}`;
}

/** Quotes text that reads like a reserved key; the first two comparisons spare nearly all texts the third. */
function keyText({ name, of, isNamed, isNameOf }: KeyColumn): string {
  if (!("fact" in of)) throw new Error(`A view cannot be by ${name}`);
  const value = isNameOf === undefined ? `f.${of.fact}` : `coalesce(n.campaign, f.${of.fact})`;
  if (!isNamed) return value;
  const reads = `lower(trim(${value}, '"')) IN (${RESERVED_KEYS.map(literal).join(", ")})`;
  const shown = `CASE WHEN ${value} >= '"' AND ${value} < ')' AND ${reads} THEN '"' || ${value} || '"' ELSE ${value} END`;
  return `coalesce(${shown}, ${literal(NOT_SET)})`;
}
