import type { FactColumn } from "../attribution/attribute-call.ts";
import type { Span } from "../calendar/dates.ts";
import type { LabelledPeriod } from "../calendar/periods.ts";
import type { Side } from "../figures/cells.ts";
import type { FactValue } from "../figures/dictionary.ts";
import { type KeyColumn, type LocalPart, WEEKDAYS } from "../figures/dimensions.ts";
import type { CountPart, Part } from "../figures/parts.ts";
import { NOT_SET } from "../figures/reserved-keys.ts";
import type { ZoneOffset } from "../figures/rollup-query.ts";
import type { Condition } from "../rollup/call-filter.ts";
import type { CallSelection } from "../rollup/engine.ts";
import { literal } from "./clickhouse-text.ts";
import { FACTS_TABLE, localName, NOTHING, SPEND_TABLE } from "./cluster-tables.ts";

// Keys are stored values. All functions exist in 18.16.

export interface ClusterSource extends Pick<CallSelection, "conditions" | "isGoneCounted"> {
  table: (name: string) => string;
  accounts: readonly string[];
  /** The one name of campaigns whose calls have several, or some none. @default all have their own names */
  campaignNames?: readonly CampaignName[];
  /** Whether there may be rows that others replace. */
  hasReplaced: boolean;
}

export type CampaignName = [account: string, id: string, name: string];

export interface ClusterQuestion {
  sql: string;
  columns: Readonly<Record<string, "TEXT" | "INTEGER" | "REAL">>;
  /** For errors: follows "Cannot". */
  doing: string;
}

type Columns = Readonly<Record<string, readonly [type: ClusterQuestion["columns"][string], text: string]>>;

const ACCOUNT = { account: ["TEXT", "account"] } as const;

/** @param keys the rows are grouped by */
function groupedQuestion(doing: string, from: string, keys: Columns, figures: Columns = {}): ClusterQuestion {
  const all = Object.entries({ ...keys, ...figures });
  const select = all.map(([name, [, text]]) => (text === name ? name : `${text} AS ${name}`));
  return {
    sql: `SELECT ${select.join(",\n  ")}\n${from}\nGROUP BY ${Object.keys(keys).join(", ")}`,
    columns: Object.fromEntries(all.map(([name, [type]]) => [name, type] as const)),
    doing,
  };
}

export interface SideQuestion extends Side {
  keys: readonly KeyColumn[];
  offsets: readonly ZoneOffset[];
  parts: readonly Part[];
  /** Stored keys, after the period if there are periods, that keep a row of their own. @default all */
  kept?: readonly FactValue[][] | undefined;
}

/** Returns the question for the rows of a side: account, period if any, whether the key is kept, keys, parts. */
export function sideQuestion(
  source: ClusterSource,
  { keys, span, periods, offsets, parts, kept }: SideQuestion,
): ClusterQuestion {
  const values = keys.map((key) => valueText(key, offsets, source));
  const isKept = kept && keptText(periods ? [periodText(periods)] : [], values, kept);
  const keyColumns = keys.map(({ type }, index) => {
    const value = isKept === undefined ? `${values[index]}` : `if(is_kept, ${values[index]}, NULL)`;
    return [keyName(index), [type === "integer" ? "INTEGER" : "TEXT", value]] as const;
  });
  return groupedQuestion(
    "read figures",
    fromText(source, span),
    {
      ...ACCOUNT,
      ...(periods && { period: ["TEXT", periodText(periods)] }),
      ...(isKept !== undefined && { is_kept: ["INTEGER", isKept] }),
      ...Object.fromEntries(keyColumns),
    },
    Object.fromEntries(parts.map((part) => [part, [typeOf(part), partText(part, source)] as const])),
  );
}

function keyName(index: number): string {
  return `key_${index + 1}`;
}

export function valuesQuestion(source: ClusterSource, fact: FactColumn): ClusterQuestion {
  const type = fact === "org_unit_id" ? "INTEGER" : "TEXT";
  return groupedQuestion(`read the values of ${fact}`, fromText(source), { ...ACCOUNT, value: [type, fact] });
}

const EXTENT = { first: ["TEXT", "min(call_started)"], last: ["TEXT", "max(call_started)"] } as const;

export function extentQuestion(source: ClusterSource): ClusterQuestion {
  return groupedQuestion("read when calls started", fromText(source), ACCOUNT, EXTENT);
}

export function monthsQuestion(source: ClusterSource): ClusterQuestion {
  const month = `substring(call_started, 1, ${"YYYY-MM".length})`;
  const from = `${fromText(source)} AND isNotNull(call_started)`;
  return groupedQuestion("read when calls started", from, { month: ["TEXT", month] }, EXTENT);
}

export function callersQuestion(source: ClusterSource, callers: readonly string[]): ClusterQuestion {
  const from = `${fromText(source)} AND ${conditionText({ fact: "caller", isOneOf: callers }, source)}`;
  return groupedQuestion("look for callers", from, { ...ACCOUNT, caller: ["TEXT", "caller"] });
}

const COUNT = { calls: ["INTEGER", "count()"] } as const;

export function bandsQuestion(source: ClusterSource, bounds: readonly number[], span: Span): ClusterQuestion {
  const band = bounds.map((bound) => `(duration >= ${Number(bound)})`).join(" + ");
  const counted = (part: "answered_calls" | "missed_calls") => ["INTEGER", partText(part, source)] as const;
  return groupedQuestion(
    "read durations",
    fromText(source, span),
    { ...ACCOUNT, band: ["INTEGER", band] },
    { ...COUNT, answered: counted("answered_calls"), missed: counted("missed_calls") },
  );
}

export function campaignsQuestion(source: ClusterSource): ClusterQuestion {
  const names = ["campaign", "campaign_id", "source"].map((name) => [name, ["TEXT", name]] as const);
  return groupedQuestion(
    "read campaigns",
    fromText(source),
    { ...ACCOUNT, ...Object.fromEntries(names) },
    { ...COUNT, live_calls: ["INTEGER", "countIf(is_live = 1)"] },
  );
}

export function spendQuestion(source: ClusterSource): ClusterQuestion {
  const { name, columns } = SPEND_TABLE;
  return {
    sql: `SELECT account, ${Object.keys(columns).join(", ")}\n${fromText({ ...source, hasReplaced: true }, {}, name)}`,
    columns: Object.fromEntries(
      Object.entries({ account: "String", ...columns }).map(
        ([column, type]) => [column, type.includes("String") ? "TEXT" : "INTEGER"] as const,
      ),
    ),
    doing: "read spend",
  };
}

/** Returns the question for the numbers of rows, stored and counting. */
export function rowsQuestion(source: ClusterSource): ClusterQuestion {
  const lying = `SELECT account, count() AS lying, toUInt64(0) AS rows
FROM ${source.table(FACTS_TABLE.name)}\nWHERE ${isOf(source)}\nGROUP BY account`;
  const rows = `SELECT account, toUInt64(0) AS lying, count() AS rows
${fromText({ ...source, hasReplaced: true })}\nGROUP BY account`;
  return {
    sql: `SELECT account, sum(lying) AS lying, sum(rows) AS rows FROM (${lying} UNION ALL ${rows}) GROUP BY account`,
    columns: { account: "TEXT", lying: "INTEGER", rows: "INTEGER" },
    doing: "count calls",
  };
}

function fromText(source: ClusterSource, { startsAt, endsAt }: Span = {}, name: string = FACTS_TABLE.name) {
  const where = [
    isOf(source),
    "is_deleted = 0",
    ...source.conditions.map((condition) => conditionText(condition, source)),
    ...(startsAt === undefined ? [] : [`call_started >= ${literal(startsAt)}`]),
    ...(endsAt === undefined ? [] : [`call_started < ${literal(endsAt)}`]),
  ];
  return `FROM ${source.table(name)}${source.hasReplaced ? " FINAL" : ""}\nWHERE ${where.join("\n  AND ")}`;
}

const isOf = ({ accounts }: ClusterSource) => `account IN (${accounts.map(literal).join(", ")})`;

/** A condition is 1 or 0, never null. */
function conditionText(condition: Condition, source: ClusterSource): string {
  if ("any" in condition) {
    return `(${condition.any.map((one) => conditionText(one, source)).join(" OR ")})`;
  }
  if ("all" in condition) {
    return `(${condition.all.map((one) => conditionText(one, source)).join(" AND ")})`;
  }
  if ("outcomes" in condition) throw new Error("A cluster has no outcomes");
  const fact = factText(condition.fact, source);
  if ("isAtLeast" in condition) return `ifNull(${fact} >= ${Number(condition.isAtLeast)}, 0)`;
  if ("isPresent" in condition) return `isNotNull(${fact})`;
  if ("holds" in condition) return `${fact} = 1`;
  if ("isNoneOf" in condition) {
    return condition.isNoneOf.length === 0 ? "1" : `NOT ${isIn(fact, condition.isNoneOf)}`;
  }
  const values = condition.isOneOf.filter((value) => value !== null);
  const found = values.length === 0 ? "0" : isIn(fact, values);
  return values.length < condition.isOneOf.length ? `(${found} OR isNull(${fact}))` : found;
}

function isIn(expression: string, values: readonly (string | number)[]): string {
  const list = values.map((value) => (typeof value === "number" ? String(value) : literal(value)));
  return `ifNull(${expression} IN (${list.join(", ")}), 0)`;
}

function factText(fact: FactColumn, source: ClusterSource): string {
  return fact === "is_first_call" && source.isGoneCounted ? firstOfAllText(source) : fact;
}

/** Whether a call is its caller's first among all calls, including gone ones. A caller's calls are on one server. */
function firstOfAllText(source: ClusterSource): string {
  return `((account, call_id) IN (SELECT account, call_id FROM ${source.table(localName(FACTS_TABLE.name))} FINAL
  WHERE ${isOf(source)} AND is_deleted = 0 AND isNotNull(caller)
  ORDER BY isNull(call_started), call_started, call_id LIMIT 1 BY account, caller))`;
}

function valueText(
  { of, isNameOf }: KeyColumn,
  offsets: readonly ZoneOffset[],
  source: ClusterSource,
): string {
  if ("local" in of) return localText(of.local, offsets);
  if ("stored" in of) throw new Error(`The cluster has no ${of.stored} in its stored form`);
  const fact = factText(of.fact, source);
  return isNameOf === undefined ? fact : nameText(fact, isNameOf, source);
}

/** The one name of an id; a call's own name if there is none. */
function nameText(own: string, id: string, { campaignNames = [] }: ClusterSource): string {
  if (campaignNames.length === 0) return own;
  // Each account has its own names; one question is for all of them.
  const key = `concat(account, '\\n', ifNull(${id}, ''))`;
  const ids = campaignNames.map(([account, each]) => literal(`${account}\n${each}`)).join(", ");
  const names = campaignNames.map(([, , name]) => literal(name)).join(", ");
  return `ifNull(nullIf(transform(${key}, [${ids}], [${names}], ''), ''), ${own})`;
}

/** Whether a key is in a list, by a text that identifies it; a join would have to be made at each shard. */
function keptText(
  leading: readonly string[],
  values: readonly string[],
  rows: readonly FactValue[][],
): string {
  const texts = [...leading, ...values].map((value) => {
    const text = `toString(${value})`;
    return `ifNull(concat(toString(length(${text})), ':', ${text}), '${NOTHING}')`;
  });
  const list = rows.map((row) =>
    row.map((value) => (value === null ? NOTHING : `${Buffer.byteLength(String(value))}:${value}`)).join(""),
  );
  // In 18.16, concat needs two arguments.
  return `(concat('', ${texts.join(", ")}) IN (${(list.length > 0 ? list : [""]).map(literal).join(", ")}))`;
}

const CONDITIONS: Record<Exclude<CountPart, "calls" | "first_calls">, string> = {
  answered_calls: "outcome = 'answered'",
  missed_calls: "outcome = 'missed'",
  other_calls: "outcome = 'other'",
  qualified_calls: "is_qualified = 1",
};

function partText(part: Part, source: ClusterSource): string {
  switch (part) {
    case "calls":
      return "count()";
    case "first_calls":
      return `countIf(${factText("is_first_call", source)} = 1)`;
    case "callers":
      return "ifNull(uniqExact(caller), 0)";
    case "duration_sum":
      return "sum(duration)";
    case "duration_count":
      return "count(duration)";
    // Of an even number it takes the lower middle value; of negated values, that is the upper one.
    case "duration_median": {
      const [lower, upper] = ["duration", "-duration"].map(
        (value) => `quantileExactWeighted(0.5)(${value}, 1)`,
      );
      return `(${lower} - ${upper}) / 2`;
    }
    case "earliest_start":
      return "min(call_started)";
    case "latest_start":
      return "max(call_started)";
    default:
      return `countIf(${CONDITIONS[part]})`;
  }
}

function typeOf(part: Part): "TEXT" | "INTEGER" | "REAL" {
  if (part === "earliest_start" || part === "latest_start") return "TEXT";
  return part === "duration_median" ? "REAL" : "INTEGER";
}

/** Sorts calls without a start before all others. */
const STARTED = "ifNull(call_started, '')";

/** The label of a call's period; {@link NOT_SET} for one before all of them, or without a start. */
function periodText(periods: readonly LabelledPeriod[]): string {
  const labels = [NOT_SET, ...periods.map(({ period }) => period)];
  const reached = reachedText(periods.map(({ startsAt }) => startsAt));
  return `[${labels.map(literal).join(", ")}][${reached} + 1]`;
}

/** Seconds ahead of UTC; the first offset also applies before its start. */
function offsetText(offsets: readonly ZoneOffset[]): string {
  const [first, ...others] = offsets;
  if (first === undefined || others.length === 0) return String(first?.offsetSeconds ?? 0);
  const reached = reachedText(others.map(({ startsAt }) => startsAt));
  return `[${offsets.map(({ offsetSeconds }) => offsetSeconds).join(", ")}][${reached} + 1]`;
}

/** Lengths of the years, months and days at the start of a time. */
const PREFIXES = ["YYYY", "YYYY-MM", "YYYY-MM-DD"].map(({ length }) => length);
/** Up to this many moments are compared one by one. */
const FEW = 6;

const FIRST_MOMENT = "0000-01-01T00:00:00.000Z";

/**
 * How many of some moments, in order, are not after a call's start: whole years, months or days by a lookup, then its
 * own one by one. ClickHouse would compute every branch of a bisection for every call.
 */
function reachedText(given: readonly string[]): string {
  // Times before the year 0 have a sign.
  const moments = given.map((moment) => (moment.startsWith("-") ? FIRST_MOMENT : moment));
  const [first, last] = [moments[0], moments.at(-1)];
  if (first === undefined || last === undefined) return "0";
  const lengthOf = (length: number) =>
    Math.max(
      ...Map.groupBy(moments, (each) => each.slice(0, length))
        .values()
        .map((own) => own.length),
    );
  const length = PREFIXES.find((each) => lengthOf(each) <= FEW) ?? PREFIXES.at(-1) ?? 0;
  const prefix = `substring(${STARTED}, 1, ${length})`;
  const own = Map.groupBy(moments, (each) => each.slice(0, length));
  const bases: [prefix: string, before: number][] = [];
  let before = 0;
  for (const each of prefixesFrom(first, last, length)) {
    bases.push([each, before]);
    before += own.get(each)?.length ?? 0;
  }
  const look = (pairs: readonly (readonly [string, string | number])[], otherwise: string) => {
    const to = pairs.map(([, value]) => (typeof value === "number" ? String(value) : literal(value)));
    return `transform(${prefix}, [${pairs.map(([each]) => literal(each)).join(", ")}], [${to.join(", ")}], ${otherwise})`;
  };
  const terms = [look(bases, `${moments.length} * (${prefix} > ${literal(last.slice(0, length))})`)];
  for (let index = 0; index < lengthOf(length); index++) {
    const nth = [...own].flatMap(([each, of]) => {
      const moment = of[index];
      return moment === undefined ? [] : [[each, moment] as const];
    });
    terms.push(`(${STARTED} >= ${look(nth, "'~'")})`); // after all times
  }
  return `(${terms.join(" + ")})`;
}

function* prefixesFrom(first: string, last: string, length: number): Generator<string> {
  const date = new Date(`${first.slice(0, length)}${"YYYY-01-01".slice(length)}T00:00:00Z`);
  for (;;) {
    const prefix = date.toISOString().slice(0, length);
    yield prefix;
    if (last.startsWith(prefix)) return;
    if (length === PREFIXES[0]) date.setUTCFullYear(date.getUTCFullYear() + 1);
    else if (length === PREFIXES[1]) date.setUTCMonth(date.getUTCMonth() + 1);
    else date.setUTCDate(date.getUTCDate() + 1);
  }
}

const DAY_SECONDS = 86_400;
/** Days from the origin of {@link dayText}, modulo 7, to a Monday. */
const DAYS_TO_MONDAY = 2;

function localText(part: LocalPart, offsets: readonly ZoneOffset[]): string {
  const [hours, minutes, seconds] = [12, 15, 18].map((at) => digitsText(at, 2));
  const time = `(${hours} * 3600 + ${minutes} * 60 + ${seconds} + ${offsetText(offsets)})`;
  const show = (names: readonly string[], index: string) =>
    `if(isNull(call_started), NULL, [${names.map(literal).join(", ")}][${index} + 1])`;
  if (part === "hour") {
    const names = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));
    // No zone is a whole day behind.
    return show(names, `intDiv(modulo(${time} + ${DAY_SECONDS}, ${DAY_SECONDS}), 3600)`);
  }
  const days = `intDiv(${dayText()} * ${DAY_SECONDS} + ${time}, ${DAY_SECONDS})`;
  return show(WEEKDAYS, `modulo(${days} + ${DAYS_TO_MONDAY}, 7)`);
}

/** The UTC day's number, positive from the year 0. Years begin in March, so a leap day is their last. */
function dayText(): string {
  const [year, month, day] = [digitsText(1, 4), digitsText(6, 2), digitsText(9, 2)];
  const years = `(${year} + 400 - (${month} <= 2))`;
  const ofYear = `intDiv(153 * modulo(${month} + 9, 12) + 2, 5) + ${day} - 1`;
  return `toInt64(365 * ${years} + intDiv(${years}, 4) - intDiv(${years}, 100) + intDiv(${years}, 400) + ${ofYear})`;
}

function digitsText(at: number, length: number): string {
  return `toInt32OrZero(substring(${STARTED}, ${at}, ${length}))`;
}
