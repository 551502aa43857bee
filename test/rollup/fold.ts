import type { Call } from "../../src/call.ts";

/** The rules of the README’s "The figures" that can be set. */
export interface FoldRules {
  answered: readonly string[];
  missed: readonly string[];
  qualified_seconds: number;
  duration_unit: "seconds" | "milliseconds";
}

type Key = readonly (string | number)[];

const NOT_SET = "(not set)";

const trimmed = (value: string | null): string | null => value?.trim() || null;
const folded = (value: string | null): string =>
  (value ?? "")
    .split(/\s+/)
    .filter((word) => word !== "")
    .join(" ")
    .toLowerCase();

function keyOf(call: Call, dimension: string, raw: boolean): Key {
  switch (dimension) {
    case "utm_source":
    case "utm_medium":
    case "utm_campaign":
    case "utm_content":
    case "utm_term":
      return [(raw ? call[dimension] : folded(call[dimension])) || NOT_SET];
    case "campaign":
      return [
        trimmed(call.campaign_name) ?? trimmed(call.utm_campaign) ?? NOT_SET,
        trimmed(call.campaign_id) ?? "",
      ];
    case "org_unit":
      return [trimmed(call.org_unit_name) ?? NOT_SET, call.org_unit_id ?? ""];
    case "gclid":
    case "insight_name":
    case "tracking_number":
    case "disposition":
      return [trimmed(call[dimension]) ?? NOT_SET];
    default:
      throw new Error(`The fold does not know the dimension ${dimension}`);
  }
}

/** Without case, `-` and `_` as spaces. */
const comparable = (disposition: string): string =>
  disposition.replaceAll("-", " ").replaceAll("_", " ").trim().toLowerCase();

function outcomeOf({ disposition }: Call, rules: FoldRules): "answered" | "missed" | "other" {
  const isOneOf = (names: readonly string[]) =>
    disposition !== null && names.map(comparable).includes(comparable(disposition));
  if (isOneOf(rules.answered)) return "answered";
  return isOneOf(rules.missed) ? "missed" : "other";
}

/** The ids of each caller's first call; a call of unknown time comes after those whose time is known. */
function firstCallIds(calls: readonly Call[]): Set<number> {
  const first = new Map<string, Call>();
  const isBefore = (a: Call, b: Call) => {
    if (a.call_started === b.call_started) return a.call_id < b.call_id;
    if (a.call_started === null || b.call_started === null) return b.call_started === null;
    return a.call_started < b.call_started;
  };
  for (const call of calls) {
    if (!call.caller_id) continue;
    const known = first.get(call.caller_id);
    if (known === undefined || isBefore(call, known)) first.set(call.caller_id, call);
  }
  return new Set([...first.values()].map(({ call_id }) => call_id));
}

const present = <T>(values: readonly (T | null)[]): T[] =>
  values.flatMap((value) => (value === null ? [] : [value]));
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function tally(calls: readonly Call[], firstIds: ReadonlySet<number>, rules: FoldRules) {
  const perSecond = rules.duration_unit === "seconds" ? 1 : 1000;
  const outcomes = calls.map((call) => outcomeOf(call, rules));
  const durations = present(calls.map(({ duration }) => duration));
  const seconds = sumOf(durations) / perSecond;
  const times = present(calls.map(({ call_started }) => call_started)).sort();
  const answered = calls.filter((_, index) => outcomes[index] === "answered");
  return [
    calls.length,
    answered.length,
    outcomes.filter((outcome) => outcome === "missed").length,
    outcomes.filter((outcome) => outcome === "other").length,
    Number((answered.length / calls.length).toFixed(4)),
    new Set(calls.flatMap(({ caller_id }) => caller_id || [])).size,
    calls.filter(({ call_id }) => firstIds.has(call_id)).length,
    answered.filter(({ duration }) => duration !== null && duration / perSecond >= rules.qualified_seconds)
      .length,
    seconds,
    durations.length === 0 ? null : Number((seconds / durations.length).toFixed(1)),
    times.at(0) ?? null,
    times.at(-1) ?? null,
  ];
}

/** By bytes of UTF-8; numbers before text. */
function compareKeys(a: Key, b: Key): number {
  for (const [index, left] of a.entries()) {
    const right = b[index] ?? "";
    if (typeof left === "number" && typeof right === "number") {
      if (left !== right) return left - right;
    } else if (typeof left !== typeof right) {
      return typeof left === "number" ? -1 : 1;
    } else {
      const order = Buffer.compare(Buffer.from(String(left)), Buffer.from(String(right)));
      if (order !== 0) return order;
    }
  }
  return 0;
}

/**
 * Tallies live calls by the README’s "The figures", in memory and without the SQL: the key columns and the metrics of each
 * row, most calls first, then by key.
 */
export function foldRollup(
  calls: readonly Call[],
  dimension: string,
  rules: FoldRules,
  { raw = false } = {},
): (string | number | null)[][] {
  const firstIds = firstCallIds(calls);
  const groups = Map.groupBy(calls, (call) => JSON.stringify(keyOf(call, dimension, raw)));
  return [...groups.values()]
    .flatMap((group) => (group[0] === undefined ? [] : [{ key: keyOf(group[0], dimension, raw), group }]))
    .sort((a, b) => b.group.length - a.group.length || compareKeys(a.key, b.key))
    .map(({ key, group }) => [...key, ...tally(group, firstIds, rules)]);
}
