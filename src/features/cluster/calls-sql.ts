import type { Span } from "../../base/calendar/dates.ts";
import type { FactColumn } from "../../calls/facts.ts";
import type { CampaignNames } from "../../figures/campaign-names.ts";
import type { FactValue } from "../../figures/dictionary.ts";
import type { Part } from "../../figures/parts.ts";
import { type ConditionDialect, conditionText } from "../../sources/condition-sql.ts";
import type { CallSelection } from "../../sources/engine.ts";
import { countText } from "../../sources/figure-sql.ts";
import { DURATION_MS, SHOWN_AS } from "./account-tables.ts";
import { literal } from "./clickhouse-text.ts";

// All functions exist in 18.16.

/** The calls of an account. */
export interface CallsSource {
  account: string;
  /** The table with the calls of all servers, with FINAL if there may be replaced rows. */
  from: string;
  /** The table at each server, with FINAL. */
  fromLocal: string;
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
  const columns = [...keys.map((text, index) => `${text} AS ${names[index]}`), ...figures];
  const dialect: ConditionDialect = {
    fact: (name) => factText(name, source, selection),
    lookup: (fact, values) => {
      const list = values.map((value) => (typeof value === "number" ? String(value) : literal(value)));
      return [factText(fact, source, selection), `(${list.join(", ")})`];
    },
    hasOutcome: () => {
      throw new Error("A cluster has no outcomes");
    },
  };
  const where = [
    `account = ${literal(source.account)}`,
    "is_deleted = 0",
    ...selection.conditions.map((condition) => conditionText(condition, dialect)),
    ...(startsAt === undefined ? [] : [`call_started_ms >= ${Date.parse(startsAt)}`]),
    ...(endsAt === undefined ? [] : [`call_started_ms < ${Date.parse(endsAt)}`]),
  ];
  const grouped = names.length > 0 ? `\nGROUP BY ${names.join(", ")}` : "";
  return `SELECT ${columns.join(",\n  ")}\nFROM ${source.from}\nWHERE ${where.join("\n  AND ")}${grouped}`;
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

/** Identifies some keys by one text; a join with a list of keys would have to be made at each shard. */
export function identityText(keys: readonly string[]): string {
  // In 18.16, concat needs two arguments.
  return `concat('', ${keys.map((key) => `ifNull(hex(toString(${key})), '~')`).join(", ',', ")})`;
}

/** Returns what {@link identityText} is for these values. */
export function identityOf(values: readonly FactValue[]): string {
  return values
    .map((value) => (value === null ? "~" : Buffer.from(String(value)).toString("hex").toUpperCase()))
    .join();
}

export function partText(part: Part, source: CallsSource, selection: CallSelection): string {
  const fact = (name: FactColumn) => factText(name, source, selection);
  const duration = fact("duration");
  switch (part) {
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
      return countText(part, { fact });
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
