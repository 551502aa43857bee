import type { Database } from "better-sqlite3";
import type { FactColumn } from "../../attribution/attribute-call.ts";
import { CHANGE_REASONS, type ChangeReason } from "../change-reasons.ts";
import { keyColumns } from "../dimensions.ts";
import type { Engine } from "../engine.ts";
import { type FigureSessionOptions, type Row, selectionOf, type Value } from "../figure-session.ts";
import type { Metric } from "../metrics.ts";
import { callMeasures, measuresOf, type RollupQuery } from "../rollup-query.ts";
import { groupByFirst, literal } from "../sql-text.ts";
import { keyText, periodText, type SqliteSelection, selectionText } from "./sqlite-calls-sql.ts";
import { readOffsets } from "./sqlite-engine.ts";

export interface RowEffect {
  /** Values of the key columns, after the period if there is one. */
  key: Row;
  reason: ChangeReason;
  /** By metric: how many calls changed it, and by how much in total; null if it does not add up. */
  figures: ReadonlyMap<string, { calls: number; effect: number | null }>;
}

/**
 * Reads the effects of changed calls on the rows of a rollup, without raw values and gone calls. The effects on a row
 * add up to the difference between its present sums and those before the changes.
 * @param changes.since the last row of `fact_changes` to skip
 * @param changes.zone IANA zone of weekdays and hours
 */
export function* readEffects(
  database: Database,
  engine: Engine,
  options: FigureSessionOptions,
  { query, since, zone }: { query: RollupQuery; since: number; zone: string },
): Generator<RowEffect> {
  const facts = database
    .prepare<[], string>("SELECT name FROM pragma_table_info('call_facts')")
    .pluck()
    .all();
  const steps = engine.makeTable(["sign", "reason", ...facts].join(", "));
  database.exec(stepsText(steps, facts, since));
  // The facts before a change may have values that no call has any more.
  const readValues = (fact: FactColumn) =>
    database.prepare<[], Value>(`SELECT DISTINCT ${fact} FROM ${steps}`).pluck().all();
  const selection = { ...selectionOf(options, readValues), isGoneCounted: false, facts: steps };
  const offsets = query.offsets && readOffsets(database, zone, steps);
  const measures = callMeasures(measuresOf(query, options.rules));
  const keys = keyColumns(query.dimensions).length + (query.periods ? 1 : 0);
  const sql = effectsText({ ...query, offsets }, measures, selection);
  for (const row of database.prepare<[], Row>(sql).raw().iterate()) {
    const reason = CHANGE_REASONS.find((known) => known === row[keys]);
    if (reason === undefined) throw new Error(`fact_changes has an unknown reason: ${row[keys]}`);
    const figures = measures.map(({ name }, index): [string, { calls: number; effect: number | null }] => {
      const [calls, effect = null] = row.slice(keys + 1 + 2 * index);
      return [name, { calls: Number(calls), effect: effect === null ? null : Number(effect) }];
    });
    yield { key: row.slice(0, keys), reason, figures: new Map(figures) };
  }
}

/** Fills a table: for each change after `since` the facts before it, with the sign -1, and after it, with 1. */
function stepsText(table: string, facts: readonly string[], since: number): string {
  const of = (alias: string) => facts.map((fact) => `${alias}.${fact}`).join(", ");
  return `INSERT INTO ${table} (sign, reason, ${facts.join(", ")})
WITH changes AS MATERIALIZED (
  SELECT *, lead(change_id) OVER (PARTITION BY call_id ORDER BY change_id) AS next_id
  FROM fact_changes WHERE change_id > ${since}
)
SELECT -1, c.reason, ${of("c")} FROM changes AS c WHERE c.is_live IS NOT NULL
UNION ALL
SELECT 1, c.reason, ${of("n")} FROM changes AS c JOIN fact_changes AS n ON n.change_id = c.next_id
WHERE n.is_live IS NOT NULL
UNION ALL
SELECT 1, c.reason, ${of("f")} FROM changes AS c JOIN call_facts AS f ON f.call_id = c.call_id
WHERE c.next_id IS NULL`;
}

/** @param context of the table that {@link stepsText} fills */
function effectsText(query: RollupQuery, measures: readonly Metric[], context: SqliteSelection): string {
  const { periods, span = {}, offsets } = query;
  const keys = keyColumns(query.dimensions);
  const names = [...(periods ? ["period"] : []), ...keys.map(({ name }) => name), "reason"];
  const cells = [
    ...(periods ? [periodText(periods)] : []),
    ...keys.map((key) => keyText(key, offsets, context)),
    "f.reason",
  ].map((text, index) => `${text} AS ${names[index]}`);
  const isMilliseconds = context.rules.duration_unit === "milliseconds";
  const effect = ({ name, aggregate, isAdditive }: Metric) => {
    if (!isAdditive) return `sum(${name}), NULL`;
    const unit = aggregate.kind === "total seconds" && isMilliseconds ? " / 1000.0" : "";
    return `count(*) FILTER (WHERE ${name} <> 0), sum(${name})${unit}`;
  };
  const changes = measures.map((metric) => `${changeText(metric)} AS ${metric.name}`);
  return `SELECT ${[...names, ...measures.map(effect)].join(",\n  ")}
FROM (
  SELECT ${[...cells, ...changes].join(",\n    ")}
  ${selectionText(span, context)}
  ${groupByFirst(cells).trimEnd()}, f.call_id
)
${groupByFirst(names)}`;
}

/** How the changes of one call affected a sum; or whether they could change a figure that is not one. */
function changeText({ aggregate, isAdditive }: Metric): string {
  const value = partText(aggregate);
  if (isAdditive) return `sum(f.sign * ${value})`;
  const of = (sign: string) =>
    `group_concat(quote(${value}), ',' ORDER BY quote(${value})) FILTER (WHERE f.sign ${sign} 0)`;
  return `(sum(f.sign) <> 0 OR ${of(">")} IS NOT ${of("<")})`;
}

function partText(aggregate: Metric["aggregate"]): string {
  switch (aggregate.kind) {
    case "count":
      return "1";
    case "count with outcome":
    case "share with outcome":
      return `(f.outcome = ${literal(aggregate.outcome)})`;
    case "count where":
    case "earliest":
    case "latest":
      return `f.${aggregate.fact}`;
    case "count distinct":
      return `f.${aggregate.fact}_id`;
    case "total seconds":
      return "coalesce(f.duration, 0)";
    case "average seconds":
    case "median seconds":
      return "f.duration";
  }
}
