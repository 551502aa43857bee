import { type Dimension, type KeyColumn, keyColumns } from "./dimensions.ts";
import { type CallFilter, type Conditions, filterConditions, type Span, spanConditions } from "./filter.ts";
import { type Metric, metrics } from "./metrics.ts";
import { callsWith, IS_FIRST, isAtLeast, NOT_SET, outcome } from "./row.ts";
import type { RollupRules } from "./rules.ts";

/**
 * Returns the SELECT of the `call_id` of each caller's first call: of two at the same moment the one with the lower id,
 * and one of unknown time only where there is no other.
 *
 * @param condition which callers; must leave out calls without one
 */
export function firstCallsSql({ include_gone }: CallFilter = {}, condition = "caller_id <> ''"): string {
  return `SELECT call_id FROM (
    SELECT call_id, row_number() OVER (PARTITION BY caller_id ORDER BY call_started NULLS LAST, call_id) AS place
    FROM calls WHERE ${condition}${include_gone ? "" : " AND gone_at IS NULL"}
  ) WHERE place = 1`;
}

export interface RollupQuery {
  /** What to group by, together; none for one row of everything. */
  dimensions: readonly Dimension[];
  rules: RollupRules;
  /** Whether utm values are grouped as they are stored. @default false */
  raw?: boolean;
  /** Which calls count. @default those that the service still shows */
  filter?: CallFilter;
  /** When they started. @default whenever */
  span?: Span;
  /** Whether the period that a call is in leads the key; see `preparePeriods`. @default false */
  byPeriod?: boolean;
  /** Whether a key has a row in each period, of zeros where it has no calls. @default false */
  fill?: boolean;
  /** The stretch whose figures stand beside, as `…_previous` and `…_change`. */
  previousSpan?: Span | undefined;
}

/** Which table of periods a call is looked up in. */
type Side = "current" | "previous";

/** Returns the columns of the key, the period first. */
export function rollupKeys({ dimensions, raw = false, byPeriod = false }: RollupQuery): readonly KeyColumn[] {
  const keys = keyColumns(dimensions, { raw });
  return byPeriod ? [{ name: "period", type: "text", sql: periodSql("current") }, ...keys] : keys;
}

/**
 * Returns the SELECT of a rollup and the values it names: key columns, then {@link metrics}, then the comparison; by
 * period, most calls first, then by key. It reads the callers' first calls from `first_calls`, and periods from
 * `periods`, which `prepareRollups` and `preparePeriods` make.
 */
export function rollupSql(query: RollupQuery): { sql: string; values: Conditions["values"] } {
  const { rules, byPeriod = false, fill = false, span = {}, previousSpan } = query;
  const keys = rollupKeys(query);
  const measures = metrics(rules);
  const current = tallySql(query, keys, measures, span, "current");
  const names = keys.map(({ name }) => name);
  const order = byPeriod ? ["period", "calls DESC", ...names.slice(1)] : ["calls DESC", ...names];
  if (!fill && previousSpan === undefined) {
    return { sql: `${current.sql}\nORDER BY ${order.join(", ")}`, values: current.values };
  }
  const previous = previousSpan && tallySql(query, keys, measures, previousSpan, "previous");
  const columns = [...names, ...measures.map(({ name }) => name)].join(", ");
  const tallies = [
    "SELECT 'current' AS side, * FROM current_rows",
    ...(previous ? ["SELECT 'previous', * FROM previous_rows"] : []),
    ...(fill ? [emptyRowsSql(names, measures, previous !== undefined)] : []),
  ];
  const sql = `WITH current_rows (${columns}) AS MATERIALIZED (${current.sql})${
    previous ? `,\nprevious_rows (${columns}) AS MATERIALIZED (${previous.sql})` : ""
  }
SELECT ${[
    ...names,
    ...measures.map((metric) => `${sideSql(metric, "current")} AS ${metric.name}`),
    ...(previous ? measures.filter(isCompared).flatMap(comparisonSql) : []),
  ].join(",\n  ")}
FROM (${tallies.join("\n  UNION ALL ")})
${groupBy(names)}ORDER BY ${order.join(", ")}`;
  return { sql, values: { ...current.values, ...previous?.values } };
}

/** Returns a rollup's SELECT that needs nothing beside the warehouse's tables. */
export function standaloneRollupSql(query: Pick<RollupQuery, "dimensions" | "rules">): string {
  return `WITH first_calls AS MATERIALIZED (${firstCallsSql()})\n${rollupSql(query).sql}`;
}

/** Whether a metric has a previous value and a change; times have none to tell. */
export function isCompared({ type }: Metric): boolean {
  return type !== "time";
}

/** Tallies one stretch of time. */
function tallySql(
  { rules, filter = {} }: RollupQuery,
  keys: readonly KeyColumn[],
  measures: readonly Metric[],
  span: Span,
  side: Side,
): { sql: string; values: Conditions["values"] } {
  const inFilter = filterConditions(filter, rules);
  const inSpan = spanConditions(span, side);
  const names = keys.map(({ name }) => name);
  const facts = [
    ...keys.map(({ name, sql }) => `${name === "period" ? periodSql(side) : sql} AS ${name}`),
    `${outcome(rules)} AS outcome`,
    "nullif(c.caller_id, '') AS caller",
    `${IS_FIRST} AS is_first`,
    `${isAtLeast(rules.qualified_seconds, rules)} AS is_long`,
    "c.duration",
    "c.call_started",
  ];
  const where = [...inFilter.sql, ...inSpan.sql];
  // LIMIT -1 limits nothing. It keeps SQLite from writing the facts into each aggregate, which would make them anew for
  // each of them: a third of the time.
  const sql =
    `SELECT ${[...names, ...measures.map((metric) => `${metric.sql} AS ${metric.name}`)].join(",\n  ")}
FROM (
  SELECT ${facts.join(",\n    ")}
  ${callsWith([...facts, ...where])}${where.length > 0 ? `\n  WHERE ${where.join("\n    AND ")}` : ""}
  LIMIT -1
)
${groupBy(names)}`.trimEnd();
  return { sql, values: { ...inFilter.values, ...inSpan.values } };
}

/** The label of the period that a call is in. */
function periodSql(side: Side): string {
  return `coalesce((SELECT p.period FROM periods AS p WHERE p.side = '${side}' AND p.starts_at <= c.call_started
      ORDER BY p.starts_at DESC LIMIT 1), '${NOT_SET}')`;
}

/** A row of no calls for each key in each period. */
function emptyRowsSql(names: readonly string[], measures: readonly Metric[], hasPrevious: boolean): string {
  const keys = names.slice(1);
  const select = (table: string) => `SELECT ${keys.join(", ")} FROM ${table}`;
  const all = hasPrevious
    ? `${select("current_rows")} UNION ${select("previous_rows")}`
    : `SELECT DISTINCT ${keys.join(", ")} FROM current_rows`;
  const figures = measures.map(({ isCount }) => (isCount ? "0" : "NULL"));
  return `SELECT 'current', ${["p.period", ...keys.map((name) => `k.${name}`), ...figures].join(", ")}
    FROM periods AS p CROSS JOIN (${all}) AS k WHERE p.side = 'current'`;
}

/** A figure of one side; a number of things is 0 where that side has no row. */
function sideSql({ name, isCount }: Metric, side: Side): string {
  const figure = `max(${name}) FILTER (WHERE side = '${side}')`;
  return isCount ? `coalesce(${figure}, 0)` : figure;
}

function comparisonSql(metric: Metric): string[] {
  const [now, before] = [sideSql(metric, "current"), sideSql(metric, "previous")];
  return [
    `${before} AS ${metric.name}_previous`,
    `round(1.0 * (${now} - ${before}) / nullif(${before}, 0), 4) + 0.0 AS ${metric.name}_change`, // a fall too small to show is 0, not -0
  ];
}

function groupBy(names: readonly string[]): string {
  return names.length > 0 ? `GROUP BY ${names.join(", ")}\n` : "";
}
