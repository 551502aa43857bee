import type { FactColumn } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import type { Outcome } from "../attribution/compiled-rules.ts";
import type { LabelledPeriod } from "../calendar/periods.ts";
import { MICROS } from "../currency.ts";
import type { Condition, Span } from "./call-filter.ts";
import type { ConversionKey, ConversionQuery } from "./conversion-query.ts";
import { type Dimension, type KeyColumn, keyColumns, type LocalPart } from "./dimensions.ts";
import {
  type Aggregate,
  type CostPer,
  isCompared,
  type Metric,
  metrics,
  type SpendAggregate,
} from "./metrics.ts";
import { NOT_SET, OTHER, OWN_WORDS } from "./own-words.ts";
import { callMeasures, measuresOf, type RollupQuery, type ZoneOffset } from "./rollup-query.ts";

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
  rules: Pick<AttributionRules, "duration_unit" | "caller_digests">;
  /** What must hold of every call. */
  conditions: readonly Condition[];
  /** Whether gone calls count, so that others than the stored ones are their callers' first. */
  isGoneCounted: boolean;
  /** A table of spend, whose columns are named as the facts of calls, and what must hold of its rows. */
  spend?: { table: string; conditions: readonly Condition[] } | undefined;
  /** The table of the facts. @default call_facts */
  facts?: string;
}

/** A figure of calls or of spend. */
type Measure = Metric<Aggregate | SpendAggregate>;

/** The FROM of all questions: `f` are the facts, `c` the calls where values are asked for as they are stored. */
const FACTS = "call_facts";
const FACTS_AND_CALLS = `${FACTS} AS f JOIN calls AS c ON c.call_id = f.call_id`;

/** Each caller's first call among all calls, gone ones as well. */
const FIRST_OF_ALL = `SELECT call_id FROM (
    SELECT call_id, row_number() OVER (PARTITION BY caller ORDER BY call_started NULLS LAST, call_id) AS rank
    FROM call_facts WHERE caller IS NOT NULL
  ) WHERE rank = 1`;

/**
 * What identifies a conversion: a fact, or what a function of the session's connection reads from the call as it is stored.
 */
const CONVERSION_KEYS: Record<ConversionKey, { text: string; isStored: boolean }> = {
  gclid: { text: "f.gclid", isStored: false },
  caller: { text: "f.caller", isStored: false },
  msclkid: { text: "microsoft_click_id(c.referring_url, c.extra)", isStored: true },
  google_analytics_cid: { text: "present_id(c.google_analytics_cid)", isStored: true },
};

/** Returns the SELECT of the first qualified call of each click or caller, and what else it has to be. */
export function firstConversionsText(
  { key: name, sources, every, likeCalls }: ConversionQuery,
  context: SqliteContext,
): SqlText {
  const { text: key, isStored } = CONVERSION_KEYS[name];
  const { sql: from, values } = selectionText({}, context, {
    prefix: "conversion",
    from: isStored ? FACTS_AND_CALLS : undefined,
  });
  const where = [
    `${key} IS NOT NULL`,
    "f.call_started IS NOT NULL",
    "f.is_qualified",
    ...(sources ? [`coalesce(f.gclsrc, '') IN (${sources.map(literal).join(", ")})`] : []),
    ...(likeCalls === undefined
      ? []
      : [`${key} IN (SELECT ${key} FROM ${FACTS_AND_CALLS} WHERE f.call_id IN ${listText(likeCalls)})`]),
  ];
  // Google and Microsoft take two conversions of one click in one second for the same.
  const same = every ? `${key}, substr(f.call_started, 1, ${"YYYY-MM-DDTHH:MM:SS".length})` : key;
  const sql = `SELECT call_id FROM (
    SELECT f.call_id, row_number() OVER (PARTITION BY ${same} ORDER BY f.call_started, f.call_id) AS rank
    ${from}${from.includes("WHERE") ? " AND" : " WHERE"} ${where.join(" AND ")}
  ) WHERE rank = 1`;
  return { sql, values };
}

/** A digest tells callers apart, and cannot be uploaded: the number of a call is what was kept of it. */
const KEPT_NUMBER = { text: "caller_of(c.caller_id)", isStored: true };

/** Returns the SELECT of calls with what decides whether they are conversions, given tables of them and of the first ones. */
export function candidatesText(
  { key: name }: ConversionQuery,
  table: string,
  firstTable: string,
  { rules }: Pick<SqliteContext, "rules">,
): string {
  const isDigest = name === "caller" && rules.caller_digests === true;
  const { text: key, isStored } = isDigest ? KEPT_NUMBER : CONVERSION_KEYS[name];
  return `SELECT f.call_id, f.is_live, f.call_started, ${key}, coalesce(f.gclsrc, ''), f.is_qualified,
  f.call_id NOT IN (SELECT call_id FROM ${firstTable})
FROM ${table} AS s CROSS JOIN call_facts AS f ON f.call_id = s.call_id${isStored ? " JOIN calls AS c ON c.call_id = f.call_id" : ""}
ORDER BY s.rank`;
}

/** Returns a list of ids as a table of one column, however many there are. */
export function listText(ids: readonly number[]): string {
  return `(SELECT value FROM json_each(${literal(JSON.stringify(ids))}))`;
}

const CENT_MICROS = MICROS / 100;

/** As in ISO 8601. */
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/** To 1970 from a Monday before the year 0000, so that no number is negative: 0001-01-01, itself a Monday, less 53 weeks. */
const SECONDS_SINCE_A_MONDAY = (719_162 + 53 * 7) * 86_400;

/**
 * Returns the SELECT of a rollup: key columns, then metrics, then the comparison; by period, most calls first, then by key;
 * where all keys are weekdays and hours, in their order; the row of other keys last.
 */
export function rollupText(query: RollupQuery, context: SqliteContext): SqlText {
  const { periods, previous, fill = false, span = {}, offsets } = query;
  const isFolded = query.top !== undefined || query.minCell !== undefined;
  const measures = measuresOf(query, context.rules);
  const keys = keyColumns(query.dimensions, query);
  const names = [...(periods ? ["period"] : []), ...keys.map(({ name }) => name)];
  const order = `ORDER BY ${[...(periods ? ["period"] : []), ...rowOrder(keys, isFolded)].join(", ")}`;
  const common = {
    keys,
    measures,
    offsets,
    isFolded,
    isKeptByPeriod: query.minCell !== undefined,
    hasSpend: query.spend !== undefined,
  };
  const kept = keptText(query, context);
  const current = sideText({ ...common, span, periods, name: "current" }, context);
  if (!fill && previous === undefined) {
    if (!keys.some(isLocal) && kept === undefined) return { ...current, sql: `${current.sql}\n${order}` };
    // In an expression, ORDER BY takes a name for a fact's rather than for a key's.
    const sql = `${kept === undefined ? "" : `WITH ${kept}\n`}SELECT * FROM (${current.sql})\n${order}`;
    return { ...current, sql };
  }

  const before = previous && sideText({ ...common, ...previous, name: "previous" }, context);
  const columns = [...names, ...measures.map(({ name }) => name)].join(", ");
  const sides = [
    "SELECT 'current' AS side, * FROM current_rows",
    ...(before ? ["SELECT 'previous', * FROM previous_rows"] : []),
    ...(fill ? [emptyRowsText(names, measures, before !== undefined)] : []),
  ];
  const sql = `WITH ${kept === undefined ? "" : `${kept},\n`}current_rows (${columns}) AS MATERIALIZED (${current.sql})${
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

/** Returns the SELECT of the number of a rollup's keys, whatever their periods; and of those that have a value. */
export function keyCountText(query: RollupQuery, context: SqliteContext): SqlText {
  const { sql, values } = keysText(query, context);
  return { sql: `SELECT count(*), count(*) FILTER (WHERE ${hasValueText(query)}) FROM (${sql})`, values };
}

/** Returns a rollup's SELECT for a view. It has no median: the function is not in each SQLite that reads views. */
export function rollupViewText(dimension: Dimension, rules: SqliteContext["rules"]): string {
  const context = { rules, conditions: [{ fact: "is_live", holds: true } as const], isGoneCounted: false };
  const measures = metrics(rules).filter(({ aggregate }) => aggregate.kind !== "median seconds");
  return rollupText({ dimensions: [dimension], figures: measures.map(({ name }) => name) }, context).sql;
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
    sql: `SELECT ${band} AS band, count(*), ${counted("answered")}, ${counted("missed")}\n${sql}\nGROUP BY 1`,
    values,
  };
}

/** Returns the FROM and WHERE for calls that some conditions and a stretch of time let through. */
export function selectionText(
  span: Span,
  context: Pick<SqliteContext, "conditions" | "isGoneCounted" | "facts">,
  { from = `${context.facts ?? FACTS} AS f`, prefix = "value", join = "" } = {},
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
  return { sql: `FROM ${from}${join}${where.length > 0 ? `\nWHERE ${where.join("\n  AND ")}` : ""}`, values };
}

/** Returns the expression of a fact of the call `f`. */
export function factText(fact: FactColumn, { isGoneCounted }: Pick<SqliteContext, "isGoneCounted">): string {
  return fact === "is_first_call" && isGoneCounted ? `f.call_id IN (${FIRST_OF_ALL})` : `f.${fact}`;
}

function conditionText(
  condition: Condition,
  context: Pick<SqliteContext, "isGoneCounted">,
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
  measures: readonly Measure[];
  span: Span;
  periods?: readonly LabelledPeriod[] | undefined;
  offsets?: readonly ZoneOffset[] | undefined;
  /** Whether keys that are not among the `kept` are one, {@link OTHER}. */
  isFolded?: boolean;
  /** Whether a key is kept in some periods, and not in others. */
  isKeptByPeriod?: boolean;
  /** Whether what was spent stands beside the calls; a key has a row where it has either. */
  hasSpend?: boolean;
  name: "current" | "previous";
}

function sideText(side: Side, context: SqliteContext): SqlText {
  const { keys, measures, periods, hasSpend = false } = side;
  const ofCalls = callMeasures(measures);
  const figures = ofCalls.map(({ aggregate, name }) => `${aggregateText(aggregate, context)} AS ${name}`);
  const calls = groupsText(side, context, figures);
  if (!hasSpend) return calls;
  const spend = spendGroupsText(side, context);
  const names = [...(periods ? ["period"] : []), ...keys.map(({ name }) => name)];
  const callNames = ofCalls.map(({ name }) => name);
  const none = (columns: readonly string[]) => columns.map((name) => `NULL AS ${name}`);
  // Each key has one row of each: the greatest of the two is the one that is there.
  const sql = `SELECT ${[...names, ...measures.map((metric) => `${besideText(metric)} AS ${metric.name}`)].join(",\n  ")}
FROM (
  SELECT ${[...names, ...callNames, ...none(SPEND_SUMS)].join(", ")} FROM (${calls.sql})
  UNION ALL
  SELECT ${[...names, ...none(callNames), ...SPEND_SUMS].join(", ")} FROM (${spend.sql})
)
${groupBy(names)}`;
  return { sql: sql.trimEnd(), values: { ...calls.values, ...spend.values } };
}

/** What is added up of spend; amounts are whole numbers until they are shown. */
const SPEND_SUMS = ["cost_micros", "clicks", "impressions"] as const;

function spendGroupsText(side: Side, context: SqliteContext): SqlText {
  const { spend } = context;
  if (spend === undefined) throw new Error("The session has no spend");
  const figures = SPEND_SUMS.map((name) => `sum(f.${name}) AS ${name}`);
  const own = { ...context, conditions: spend.conditions };
  return groupsText(side, own, figures, { from: `${spend.table} AS f`, prefix: `${side.name}_spend` });
}

/** A figure of a row that has one row of calls, one of spend, or both. */
function besideText(metric: Measure): string {
  const { aggregate, name, isCount } = metric;
  if (aggregate.kind === "spend") {
    return aggregate.of === "cost_micros" ? `max(cost_micros) / ${MICROS}.0` : `max(${aggregate.of})`;
  }
  if (aggregate.kind === "cost per") return costPerText(aggregate.of);
  return isCount ? `coalesce(max(${name}), 0)` : `max(${name})`;
}

/** In whole cents, half a cent away from zero: a division of floating-point numbers would be off by one now and then. */
function costPerText(of: CostPer): string {
  const calls = `nullif(max(${of}), 0)`;
  const cents = `(abs(max(cost_micros)) * 2 + ${calls} * ${CENT_MICROS}) / (${calls} * ${2 * CENT_MICROS})`;
  return `iif(max(cost_micros) < 0, -1, 1) * (${cents}) / 100.0`;
}

/** A row for each key of the calls, or of rows with columns named as the facts of calls. */
function groupsText(
  { keys, span, periods, offsets, isFolded = false, isKeptByPeriod = false, name: side }: Side,
  context: SqliteContext,
  figures: readonly string[],
  { from, prefix = side }: { from?: string; prefix?: string } = {},
): SqlText {
  const isStored = keys.some(({ of }) => "stored" in of);
  const values = keys.map((key) => ({ name: key.name, text: keyText(key, offsets, context) }));
  // What is not kept has no row in `kept`, and of those that it has each has a value in its first column.
  const isSame = [
    ...(isKeptByPeriod && periods ? [`k.period = ${periodText(periods)}`] : []),
    ...values.map(({ name, text }) => `k.${name} IS ${text}`),
  ];
  const join = isFolded ? `\nLEFT JOIN kept AS k ON ${isSame.join(" AND ")}` : "";
  const table = from ?? (isStored ? FACTS_AND_CALLS : undefined);
  const selection = selectionText(span, context, { from: table, prefix, join });
  const shown = (key: string, index: number) =>
    index === 0 ? `coalesce(k.${key}, ${literal(OTHER)})` : `k.${key}`;
  const keysText = [
    ...(periods ? [`${periodText(periods)} AS period`] : []),
    ...values.map(({ name, text }, index) => `${isFolded ? shown(name, index) : text} AS ${name}`),
  ];
  const ordinals = keysText.map((_, index) => String(index + 1));
  const sql = `SELECT ${[...keysText, ...figures].join(",\n  ")}\n${selection.sql}\n${groupBy(ordinals)}`;
  return { sql: sql.trimEnd(), values: selection.values };
}

/** The keys of a rollup with their calls in the current stretch, which may be 0 where there is one before. */
function keysText(query: RollupQuery, context: SqliteContext): SqlText {
  const { previous, span = {}, offsets } = query;
  const keys = keyColumns(query.dimensions, query);
  const names = keys.map(({ name }) => name).join(", ");
  const measures = metrics(context.rules).filter(({ aggregate }) => aggregate.kind === "count");
  const common = { keys, measures, offsets, hasSpend: query.spend !== undefined };
  const current = sideText({ ...common, span, name: "current" }, context);
  if (previous === undefined) return current;
  const before = sideText({ ...common, span: previous.span, name: "previous" }, context);
  const sql = `SELECT ${names}, max(calls) AS calls
FROM (${current.sql} UNION ALL SELECT ${names}, 0 FROM (${before.sql}))
GROUP BY ${names}`;
  return { sql, values: { ...current.values, ...before.values } };
}

/** The table of the keys that have rows of their own; undefined where all have. */
function keptText(query: RollupQuery, context: SqliteContext): string | undefined {
  if (query.minCell !== undefined)
    return `kept AS MATERIALIZED (${largeCellsText(query, query.minCell, context).sql})`;
  return query.top === undefined ? undefined : topText(query, query.top, context);
}

/** The keys with the most calls, and the one without any value, which nothing hides. */
function topText(query: RollupQuery, top: number, context: SqliteContext): string {
  const keys = keyColumns(query.dimensions, query);
  const names = keys.map(({ name }) => name).join(", ");
  const notSet = keys.map(({ isNamed }) => (isNamed ? literal(NOT_SET) : "NULL")).join(", ");
  return `kept (${names}) AS MATERIALIZED (
  SELECT * FROM (SELECT ${names} FROM (${keysText(query, context).sql})
  WHERE ${hasValueText(query)}
  ORDER BY ${["calls DESC", ...keys.map(keyOrder)].join(", ")} LIMIT ${top})
  UNION ALL SELECT ${notSet})`;
}

/** The rows of a rollup: period and key, calls in the current stretch and in the one before. */
function cellsText(query: RollupQuery, context: SqliteContext): SqlText {
  const { periods, previous, span = {}, offsets } = query;
  const keys = keyColumns(query.dimensions, query);
  const names = [...(periods ? ["period"] : []), ...keys.map(({ name }) => name)].join(", ");
  const measures = metrics(context.rules).filter(({ aggregate }) => aggregate.kind === "count");
  const current = sideText({ keys, measures, offsets, span, periods, name: "current" }, context);
  if (previous === undefined)
    return { ...current, sql: `SELECT ${names}, calls, 0 AS before FROM (${current.sql})` };
  const before = sideText({ keys, measures, offsets, ...previous, name: "previous" }, context);
  const sql = `SELECT ${names}, max(calls) AS calls, max(before) AS before
FROM (SELECT ${names}, calls, 0 AS before FROM (${current.sql}) UNION ALL SELECT ${names}, 0, calls FROM (${before.sql}))
GROUP BY ${names}`;
  return { sql, values: { ...current.values, ...before.values } };
}

/**
 * The rows that stand by themselves: neither small, nor one of the next smallest that {@link OTHER} takes so that it is not
 * small itself. What is left over by a row that is not small is not small.
 */
function largeCellsText(query: RollupQuery, minCell: number, context: SqliteContext): SqlText {
  const keys = keyColumns(query.dimensions, query).map(({ name }) => name);
  const names = [...(query.periods ? ["period"] : []), ...keys].join(", ");
  const partition = query.periods ? "PARTITION BY period " : "";
  const isSmall = (count: string) => `${count} BETWEEN 1 AND ${minCell - 1}`;
  const { sql, values } = cellsText(query, context);
  const smaller = (count: string) => `coalesce(sum(${count}) OVER smaller, 0) AS smaller_${count}`;
  return {
    sql: `SELECT ${names} FROM (
  SELECT *, ${smaller("calls")}, ${smaller("before")}
  FROM (SELECT *, (${isSmall("calls")} OR ${isSmall("before")}) AS is_small FROM (${sql}))
  WINDOW smaller AS (${partition}ORDER BY is_small DESC, calls + before, ${keys.join(", ")} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
WHERE NOT is_small AND NOT ${isSmall("smaller_calls")} AND NOT ${isSmall("smaller_before")}`,
    values,
  };
}

/** Returns the SELECT of the number of rows that are together in rows {@link OTHER}, so that none is small. */
export function smallCellCountText(query: RollupQuery, minCell: number, context: SqliteContext): SqlText {
  const { sql, values } = cellsText(query, context);
  return {
    sql: `SELECT (SELECT count(*) FROM (${sql})) - (SELECT count(*) FROM (${largeCellsText(query, minCell, context).sql}))`,
    values,
  };
}

function hasValueText(query: RollupQuery): string {
  const isSet = keyColumns(query.dimensions, query).map(({ name, isNamed }) =>
    isNamed ? `${name} <> ${literal(NOT_SET)}` : `${name} IS NOT NULL`,
  );
  return `(${isSet.join(" OR ")})`;
}

const isLocal = ({ of }: KeyColumn) => "local" in of;

/** The order of rows within a period. */
function rowOrder(keys: readonly KeyColumn[], isFolded: boolean): string[] {
  const [first] = keys;
  return [
    ...(isFolded && first ? [`${first.name} = ${literal(OTHER)}`] : []),
    ...(first && keys.every(isLocal) ? [] : ["calls DESC"]),
    ...keys.map(keyOrder),
  ];
}

/** Weekdays as they follow each other; they and hours before calls of unknown time. */
function keyOrder({ name, of }: KeyColumn): string {
  if (!("local" in of)) return name;
  const isUnknown = `${name} = ${literal(NOT_SET)}`;
  return of.local === "hour"
    ? `${isUnknown}, ${name}`
    : `${isUnknown}, instr(${literal(WEEKDAYS.join())}, ${name})`;
}

export function keyText(
  { of, isNamed }: KeyColumn,
  offsets: Side["offsets"],
  context: SqliteContext,
): string {
  if ("local" in of) return `coalesce(${localText(of.local, offsets)}, ${literal(NOT_SET)})`;
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
    case "median seconds":
      return `round(median(f.duration)${isMilliseconds ? " / 1000.0" : ""}, 1)`;
    case "earliest":
      return `min(f.${aggregate.fact})`;
    case "latest":
      return `max(f.${aggregate.fact})`;
  }
}

/** What the clocks showed when a call started; null for one of unknown time. */
function localText(part: LocalPart, offsets: Side["offsets"] = []): string {
  const texts = offsets.map(({ startsAt, offsetSeconds }) => ({ startsAt, text: String(offsetSeconds) }));
  // Not by strftime(), which knows no year 10000, where the last hours of 9999 in UTC may be.
  const seconds = `(unixepoch(f.call_started) + ${SECONDS_SINCE_A_MONDAY} + ${stretchText(texts) ?? 0})`;
  if (part === "hour") return `substr('0' || (${seconds} % 86400 / 3600), -2)`;
  const names = WEEKDAYS.map((name, index) => `WHEN ${index} THEN ${literal(name)}`);
  return `CASE ${seconds} / 86400 % 7 ${names.join(" ")} END`;
}

/** The label of the period that a call is in; {@link NOT_SET} for one before them all, or of unknown time. */
export function periodText(periods: readonly LabelledPeriod[]): string {
  const texts = periods.map(({ startsAt, period }) => ({ startsAt, text: literal(period) }));
  const [first] = periods;
  if (first === undefined) return literal(NOT_SET);
  return `CASE WHEN f.call_started >= ${literal(first.startsAt)} THEN ${stretchText(texts)} ELSE ${literal(NOT_SET)} END`;
}

/** The text of the stretch that a call is in, found by halving; the first is open at its beginning. */
function stretchText(stretches: readonly { startsAt: string; text: string }[]): string | undefined {
  if (stretches.length < 2) return stretches[0]?.text;
  const middle = Math.ceil(stretches.length / 2);
  const [before, after] = [stretches.slice(0, middle), stretches.slice(middle)];
  return `CASE WHEN f.call_started < ${literal(after[0]?.startsAt ?? "")} THEN ${stretchText(before)} ELSE ${stretchText(after)} END`;
}

/** A row without figures for each key in each period. */
function emptyRowsText(names: readonly string[], measures: readonly Measure[], hasPrevious: boolean): string {
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
function figureOf({ name, isCount }: Measure, side: Side["name"]): string {
  const figure = `max(${name}) FILTER (WHERE side = '${side}')`;
  return isCount ? `coalesce(${figure}, 0)` : figure;
}

function comparisonText(metric: Measure): string[] {
  const [now, before] = [figureOf(metric, "current"), figureOf(metric, "previous")];
  return [
    `${before} AS ${metric.name}_previous`,
    `round(1.0 * (${now} - ${before}) / nullif(${before}, 0), 4) + 0.0 AS ${metric.name}_change`, // a fall too small to show is 0, not -0
  ];
}

export function groupBy(names: readonly string[]): string {
  return names.length > 0 ? `GROUP BY ${names.join(", ")}\n` : "";
}

export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
