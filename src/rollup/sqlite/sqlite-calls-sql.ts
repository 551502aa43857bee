import type { FactColumn } from "../../attribution/attribute-call.ts";
import type { LabelledPeriod } from "../../calendar/periods.ts";
import type { Condition, Span } from "../call-filter.ts";
import { type KeyColumn, type LocalPart, WEEKDAYS } from "../dimensions.ts";
import type { CallSelection, Side } from "../engine.ts";
import { figureText, type Part } from "../figure-sql.ts";
import type { Metric } from "../metrics.ts";
import { IS_OTHER, NOT_SET, OTHER, RESERVED_KEYS } from "../reserved-keys.ts";
import { groupByFirst, listText, literal } from "../sql-text.ts";

// `f` are the facts of calls, `c` the calls if values are needed as stored.

export interface SqliteSelection extends CallSelection {
  /** @default call_facts */
  facts?: string;
}

const FACTS = "call_facts";
export const FACTS_AND_CALLS = `${FACTS} AS f JOIN calls AS c ON c.call_id = f.call_id`;

/** Each caller's first call among all calls, including gone ones. */
const FIRST_OF_ALL = `SELECT call_id FROM (
    SELECT call_id, row_number() OVER (PARTITION BY caller_id ORDER BY call_started NULLS LAST, call_id) AS rank
    FROM call_facts WHERE caller_id IS NOT NULL
  ) WHERE rank = 1`;

/** From a Monday before year 0 to 1970, so that no number is negative: 0001-01-01, itself a Monday, minus 53 weeks. */
const SECONDS_SINCE_A_MONDAY = (719_162 + 53 * 7) * 86_400;

export function callGroupsText(side: Side, figures: readonly Metric[], selection: CallSelection): string {
  const columns = figures.map(
    ({ name, aggregate }) =>
      `${figureText(aggregate, selection.rules, (part) => partText(part, selection))} AS ${name}`,
  );
  return groupsText(side, selection, columns);
}

/** @param from a table whose columns have the names of facts @default the facts of calls */
export function groupsText(
  { keys, span, periods, offsets, kept }: Side,
  selection: SqliteSelection,
  figures: readonly string[],
  from?: string,
): string {
  const isStored = keys.some(({ of }) => "stored" in of);
  const values = keys.map((key) => ({ name: key.name, text: keyText(key, offsets, selection) }));
  // Keys that are not kept have no row in `kept`; kept ones have a value in its first column.
  const isSame = [
    ...(kept?.isByPeriod && periods ? [`k.period = ${periodText(periods)}`] : []),
    ...values.map(({ name, text }) => `k.${name} IS ${text}`),
  ];
  const keysText = [
    ...(periods ? [`${periodText(periods)} AS period`] : []),
    ...(kept ? keptKeysText(keys) : values.map(({ name, text }) => `${text} AS ${name}`)),
  ];
  const selected = selectionText(span, selection, {
    from: from ?? (isStored ? FACTS_AND_CALLS : undefined),
    join: kept ? `\nLEFT JOIN ${kept.name} AS k ON ${isSame.join(" AND ")}` : "",
  });
  return `SELECT ${[...keysText, ...figures].join(",\n  ")}\n${selected}\n${groupByFirst(keysText)}`.trimEnd();
}

/** Returns the key columns when joined with those kept (k): {@link OTHER} for keys that are not in it. */
export function keptKeysText(keys: readonly KeyColumn[]): string[] {
  return [
    ...keys.map(({ name }, index) =>
      index === 0 ? `coalesce(k.${name}, ${literal(OTHER)}) AS ${name}` : `k.${name} AS ${name}`,
    ),
    `k.${keys[0]?.name} IS NULL AS ${IS_OTHER}`,
  ];
}

/** Counts calls by how many of the bounds (in the stored unit) their duration reaches; null without a duration. */
export function durationBandsText(bounds: readonly number[], span: Span, selection: CallSelection): string {
  const band = bounds.map((bound) => `(f.duration >= ${Number(bound)})`).join(" + ");
  const counted = (outcome: "answered" | "missed") =>
    partText({ kind: "count with outcome", outcome }, selection);
  return `SELECT ${band} AS band, count(*), ${counted("answered")}, ${counted("missed")}
${selectionText(span, selection)}\nGROUP BY 1`;
}

/** @param options.also more conditions, as SQL */
export function selectionText(
  { startsAt, endsAt }: Span,
  selection: Pick<SqliteSelection, "conditions" | "isGoneCounted" | "facts">,
  {
    from = `${selection.facts ?? FACTS} AS f`,
    join = "",
    also = [],
  }: { from?: string | undefined; join?: string; also?: readonly string[] } = {},
): string {
  const where = [
    ...selection.conditions.map((condition) => conditionText(condition, selection)),
    ...(startsAt === undefined ? [] : [`f.call_started >= ${literal(startsAt)}`]),
    ...(endsAt === undefined ? [] : [`f.call_started < ${literal(endsAt)}`]),
    ...also,
  ];
  return `FROM ${from}${join}${where.length > 0 ? `\nWHERE ${where.join("\n  AND ")}` : ""}`;
}

/** The caller's number or digest. */
export const CALLER = "(SELECT caller FROM callers WHERE caller_id = f.caller_id)";

export function factText(fact: FactColumn, { isGoneCounted }: Pick<CallSelection, "isGoneCounted">): string {
  if (fact === "caller") return CALLER;
  return fact === "is_first_call" && isGoneCounted ? `f.call_id IN (${FIRST_OF_ALL})` : `f.${fact}`;
}

function conditionText(condition: Condition, selection: Pick<CallSelection, "isGoneCounted">): string {
  if ("any" in condition) {
    return `(${condition.any.map((one) => conditionText(one, selection)).join(" OR ")})`;
  }
  const fact = factText(condition.fact, selection);
  if ("isAtLeast" in condition) return `${fact} >= ${Number(condition.isAtLeast)}`;
  if ("isPresent" in condition) return `${fact} IS NOT NULL`;
  if ("holds" in condition) return fact;
  if ("isNoneOf" in condition) {
    const ids = `SELECT caller_id FROM callers WHERE caller IN ${listText(condition.isNoneOf)}`;
    return `(f.caller_id IS NULL OR f.caller_id NOT IN (${ids}))`;
  }
  const values = condition.isOneOf.filter((value) => value !== null);
  const isIn = `${fact} IN ${listText(values)}`;
  return values.length < condition.isOneOf.length ? `(${isIn} OR ${fact} IS NULL)` : isIn;
}

export function keyText(
  key: KeyColumn,
  offsets: Side["offsets"],
  selection: Pick<CallSelection, "isGoneCounted">,
): string {
  const { of } = key;
  if ("local" in of) return shownKeyText(key, localText(of.local, offsets));
  return shownKeyText(key, "stored" in of ? `nullif(c.${of.stored}, '')` : factText(of.fact, selection));
}

/** Returns the SQL of a key's column from that of its value: as served, or local time. */
export function shownKeyText({ of, isNamed }: KeyColumn, value: string): string {
  if (!isNamed) return value;
  return `coalesce(${"local" in of ? value : shownText(value)}, ${literal(NOT_SET)})`;
}

/** Quotes text that reads like a reserved key; the first two comparisons spare nearly all texts the third. */
function shownText(text: string): string {
  const reads = `lower(trim(${text}, '"')) IN (${RESERVED_KEYS.map(literal).join(", ")})`;
  return `CASE WHEN ${text} >= '"' AND ${text} < ')' AND ${reads} THEN '"' || ${text} || '"' ELSE ${text} END`;
}

function partText(part: Part, selection: CallSelection): string {
  switch (part.kind) {
    case "count":
      return "count(*)";
    case "count with outcome":
      return `count(*) FILTER (WHERE f.outcome = ${literal(part.outcome)})`;
    case "count where":
      return `count(*) FILTER (WHERE ${factText(part.fact, selection)})`;
    case "count distinct":
      return `count(DISTINCT f.${part.fact}_id)`;
    case "sum":
      return `sum(f.${part.fact})`;
    case "count of":
      return `count(f.${part.fact})`;
    case "median":
      return `median(f.${part.fact})`;
    case "earliest":
      return `min(f.${part.fact})`;
    case "latest":
      return `max(f.${part.fact})`;
  }
}

function localText(part: LocalPart, offsets: Side["offsets"] = []): string {
  const texts = offsets.map(({ startsAt, offsetSeconds }) => ({ startsAt, text: String(offsetSeconds) }));
  // Not strftime(), which has no year 10000, where the last local hours of 9999 UTC may be.
  const seconds = `(unixepoch(f.call_started) + ${SECONDS_SINCE_A_MONDAY} + ${stretchText(texts) ?? 0})`;
  if (part === "hour") return `substr('0' || (${seconds} % 86400 / 3600), -2)`;
  const names = WEEKDAYS.map((name, index) => `WHEN ${index} THEN ${literal(name)}`);
  return `CASE ${seconds} / 86400 % 7 ${names.join(" ")} END`;
}

/** The label of a call's period; {@link NOT_SET} for a call before all of them, or without a start. */
export function periodText(periods: readonly LabelledPeriod[]): string {
  const texts = periods.map(({ startsAt, period }) => ({ startsAt, text: literal(period) }));
  const [first] = periods;
  if (first === undefined) return literal(NOT_SET);
  return `CASE WHEN f.call_started >= ${literal(first.startsAt)} THEN ${stretchText(texts)} ELSE ${literal(NOT_SET)} END`;
}

/** The text of the stretch that contains a call, by bisection; the first is open at its beginning. */
function stretchText(stretches: readonly { startsAt: string; text: string }[]): string | undefined {
  if (stretches.length < 2) return stretches[0]?.text;
  const middle = Math.ceil(stretches.length / 2);
  const [before, after] = [stretches.slice(0, middle), stretches.slice(middle)];
  return `CASE WHEN f.call_started < ${literal(after[0]?.startsAt ?? "")} THEN ${stretchText(before)} ELSE ${stretchText(after)} END`;
}
