import { keyColumns } from "../dimensions.ts";
import type { Metric } from "../metrics.ts";
import { callMeasures, measuresOf, type RollupQuery } from "../rollup-query.ts";
import { groupBy, literal, type SqlText } from "../sql-text.ts";
import { keyText, periodText, type SqliteSelection, selectionText } from "./sqlite-calls-sql.ts";

/**
 * Returns the statement that fills a table with what changed in the facts of calls after some change: for each change the
 * facts before it, with the sign -1, and the facts after it, with 1. The table has the columns `sign`, `reason` and those of
 * the facts.
 */
export function stepsText(table: string, facts: readonly string[]): string {
  const of = (alias: string) => facts.map((fact) => `${alias}.${fact}`).join(", ");
  return `INSERT INTO ${table} (sign, reason, ${facts.join(", ")})
WITH changes AS MATERIALIZED (
  SELECT *, lead(change_id) OVER (PARTITION BY call_id ORDER BY change_id) AS next_id
  FROM fact_changes WHERE change_id > @since
)
SELECT -1, c.reason, ${of("c")} FROM changes AS c WHERE c.is_live IS NOT NULL
UNION ALL
SELECT 1, c.reason, ${of("n")} FROM changes AS c JOIN fact_changes AS n ON n.change_id = c.next_id
WHERE n.is_live IS NOT NULL
UNION ALL
SELECT 1, c.reason, ${of("f")} FROM changes AS c JOIN call_facts AS f ON f.call_id = c.call_id
WHERE c.next_id IS NULL`;
}

/**
 * Returns the SELECT of what changes of calls did to the rows of a rollup: the key columns, the reason, and for each metric
 * how many calls changed it and by how much together; null for a metric that does not add up.
 *
 * @param context of the table that {@link stepsText} fills
 */
export function effectsText(query: RollupQuery, context: SqliteSelection): SqlText {
  const { periods, span = {}, offsets } = query;
  const measures = callMeasures(measuresOf(query, context.rules));
  const keys = keyColumns(query.dimensions);
  const names = [...(periods ? ["period"] : []), ...keys.map(({ name }) => name), "reason"];
  const cells = [
    ...(periods ? [`${periodText(periods)} AS period`] : []),
    ...keys.map((key) => `${keyText(key, offsets, context)} AS ${key.name}`),
    "f.reason AS reason",
  ];
  const { sql, values } = selectionText(span, context);
  const isMilliseconds = context.rules.duration_unit === "milliseconds";
  const effect = ({ name, aggregate, isAdditive }: Metric) => {
    if (!isAdditive) return `sum(${name}), NULL`;
    const unit = aggregate.kind === "total seconds" && isMilliseconds ? " / 1000.0" : "";
    return `count(*) FILTER (WHERE ${name} <> 0), sum(${name})${unit}`;
  };
  return {
    sql: `SELECT ${[...names, ...measures.map(effect)].join(",\n  ")}
FROM (
  SELECT ${[...cells, ...measures.map((metric) => `${changeText(metric)} AS ${metric.name}`)].join(",\n    ")}
  ${sql}
  ${groupBy([...cells.map((_, index) => String(index + 1)), "f.call_id"])})
${groupBy(names.map((_, index) => String(index + 1)))}`,
    values,
  };
}

/** What the changes of one call did to a sum; or whether they could change a figure that is none. */
function changeText({ aggregate, isAdditive }: Metric): string {
  const value = partText(aggregate);
  if (isAdditive) return `sum(f.sign * ${value})`;
  const of = (sign: string) =>
    `group_concat(quote(${value}), ',' ORDER BY quote(${value})) FILTER (WHERE f.sign ${sign} 0)`;
  return `(sum(f.sign) <> 0 OR ${of(">")} IS NOT ${of("<")})`;
}

/** What a figure takes of one call. */
function partText(aggregate: Metric["aggregate"]): string {
  switch (aggregate.kind) {
    case "count":
      return "1";
    case "count with outcome":
    case "share with outcome":
      return `(f.outcome = ${literal(aggregate.outcome)})`;
    case "count where":
    case "count distinct":
    case "earliest":
    case "latest":
      return `f.${aggregate.fact}`;
    case "total seconds":
      return "coalesce(f.duration, 0)";
    case "average seconds":
    case "median seconds":
      return "f.duration";
  }
}
