import type { AttributionRules } from "../../calls/attribution/attribution-rules.ts";
import { type Dimension, type KeyColumn, keyColumns } from "../../figures/dimensions.ts";
import { metrics } from "../../figures/metrics.ts";
import { figureText, type SqlDialect, shownText } from "../../sources/figure-sql.ts";
import { groupBy } from "../../sources/sql-text.ts";
import { commonNameText } from "../../sources/sqlite/campaign-names-sql.ts";

/**
 * Returns the SELECT of a rollup for a view, by a dimension that is a fact: the same figures as those of
 * `figures/parts.ts`, for any SQLite.
 */
export function rollupViewText(
  dimension: Dimension,
  { duration_unit, hours }: Pick<AttributionRules, "duration_unit" | "hours">,
): string {
  const dialect: SqlDialect = {
    fact: (name) => (name === "caller" ? "f.caller_id" : `f.${name}`),
    unitsPerSecond: duration_unit === "milliseconds" ? 1000 : 1,
    // Only an integer: `round(3 / 20.0, 1)` is 0.1 or 0.2 depending on SQLite's version.
    round: (number) => `round(${number})`,
    unquote: (text) => `trim(${text}, '"')`,
  };
  const keys = keyColumns([dimension]);
  const figures = metrics({ duration_unit, hours }).flatMap(({ name, aggregate }) =>
    aggregate.kind === "median seconds" ? [] : [`${figureText(aggregate, dialect)} AS ${name}`],
  );
  const columns = keys.map((key) => {
    const value = valueText(key);
    return `${key.isNamed ? shownText(value, dialect) : value} AS ${key.name}`;
  });
  return `SELECT ${[...columns, ...figures].join(",\n  ")}
FROM call_facts AS f
WHERE f.is_live
${groupBy(keys.map((_, index) => String(index + 1)))}ORDER BY ${["calls DESC", ...keys.map(({ name }) => name)].join(", ")}`;
}

function valueText({ name, of, isNameOf }: KeyColumn): string {
  if (!("fact" in of)) throw new Error(`A view cannot be by ${name}`);
  return isNameOf === undefined ? `f.${of.fact}` : commonNameText();
}
