import type { FactColumn } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import type { Outcome } from "../attribution/compiled-rules.ts";
import type { LabelledPeriod } from "../calendar/periods.ts";
import type { Condition, Span } from "./call-filter.ts";
import type { ConversionQuery } from "./conversion-query.ts";
import { type Dimension, type KeyColumn, keyColumns } from "./dimensions.ts";
import { type Aggregate, isCompared, type Metric } from "./metrics.ts";
import { NOT_SET, OWN_WORDS } from "./own-words.ts";
import { measuresOf, type RollupQuery } from "./rollup-query.ts";

/*
 * Questions to the facts in SQLite's words. All text of SQL about figures is here, so that another engine is another file
 * like this one.
 */

/** A SELECT, or a part of one, and the values it names. */
export interface SqlText {
  sql: string;
  values: Record<string, string | number>;
}

/** What the text of a question depends on beside the question. */
export interface SqliteContext {
  rules: Pick<AttributionRules, "duration_unit">;
  /** What must hold of every call. */
  conditions: readonly Condition[];
  /** Whether gone calls count, so that others than the stored ones are their callers' first. */
  isGoneCounted: boolean;
}

/** The FROM of all questions: `f` are the facts, `c` the calls where values are asked for as they are stored. */
const FROM_FACTS = "call_facts AS f";
const FROM_FACTS_AND_CALLS = "call_facts AS f JOIN calls AS c ON c.call_id = f.call_id";

/** Each caller's first call among all calls, gone ones as well. */
const FIRST_OF_ALL = `SELECT call_id FROM (
    SELECT call_id, row_number() OVER (PARTITION BY caller ORDER BY call_started NULLS LAST, call_id) AS rank
    FROM call_facts WHERE caller IS NOT NULL
  ) WHERE rank = 1`;

/** Returns the SELECT of the first qualified call of each click or caller, and what else it has to be. */
export function firstConversionsText(
  { key, sources, every, likeCall }: ConversionQuery,
  context: SqliteContext,
): SqlText {
  const selection = selectionText({}, context, { prefix: "conversion" });
  const where = [
    `f.${key} IS NOT NULL`,
    "f.call_started IS NOT NULL",
    "f.is_qualified",
    ...(sources ? [`coalesce(f.gclsrc, '') IN (${sources.map(literal).join(", ")})`] : []),
    ...(likeCall === undefined
      ? []
      : [`f.${key} = (SELECT ${key} FROM call_facts WHERE call_id = ${Number(likeCall)})`]),
  ];
  // Google takes two conversions of one click in one second for the same.
  const same = every ? `f.${key}, substr(f.call_started, 1, ${"YYYY-MM-DDTHH:MM:SS".length})` : `f.${key}`;
  const sql = `SELECT call_id FROM (
    SELECT f.call_id, row_number() OVER (PARTITION BY ${same} ORDER BY f.call_started, f.call_id) AS rank
    ${selection.sql}${selection.sql.includes("WHERE") ? " AND" : " WHERE"} ${where.join(" AND ")}
  ) WHERE rank = 1`;
  return { sql, values: selection.values };
}

/** Returns the SELECT of a rollup: key columns, then metrics, then the comparison; by period, most calls first, then by key. */
export function rollupText(query: RollupQuery, context: SqliteContext): SqlText {
  const { periods, previous, fill = false, span = {} } = query;
  const measures = measuresOf(query, context.rules);
  const keys = keyColumns(query.dimensions, query);
  const names = [...(periods ? ["period"] : []), ...keys.map(({ name }) => name)];
  const order = `ORDER BY ${[...(periods ? ["period"] : []), "calls DESC", ...keys.map(({ name }) => name)].join(", ")}`;
  const current = sideText({ keys, measures, span, periods, name: "current" }, context);
  if (!fill && previous === undefined) return { ...current, sql: `${current.sql}\n${order}` };

  const before = previous && sideText({ keys, measures, ...previous, name: "previous" }, context);
  const columns = [...names, ...measures.map(({ name }) => name)].join(", ");
  const sides = [
    "SELECT 'current' AS side, * FROM current_rows",
    ...(before ? ["SELECT 'previous', * FROM previous_rows"] : []),
    ...(fill ? [emptyRowsText(names, measures, before !== undefined)] : []),
  ];
  const sql = `WITH current_rows (${columns}) AS MATERIALIZED (${current.sql})${
    before ? `,\nprevious_rows (${columns}) AS MATERIALIZED (${before.sql})` : ""
  }
SELECT ${[
    ...names,
    ...measures.map((metric) => `${figureOf(metric, "current")} AS ${metric.name}`),
    ...(before ? measures.filter(isCompared).flatMap(comparisonText) : []),
  ].join(",\n  ")}
FROM (${sides.join("\n  UNION ALL ")})
${groupBy(names)}${order}`;
  const labels = fill ? { periods: JSON.stringify(periods?.map(({ period }) => period)) } : {};
  return { sql, values: { ...current.values, ...before?.values, ...labels } };
}

/** Returns a rollup's SELECT for a view. */
export function rollupViewText(dimension: Dimension, rules: SqliteContext["rules"]): string {
  const context = { rules, conditions: [{ fact: "is_live", holds: true } as const], isGoneCounted: false };
  return rollupText({ dimensions: [dimension] }, context).sql;
}

/**
 * Returns the SELECT that counts calls by duration: how many of the bounds, in the unit that is stored, a duration has
 * reached (null without one), then calls, answered and missed ones.
 */
export function durationBandsText(bounds: readonly number[], span: Span, context: SqliteContext): SqlText {
  const { sql, values } = selectionText(span, context);
  const band = bounds.map((bound) => `(f.duration >= ${Number(bound)})`).join(" + ");
  const counted = (outcome: Outcome) => aggregateText({ kind: "count with outcome", outcome }, context);
  return {
    sql: `SELECT ${band} AS band, count(*), ${counted("answered")}, ${counted("missed")}\n${sql}\nGROUP BY 1 ORDER BY 1 NULLS LAST`,
    values,
  };
}

/** Returns the FROM and WHERE for calls that some conditions and a stretch of time let through. */
export function selectionText(
  span: Span,
  context: SqliteContext,
  { withCalls = false, prefix = "value" } = {},
): SqlText {
  const values: SqlText["values"] = {};
  const bind = (value: string | number) => {
    const name = `${prefix}_${Object.keys(values).length + 1}`;
    values[name] = value;
    return `@${name}`;
  };
  const where = [
    ...context.conditions.map((condition) => conditionText(condition, context, bind)),
    ...(span.startsAt === undefined ? [] : [`f.call_started >= ${bind(span.startsAt)}`]),
    ...(span.endsAt === undefined ? [] : [`f.call_started < ${bind(span.endsAt)}`]),
  ];
  const from = withCalls ? FROM_FACTS_AND_CALLS : FROM_FACTS;
  return { sql: `FROM ${from}${where.length > 0 ? `\nWHERE ${where.join("\n  AND ")}` : ""}`, values };
}

/** Returns the expression of a fact of the call `f`. */
export function factText(fact: FactColumn, { isGoneCounted }: Pick<SqliteContext, "isGoneCounted">): string {
  return fact === "is_first_call" && isGoneCounted ? `f.call_id IN (${FIRST_OF_ALL})` : `f.${fact}`;
}

function conditionText(
  condition: Condition,
  context: SqliteContext,
  bind: (value: string | number) => string,
): string {
  if ("any" in condition) {
    return `(${condition.any.map((one) => conditionText(one, context, bind)).join(" OR ")})`;
  }
  const fact = factText(condition.fact, context);
  if ("isAtLeast" in condition) return `${fact} >= ${bind(condition.isAtLeast)}`;
  if ("isPresent" in condition) return `${fact} IS NOT NULL`;
  if ("holds" in condition) return fact;
  if ("isNoneOf" in condition) {
    return `(${fact} IS NULL OR ${fact} NOT IN (SELECT value FROM json_each(${bind(JSON.stringify(condition.isNoneOf))})))`;
  }
  const values = condition.isOneOf.filter((value) => value !== null);
  const isIn = `${fact} IN (SELECT value FROM json_each(${bind(JSON.stringify(values))}))`;
  return values.length < condition.isOneOf.length ? `(${isIn} OR ${fact} IS NULL)` : isIn;
}

/** One stretch of time of a rollup. */
interface Side {
  keys: readonly KeyColumn[];
  measures: readonly Metric[];
  span: Span;
  periods?: readonly LabelledPeriod[] | undefined;
  name: "current" | "previous";
}

function sideText({ keys, measures, span, periods, name }: Side, context: SqliteContext): SqlText {
  const isStored = keys.some(({ of }) => "stored" in of);
  const selection = selectionText(span, context, { withCalls: isStored, prefix: name });
  const keysText = [
    ...(periods ? [`${periodText(periods)} AS period`] : []),
    ...keys.map((key) => `${keyText(key, context)} AS ${key.name}`),
  ];
  const figures = measures.map(({ aggregate, name }) => `${aggregateText(aggregate, context)} AS ${name}`);
  const ordinals = keysText.map((_, index) => String(index + 1));
  const sql = `SELECT ${[...keysText, ...figures].join(",\n  ")}\n${selection.sql}\n${groupBy(ordinals)}`;
  return { sql: sql.trimEnd(), values: selection.values };
}

function keyText({ of, isNamed }: KeyColumn, context: SqliteContext): string {
  const value = "stored" in of ? `nullif(c.${of.stored}, '')` : factText(of.fact, context);
  return isNamed ? `coalesce(${shownText(value)}, ${literal(NOT_SET)})` : value;
}

/** What reads like a word of ours in quotes; the first two comparisons spare nearly all texts the third. */
function shownText(text: string): string {
  const reads = `lower(trim(${text}, '"')) IN (${OWN_WORDS.map(literal).join(", ")})`;
  return `CASE WHEN ${text} >= '"' AND ${text} < ')' AND ${reads} THEN '"' || ${text} || '"' ELSE ${text} END`;
}

function aggregateText(aggregate: Aggregate, context: SqliteContext): string {
  const isMilliseconds = context.rules.duration_unit === "milliseconds";
  switch (aggregate.kind) {
    case "count":
      return "count(*)";
    case "count with outcome":
      return `count(*) FILTER (WHERE f.outcome = ${literal(aggregate.outcome)})`;
    case "count where":
      return `count(*) FILTER (WHERE ${factText(aggregate.fact, context)})`;
    case "count distinct":
      return `count(DISTINCT f.${aggregate.fact})`;
    case "share with outcome":
      return `round(1.0 * count(*) FILTER (WHERE f.outcome = ${literal(aggregate.outcome)}) / count(*), ${aggregate.decimals})`;
    // Whole milliseconds are added up before they become seconds, so that no sum shows a rounding error.
    case "total seconds":
      return `coalesce(sum(f.duration), 0)${isMilliseconds ? " / 1000.0" : ""}`;
    case "average seconds":
      return isMilliseconds
        ? "round(sum(f.duration) / 1000.0 / count(f.duration), 1)"
        : "round(avg(f.duration), 1)";
    case "earliest":
      return `min(f.${aggregate.fact})`;
    case "latest":
      return `max(f.${aggregate.fact})`;
  }
}

/** The label of the period that a call is in, found by halving; {@link NOT_SET} for one before them all, or of unknown time. */
function periodText(periods: readonly LabelledPeriod[]): string {
  const [first] = periods;
  if (first === undefined) return literal(NOT_SET);
  const within = (from: number, to: number): string => {
    const middle = Math.ceil((from + to) / 2);
    const [only, start] = [periods[from], periods[middle]];
    if (only === undefined || start === undefined) return literal(NOT_SET);
    if (from === to) return literal(only.period);
    return `CASE WHEN f.call_started < ${literal(start.startsAt)} THEN ${within(from, middle - 1)} ELSE ${within(middle, to)} END`;
  };
  return `CASE WHEN f.call_started >= ${literal(first.startsAt)} THEN ${within(0, periods.length - 1)} ELSE ${literal(NOT_SET)} END`;
}

/** A row without figures for each key in each period. */
function emptyRowsText(names: readonly string[], measures: readonly Metric[], hasPrevious: boolean): string {
  const keys = names.slice(1);
  const select = (table: string) => `SELECT ${keys.join(", ")} FROM ${table}`;
  const all = hasPrevious
    ? `${select("current_rows")} UNION ${select("previous_rows")}`
    : `SELECT DISTINCT ${keys.join(", ")} FROM current_rows`;
  // A zero would be the greatest of two where the other is less.
  const figures = measures.map(() => "NULL");
  return `SELECT 'current', ${["p.value", ...keys.map((name) => `k.${name}`), ...figures].join(", ")}
    FROM json_each(@periods) AS p CROSS JOIN (${all}) AS k`;
}

/** A figure of one side; a number of things is 0 where that side has no row. */
function figureOf({ name, isCount }: Metric, side: Side["name"]): string {
  const figure = `max(${name}) FILTER (WHERE side = '${side}')`;
  return isCount ? `coalesce(${figure}, 0)` : figure;
}

function comparisonText(metric: Metric): string[] {
  const [now, before] = [figureOf(metric, "current"), figureOf(metric, "previous")];
  return [
    `${before} AS ${metric.name}_previous`,
    `round(1.0 * (${now} - ${before}) / nullif(${before}, 0), 4) + 0.0 AS ${metric.name}_change`, // a fall too small to show is 0, not -0
  ];
}

function groupBy(names: readonly string[]): string {
  return names.length > 0 ? `GROUP BY ${names.join(", ")}\n` : "";
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
