import type { FactColumn } from "../attribution/attribute-call.ts";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import type { Outcome } from "../attribution/compiled-rules.ts";
import type { LabelledPeriod } from "../calendar/periods.ts";
import type { Condition, Span } from "./call-filter.ts";
import type { ConversionKey, ConversionQuery } from "./conversion-query.ts";
import { type Dimension, type KeyColumn, keyColumns, type LocalPart } from "./dimensions.ts";
import { type Aggregate, isCompared, type Metric, metrics } from "./metrics.ts";
import { NOT_SET, OTHER, OWN_WORDS } from "./own-words.ts";
import { measuresOf, type RollupQuery, type ZoneOffset } from "./rollup-query.ts";

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
}

/** The FROM of all questions: `f` are the facts, `c` the calls where values are asked for as they are stored. */
const FROM_FACTS = "call_facts AS f";
const FROM_FACTS_AND_CALLS = "call_facts AS f JOIN calls AS c ON c.call_id = f.call_id";

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
  const { sql: from, values } = selectionText({}, context, { prefix: "conversion", withCalls: isStored });
  const where = [
    `${key} IS NOT NULL`,
    "f.call_started IS NOT NULL",
    "f.is_qualified",
    ...(sources ? [`coalesce(f.gclsrc, '') IN (${sources.map(literal).join(", ")})`] : []),
    ...(likeCalls === undefined
      ? []
      : [`${key} IN (SELECT ${key} FROM ${FROM_FACTS_AND_CALLS} WHERE f.call_id IN ${listText(likeCalls)})`]),
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

/** As in ISO 8601. */
const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
/** To 1970 from a Monday before the year 0000, so that no number is negative: 0001-01-01, itself a Monday, less 53 weeks. */
const SECONDS_SINCE_A_MONDAY = (719_162 + 53 * 7) * 86_400;

/**
 * Returns the SELECT of a rollup: key columns, then metrics, then the comparison; by period, most calls first, then by key;
 * where all keys are weekdays and hours, in their order; the row of other keys last.
 */
export function rollupText(query: RollupQuery, context: SqliteContext): SqlText {
  const { periods, previous, fill = false, span = {}, offsets, top } = query;
  const measures = measuresOf(query, context.rules);
  const keys = keyColumns(query.dimensions, query);
  const names = [...(periods ? ["period"] : []), ...keys.map(({ name }) => name)];
  const order = `ORDER BY ${[...(periods ? ["period"] : []), ...rowOrder(keys, top !== undefined)].join(", ")}`;
  const common = { keys, measures, offsets, isFolded: top !== undefined };
  const kept = top === undefined ? undefined : keptText(query, top, context);
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
  context: SqliteContext,
  { withCalls = false, prefix = "value", join = "" } = {},
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
  return { sql: `FROM ${from}${join}${where.length > 0 ? `\nWHERE ${where.join("\n  AND ")}` : ""}`, values };
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
  offsets?: readonly ZoneOffset[] | undefined;
  /** Whether keys that are not among the `kept` are one, {@link OTHER}. */
  isFolded?: boolean;
  name: "current" | "previous";
}

function sideText(side: Side, context: SqliteContext): SqlText {
  const { keys, measures, span, periods, offsets, isFolded = false, name } = side;
  const isStored = keys.some(({ of }) => "stored" in of);
  const values = keys.map((key) => ({ name: key.name, text: keyText(key, offsets, context) }));
  // What is not kept has no row in `kept`, and of those that it has each has a value in its first column.
  const isSame = values.map(({ name, text }) => `k.${name} IS ${text}`);
  const join = isFolded ? `\nLEFT JOIN kept AS k ON ${isSame.join(" AND ")}` : "";
  const selection = selectionText(span, context, { withCalls: isStored, prefix: name, join });
  const shown = (key: string, index: number) =>
    index === 0 ? `coalesce(k.${key}, ${literal(OTHER)})` : `k.${key}`;
  const keysText = [
    ...(periods ? [`${periodText(periods)} AS period`] : []),
    ...values.map(({ name, text }, index) => `${isFolded ? shown(name, index) : text} AS ${name}`),
  ];
  const figures = measures.map(({ aggregate, name }) => `${aggregateText(aggregate, context)} AS ${name}`);
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
  const current = sideText({ keys, measures, offsets, span, name: "current" }, context);
  if (previous === undefined) return current;
  const before = sideText({ keys, measures, offsets, span: previous.span, name: "previous" }, context);
  const sql = `SELECT ${names}, max(calls) AS calls
FROM (${current.sql} UNION ALL SELECT ${names}, 0 FROM (${before.sql}))
GROUP BY ${names}`;
  return { sql, values: { ...current.values, ...before.values } };
}

/** The keys that have rows of their own: those with the most calls, and the one without any value, which nothing hides. */
function keptText(query: RollupQuery, top: number, context: SqliteContext): string {
  const keys = keyColumns(query.dimensions, query);
  const names = keys.map(({ name }) => name).join(", ");
  const notSet = keys.map(({ isNamed }) => (isNamed ? literal(NOT_SET) : "NULL")).join(", ");
  return `kept (${names}) AS MATERIALIZED (
  SELECT * FROM (SELECT ${names} FROM (${keysText(query, context).sql})
  WHERE ${hasValueText(query)}
  ORDER BY ${["calls DESC", ...keys.map(keyOrder)].join(", ")} LIMIT ${top})
  UNION ALL SELECT ${notSet})`;
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

function keyText({ of, isNamed }: KeyColumn, offsets: Side["offsets"], context: SqliteContext): string {
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
function periodText(periods: readonly LabelledPeriod[]): string {
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
