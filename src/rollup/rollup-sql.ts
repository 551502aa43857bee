import { MICROS } from "../base/currency.ts";
import type { Condition } from "./call-filter.ts";
import { type Dimension, isLocalKey, type KeyColumn, keyColumns, WEEKDAYS } from "./dimensions.ts";
import type { CallSelection, Engine, Kept, Side } from "./engine.ts";
import { quotientText } from "./figure-sql.ts";
import { type CostPer, isCompared, isOfFirstCalls, metrics } from "./metrics.ts";
import { IS_OTHER, NOT_SET, OTHER } from "./reserved-keys.ts";
import { callMeasures, type Measure, measuresOf, type RollupQuery } from "./rollup-query.ts";
import { groupBy, groupByFirst, listText, literal } from "./sql-text.ts";
import { callGroupsText, groupsText, keptKeysText } from "./sqlite/sqlite-calls-sql.ts";

// Combines the sides of a rollup, whatever engine provides them; all SQL here is SQLite's.

export interface RollupContext extends CallSelection {
  engine: Pick<Engine, "groups" | "keep">;
  /** A table of spend, whose columns have the names of facts, and the conditions on its rows. */
  spend?: { table: string; conditions: readonly Condition[] } | undefined;
  /** Whether the copy has the days of the compared span: else no change is known. @default true */
  isBeforeCovered?: boolean;
  /** Whether enough history precedes the compared span to know its first-time callers. @default true */
  hasHistoryBefore?: boolean;
}

const CENT_MICROS = MICROS / 100;

/**
 * Returns the SELECT of a rollup: key columns, then metrics, each followed by its comparison. Sorted by period, most
 * calls, key; if all keys are weekdays and hours, in their order; the row of other keys last. If keys may be folded
 * into that row, the last column is {@link IS_OTHER}.
 */
export async function rollupText(query: RollupQuery, context: RollupContext): Promise<string> {
  const { periods, previous, fill = false, span = {}, offsets } = query;
  const measures = measuresOf(query, context.rules);
  const keys = keyColumns(query.dimensions, query);
  const kept = await keptOf(query, context);
  const shown = namesOf(keys, periods);
  const hidden = kept ? [IS_OTHER] : [];
  const names = [...shown, ...hidden];
  const order = `ORDER BY ${[...(periods ? ["period"] : []), ...rowOrder(keys, kept !== undefined)].join(", ")}`;
  const parts = query.totalOf ? keyColumns(query.totalOf, query) : kept && keys;
  const common = { keys, measures, offsets, kept, hasSpend: query.spend !== undefined, parts };
  const withKept =
    kept && `kept (${namesOf(keys, kept.isByPeriod).join(", ")}) AS MATERIALIZED (${kept.text})`;
  const current = await sideText({ ...common, span, periods }, context);
  if (!fill && previous === undefined) {
    if (!keys.some(isLocalKey) && kept === undefined) return `${current}\n${order}`;
    // Inside an expression, ORDER BY resolves a name to a fact instead of a key.
    const columns = [...shown, ...measures.map(({ name }) => name), ...hidden].join(", ");
    return `${withKept ? `WITH ${withKept}\n` : ""}SELECT ${columns} FROM (${current})\n${order}`;
  }

  const before = previous && (await sideText({ ...common, ...previous }, context));
  const columns = [...names, ...measures.map(({ name }) => name)].join(", ");
  const tables = [
    ...(withKept ? [withKept] : []),
    `current_rows (${columns}) AS MATERIALIZED (${current})`,
    ...(before ? [`previous_rows (${columns}) AS MATERIALIZED (${before})`] : []),
  ];
  const figures = measures.flatMap((metric) => [
    `${figureOf(metric, "current")} AS ${metric.name}`,
    ...(before && isCompared(metric) ? comparisonText(metric, context) : []),
  ]);
  const sides = [
    "SELECT 'current' AS side, * FROM current_rows",
    ...(before ? ["SELECT 'previous', * FROM previous_rows"] : []),
    ...(fill ? [emptyRowsText(query, names, measures)] : []),
  ];
  return `WITH ${tables.join(",\n")}
SELECT ${[...shown, ...figures, ...hidden].join(",\n  ")}
FROM (${sides.join("\n  UNION ALL ")})
${groupBy(names)}${order}`;
}

function namesOf(keys: readonly KeyColumn[], hasPeriods: unknown): string[] {
  return [...(hasPeriods ? ["period"] : []), ...keys.map(({ name }) => name)];
}

/** Returns the SELECT of the number of a rollup's keys over all periods, and of those with a value. */
export async function keyCountText(query: RollupQuery, context: RollupContext): Promise<string> {
  const all = await keysText(query, context);
  return `SELECT count(*), count(*) FILTER (WHERE ${hasValueText(query)}) FROM (${all})`;
}

/**
 * Returns the SELECT of a rollup for a view, by a dimension that is a fact. Without medians: not every SQLite that
 * reads views has that function.
 */
export function rollupViewText(dimension: Dimension, rules: RollupContext["rules"]): string {
  const live: CallSelection = {
    rules,
    conditions: [{ fact: "is_live", holds: true }],
    isGoneCounted: false,
  };
  const keys = keyColumns([dimension]);
  const measures = metrics(rules).filter(({ aggregate }) => aggregate.kind !== "median seconds");
  return `${callGroupsText({ keys, span: {} }, measures, live)}\nORDER BY ${rowOrder(keys, false).join(", ")}`;
}

interface MeasuredSide extends Side {
  measures: readonly Measure[];
  /** Whether spend is next to the calls; a key has a row if it has either. */
  hasSpend: boolean;
  /** The keys that were combined into a row, if any: costs are divided by the calls of those with spend. */
  parts?: readonly KeyColumn[] | undefined;
}

async function sideText(side: MeasuredSide, context: RollupContext): Promise<string> {
  const { keys, measures, periods } = side;
  const ofCalls = callMeasures(measures);
  const calls = await context.engine.groups(side, ofCalls, context);
  if (!side.hasSpend) return calls;
  const names = [...namesOf(keys, periods), ...(side.kept ? [IS_OTHER] : [])];
  const paid = side.parts && (await paidText(side, side.parts, context));
  const groups = [
    { columns: ofCalls.map(({ name }) => name), text: calls },
    { columns: SPEND_SUMS, text: spendGroupsText(side, context) },
    ...(paid ? [{ columns: COSTS_PER.map(paidName), text: paid }] : []),
  ];
  // A column that a group lacks is null in its rows.
  const rows = groups.map(({ text, columns: own }) => {
    const figures = groups.flatMap(({ columns }) =>
      columns === own ? columns : columns.map((name) => `NULL AS ${name}`),
    );
    return `SELECT ${[...names, ...figures].join(", ")} FROM (${text})`;
  });
  const own = measures.map((metric) => `${besideText(metric, paid !== undefined)} AS ${metric.name}`);
  // Each key has at most one row of each, so max() selects the one that exists.
  return `SELECT ${[...names, ...own].join(",\n  ")}
FROM (
  ${rows.join("\n  UNION ALL\n  ")}
)
${groupBy(names)}`.trimEnd();
}

/** Summed over spend; amounts stay integers until they are shown. */
const SPEND_SUMS = ["cost_micros", "clicks", "impressions"] as const;

const COSTS_PER = ["calls", "qualified_calls", "first_time_callers"] as const satisfies CostPer[];
const paidName = (of: CostPer) => `paid_${of}`;

/** The calls of the parts of each row that have spend. */
async function paidText(
  side: MeasuredSide,
  parts: readonly KeyColumn[],
  context: RollupContext,
): Promise<string> {
  const { keys, kept, periods } = side;
  const whole: Side = { ...side, keys: parts, kept: undefined };
  const counts = metrics(context.rules).filter(({ name }) => COSTS_PER.some((of) => of === name));
  const names = namesOf(parts, periods);
  const none = COSTS_PER.map((name) => `NULL AS ${name}`);
  const calls = await context.engine.groups(whole, counts, context);
  const withSpend = `SELECT ${[...names, ...COSTS_PER.map((of) => `max(${of}) AS ${of}`)].join(", ")}
FROM (
  SELECT ${[...names, ...COSTS_PER, "0 AS has_spend"].join(", ")} FROM (${calls})
  UNION ALL
  SELECT ${[...names, ...none, "1"].join(", ")} FROM (${spendGroupsText(whole, context)})
)
${groupBy(names)}HAVING max(has_spend) = 1`;
  const isSame = namesOf(keys, kept?.isByPeriod && periods).map((name) => `k.${name} IS p.${name}`);
  const own = [...(periods ? ["p.period AS period"] : []), ...(kept ? keptKeysText(keys) : [])];
  const sums = COSTS_PER.map((of) => `sum(p.${of}) AS ${paidName(of)}`);
  return `SELECT ${[...own, ...sums].join(", ")}
FROM (${withSpend}) AS p${kept ? `\nLEFT JOIN kept AS k ON ${isSame.join(" AND ")}` : ""}
${groupByFirst(own)}`;
}

function spendGroupsText(side: Side, context: RollupContext): string {
  const { spend } = context;
  if (spend === undefined) throw new Error("The session has no spend");
  const figures = SPEND_SUMS.map((name) => `sum(f.${name}) AS ${name}`);
  return groupsText(side, { ...context, conditions: spend.conditions }, figures, `${spend.table} AS f`);
}

/** A figure of a row that combines at most one row of calls and one of spend. */
function besideText(metric: Measure, isOfParts: boolean): string {
  const { aggregate, name, isCount } = metric;
  if (aggregate.kind === "spend") {
    return aggregate.of === "cost_micros" ? `max(cost_micros) / ${MICROS}.0` : `max(${aggregate.of})`;
  }
  if (aggregate.kind === "cost per") return costPerText(isOfParts ? paidName(aggregate.of) : aggregate.of);
  return isCount ? `coalesce(max(${name}), 0)` : `max(${name})`;
}

/** In whole cents, half a cent away from zero: floating-point division would sometimes be off by one. */
function costPerText(of: string): string {
  const calls = `nullif(max(${of}), 0)`;
  const cents = `(abs(max(cost_micros)) * 2 + ${calls} * ${CENT_MICROS}) / (${calls} * ${2 * CENT_MICROS})`;
  return `iif(max(cost_micros) < 0, -1, 1) * (${cents}) / 100.0`;
}

/** The keys of a rollup over all periods, with their calls in the current span, which may be 0 if there is a previous one. */
async function keysText(query: RollupQuery, context: RollupContext): Promise<string> {
  const { previous } = query;
  const whole = { ...query, periods: undefined, previous: previous && { span: previous.span } };
  return await cellsText(whole, context);
}

async function keptOf(query: RollupQuery, context: RollupContext): Promise<Kept | undefined> {
  const { top, minCell, periods } = query;
  if (minCell !== undefined && query.dimensions.length > 0) {
    const text = context.engine.keep(await largeCellsText(query, minCell, context));
    return { text, isByPeriod: periods !== undefined };
  }
  if (top === undefined) return undefined;
  return { text: context.engine.keep(await topText(query, top, context)), isByPeriod: false };
}

/** The keys with the most calls, and the one for calls without a value, which is never folded. */
async function topText(query: RollupQuery, top: number, context: RollupContext): Promise<string> {
  const keys = keyColumns(query.dimensions, query);
  const notSet = keys.map(({ isNamed }) => (isNamed ? literal(NOT_SET) : "NULL")).join(", ");
  const all = await keysText(query, context);
  return `
  SELECT * FROM (SELECT ${namesOf(keys, false).join(", ")} FROM (${all})
  WHERE ${hasValueText(query)}
  ORDER BY ${["calls DESC", ...keys.map(keyOrder)].join(", ")} LIMIT ${top})
  UNION ALL SELECT ${notSet}`;
}

/** The rows of a rollup: period, key, calls in the current and in the previous span. */
async function cellsText(query: RollupQuery, context: RollupContext): Promise<string> {
  const { periods, previous, span = {}, offsets } = query;
  const keys = keyColumns(query.dimensions, query);
  const names = namesOf(keys, periods);
  const measures = metrics(context.rules).filter(({ aggregate }) => aggregate.kind === "count");
  const common = { keys, measures, offsets, hasSpend: query.spend !== undefined };
  const select = (...counts: string[]) => `SELECT ${[...names, ...counts].join(", ")}`;
  const calls = await sideText({ ...common, span, periods }, context);
  const current = `${select("calls", "0 AS before")} FROM (${calls})`;
  if (previous === undefined) return current;
  const before = await sideText({ ...common, ...previous }, context);
  return `${select("max(calls) AS calls", "max(before) AS before")}
FROM (${current} UNION ALL ${select("0", "calls")} FROM (${before}))
${groupBy(names)}`;
}

/** The rows that are neither small nor among the next smallest, which {@link OTHER} takes so that it is not small itself. */
async function largeCellsText(query: RollupQuery, minCell: number, context: RollupContext): Promise<string> {
  const { periods } = query;
  const keys = keyColumns(query.dimensions, query);
  const partition = periods ? "PARTITION BY period " : "";
  const small = (count: string) => isSmall(count, minCell);
  const smaller = (count: string) => `coalesce(sum(${count}) OVER smaller, 0) AS smaller_${count}`;
  const cells = await cellsText(query, context);
  return `SELECT ${namesOf(keys, periods).join(", ")} FROM (
  SELECT *, ${smaller("calls")}, ${smaller("before")}
  FROM (SELECT *, (${small("calls")} OR ${small("before")}) AS is_small FROM (${cells}))
  WINDOW smaller AS (${partition}ORDER BY is_small DESC, calls + before, ${namesOf(keys, false).join(", ")} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
WHERE NOT is_small AND NOT ${small("smaller_calls")} AND NOT ${small("smaller_before")}`;
}

/** Counts the rows folded into rows {@link OTHER}, except in periods with too few calls. */
export async function smallCellCountText(
  query: RollupQuery,
  minCell: number,
  context: RollupContext,
): Promise<string> {
  const inPeriod = (count: string) => `sum(${count}) OVER (${query.periods ? "PARTITION BY period" : ""})`;
  const isBlank = ["calls", "before"].map((count) => isSmall(inPeriod(count), minCell)).join(" OR ");
  const cells = await cellsText(query, context);
  const large = await largeCellsText(query, minCell, context);
  return `SELECT (SELECT count(*) FROM (SELECT ${isBlank} AS is_blank FROM (${cells})) WHERE NOT is_blank)
  - (SELECT count(*) FROM (${large}))`;
}

const isSmall = (count: string, minCell: number) => `${count} BETWEEN 1 AND ${minCell - 1}`;

function hasValueText(query: RollupQuery): string {
  const isSet = keyColumns(query.dimensions, query).map(({ name, isNamed }) =>
    isNamed ? `${name} <> ${literal(NOT_SET)}` : `${name} IS NOT NULL`,
  );
  return isSet.length > 0 ? `(${isSet.join(" OR ")})` : "FALSE";
}

function rowOrder(keys: readonly KeyColumn[], isFolded: boolean): string[] {
  const [first] = keys;
  return [
    ...(isFolded ? [IS_OTHER] : []),
    ...(first && keys.every(isLocalKey) ? [] : ["calls DESC"]),
    ...keys.map(keyOrder),
  ];
}

/** Weekdays in calendar order; they and hours before calls without a start. */
export function keyOrder({ name, of }: KeyColumn): string {
  if (!("local" in of)) return name;
  const isUnknown = `${name} = ${literal(NOT_SET)}`;
  return of.local === "hour"
    ? `${isUnknown}, ${name}`
    : `${isUnknown}, instr(${literal(WEEKDAYS.join())}, ${name})`;
}

/** A row without figures for each key in each period; without dimensions, one for each period. */
function emptyRowsText(
  { periods, previous }: RollupQuery,
  names: readonly string[],
  measures: readonly Measure[],
): string {
  const keys = names.slice(1);
  const tables = ["current_rows", ...(previous ? ["previous_rows"] : [])];
  const all = tables.map((table) => `SELECT ${keys.join(", ")} FROM ${table}`).join(" UNION ");
  // Not zero: it would be the greater of two if the other is negative.
  const figures = measures.map(() => "NULL");
  return `SELECT 'current', ${["p.value", ...keys.map((name) => `k.${name}`), ...figures].join(", ")}
    FROM ${listText((periods ?? []).map(({ period }) => period))} AS p${keys.length > 0 ? ` CROSS JOIN (SELECT DISTINCT * FROM (${all})) AS k` : ""}`;
}

/** A figure of one side; counts are 0 if that side has no row. */
function figureOf({ name, isCount }: Measure, side: "current" | "previous"): string {
  const figure = `max(${name}) FILTER (WHERE side = '${side}')`;
  return isCount ? `coalesce(${figure}, 0)` : figure;
}

function comparisonText(
  metric: Measure,
  { isBeforeCovered = true, hasHistoryBefore = true }: RollupContext,
): string[] {
  const [now, before] = [figureOf(metric, "current"), figureOf(metric, "previous")];
  const wholeText = (figure: string) =>
    metric.decimals ? `round(${10 ** metric.decimals} * ${figure})` : figure;
  const difference = `(${wholeText(now)} - ${wholeText(before)})`;
  const change = metric.isShare
    ? `${difference} / ${10 ** (metric.decimals ?? 0)}.0`
    : quotientText(difference, `nullif(abs(${wholeText(before)}), 0)`, 4);
  const isKnown = isBeforeCovered && (hasHistoryBefore || !isOfFirstCalls(metric));
  return [
    `${before} AS ${metric.name}_previous`,
    `${isKnown ? `${change} + 0.0` : "NULL"} AS ${metric.name}_change`, // a fall too small to show is 0, not -0
  ];
}
