import type { FactColumn } from "../../attribution/attribute-call.ts";
import type { Span } from "../../calendar/dates.ts";
import type { CampaignNames } from "../../figures/campaign-names.ts";
import type { FactValue } from "../../figures/dictionary.ts";
import type { CountPart, Part } from "../../figures/parts.ts";
import type { Condition } from "../../rollup/call-filter.ts";
import type { CallSelection } from "../../rollup/engine.ts";
import { DURATION_MS, NOTHING, SHOWN_AS } from "./account-tables.ts";
import { literal } from "./clickhouse-text.ts";

// All functions exist in 18.16.

/** The calls of an account. */
export interface CallsSource {
  account: string;
  /** The table with the calls of all servers, with FINAL if there may be replaced rows. */
  from: string;
  /** The table at each server, with FINAL. */
  fromLocal: string;
  /** The table with its spend, with FINAL. */
  fromSpend: string;
  /** Rows of spend that were published. */
  spendRows: number;
}

/** All calls, including gone ones. */
export const ALL_CALLS: CallSelection = {
  rules: { duration_unit: "seconds" },
  conditions: [],
  isGoneCounted: true,
};

/** Returns the SELECT of some columns of the calls of a span, a row for each value of the first ones. */
export function callsText(
  source: CallsSource,
  { keys, figures = [] }: { keys: readonly string[]; figures?: readonly string[] },
  selection = ALL_CALLS,
  { startsAt, endsAt }: Span = {},
): string {
  const names = keys.map((_, index) => `key_${index + 1}`);
  const columns = [
    ...keys.map((text, index) => `${text} AS ${names[index]}`),
    ...figures.map((text, index) => `${text} AS figure_${index + 1}`),
  ];
  const where = [
    `account = ${literal(source.account)}`,
    "is_deleted = 0",
    ...selection.conditions.map((condition) => conditionText(condition, source, selection)),
    ...(startsAt === undefined ? [] : [`call_started_ms >= ${Date.parse(startsAt)}`]),
    ...(endsAt === undefined ? [] : [`call_started_ms < ${Date.parse(endsAt)}`]),
  ];
  const grouped = names.length > 0 ? `\nGROUP BY ${names.join(", ")}` : "";
  return `SELECT ${columns.join(",\n  ")}\nFROM ${source.from}\nWHERE ${where.join("\n  AND ")}${grouped}`;
}

/** A condition is 1 or 0, never null. */
function conditionText(condition: Condition, source: CallsSource, selection: CallSelection): string {
  const textOf = (one: Condition) => conditionText(one, source, selection);
  if ("any" in condition) return `(${condition.any.map(textOf).join(" OR ")})`;
  if ("all" in condition) return `(${condition.all.map(textOf).join(" AND ")})`;
  if ("outcomes" in condition) throw new Error("A cluster has no outcomes");
  const fact = factText(condition.fact, source, selection);
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

export function factText(
  fact: FactColumn,
  { account, fromLocal }: CallsSource,
  { rules, isGoneCounted }: Pick<CallSelection, "rules" | "isGoneCounted">,
): string {
  if (fact === "duration")
    return rules.duration_unit === "seconds" ? "toInt64(duration_seconds)" : DURATION_MS;
  if (fact !== "is_first_call" || !isGoneCounted) return SHOWN_AS[fact] ?? fact;
  // The caller's first among all calls. A caller's calls are on one server.
  return `(call_id IN (SELECT call_id FROM ${fromLocal}
  WHERE account = ${literal(account)} AND is_deleted = 0 AND isNotNull(caller)
  ORDER BY isNull(call_started_ms), call_started_ms, call_id LIMIT 1 BY caller))`;
}

/** The one name of a campaign; a call's own name if there is none. */
export function campaignText(names: CampaignNames): string {
  if (names.size === 0) return "campaign";
  const [ids, texts] = [[...names.keys()], [...names.values()]].map((list) => list.map(literal).join(", "));
  return `ifNull(nullIf(transform(ifNull(campaign_id, ''), [${ids}], [${texts}], ''), ''), campaign)`;
}

/** Whether a key is in a list, by a text that identifies it; a join would have to be made at each shard. */
export function isKeptText(keys: readonly string[], kept: readonly (readonly FactValue[])[]): string {
  const texts = keys.map((key) => {
    const text = `toString(${key})`;
    return `ifNull(concat(toString(length(${text})), ':', ${text}), '${NOTHING}')`;
  });
  const list = kept.map((values) =>
    values
      .map((value) => (value === null ? NOTHING : `${Buffer.byteLength(String(value))}:${value}`))
      .join(""),
  );
  // In 18.16, concat needs two arguments.
  return `(concat('', ${texts.join(", ")}) IN (${(list.length > 0 ? list : [""]).map(literal).join(", ")}))`;
}

const CONDITIONS: Record<Exclude<CountPart, "calls" | "first_calls">, string> = {
  answered_calls: "outcome = 'answered'",
  missed_calls: "outcome = 'missed'",
  other_calls: "outcome = 'other'",
  qualified_calls: "qualified = 1",
};

export function partText(part: Part, source: CallsSource, selection: CallSelection): string {
  const duration = factText("duration", source, selection);
  switch (part) {
    case "calls":
      return "count()";
    case "first_calls":
      return `countIf(${factText("is_first_call", source, selection)} = 1)`;
    case "callers":
      return "ifNull(uniqExact(caller), 0)";
    case "duration_sum":
      return `sum(${duration})`;
    case "duration_count":
      return "count(duration_seconds)";
    // Of an even number it takes the lower middle value; of negated values, that is the upper one.
    case "duration_median": {
      const [lower, upper] = [duration, `-${duration}`].map(
        (text) => `quantileExactWeighted(0.5)(${text}, 1)`,
      );
      return `(${lower} - ${upper}) / 2`;
    }
    case "earliest_start":
      return "min(call_started_ms)";
    case "latest_start":
      return "max(call_started_ms)";
    default:
      return `countIf(${CONDITIONS[part]})`;
  }
}

const DAY_MS = 86_400_000;
/** Added to times, so that all are positive. */
const SHIFT_MS = 5_000_000 * DAY_MS;

/** The slot of a call's start: 0 without one. @param ms length of a slot, by which a day can be divided */
export function slotText(ms: number): string {
  return `toUInt64(ifNull(intDiv(call_started_ms + ${SHIFT_MS}, ${ms}), 0))`;
}

/** Returns when a slot begins; NaN without a start. */
export function slotStart(slot: number, ms: number): number {
  return slot === 0 ? Number.NaN : slot * ms - SHIFT_MS;
}

/** Returns the largest length of slots that begin at all of these moments, or are as long as these times. */
export function slotLength(times: readonly number[]): number {
  const divisor = (a: number, b: number): number => (b === 0 ? Math.abs(a) : divisor(b, a % b));
  return times.reduce(divisor, DAY_MS);
}
