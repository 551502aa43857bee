import type { Dictionary, FactValue } from "./dictionary.ts";
import { type KeyColumn, WEEKDAYS } from "./dimensions.ts";
import { NOT_SET, toShown } from "./reserved-keys.ts";

/** Returns a key's value as it is shown. */
export function showKey({ of, isNamed }: Pick<KeyColumn, "of" | "isNamed">, value: FactValue): FactValue {
  if (!isNamed) return value;
  if (value === null) return NOT_SET;
  return "local" in of ? value : toShown(String(value));
}

/** Orders values as SQLite does: null, numbers, texts by their bytes in UTF-8. */
export function compareValues(a: FactValue, b: FactValue): number {
  if (typeof a === "string" && typeof b === "string") return compareTexts(a, b);
  if (typeof a === "number" && typeof b === "number") return a - b;
  return kindOf(a) - kindOf(b);
}

const kindOf = (value: FactValue) => (value === null ? 0 : typeof value === "number" ? 1 : 2);

function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [own, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (own !== other) return byteOrder(own) - byteOrder(other);
  }
  return a.length - b.length;
}

/** Surrogates are of characters after all that have a single unit. */
function byteOrder(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Orders values of a key as they are shown: weekdays as in a calendar, and unknown times last. */
export function compareKeys({ of }: Pick<KeyColumn, "of">, a: FactValue, b: FactValue): number {
  if (!("local" in of)) return compareValues(a, b);
  const place = (value: FactValue) => {
    if (value === NOT_SET) return Number.POSITIVE_INFINITY;
    return "local" in of && of.local === "hour" ? Number(value) : WEEKDAYS.indexOf(String(value));
  };
  return a === b ? 0 : place(a) - place(b);
}

/** Returns the place of each of a dictionary's values in an order of their texts. */
export function rankShown(
  { values }: Dictionary,
  show: (value: FactValue) => FactValue,
  compare?: (a: FactValue, b: FactValue) => number,
): Int32Array {
  const shown = values.map(show);
  const order = compare ?? fastOrder(shown);
  const sorted = new Int32Array(shown.length)
    .map((_, index) => index)
    .sort((a, b) => order(shown[a] ?? null, shown[b] ?? null));
  const ranks = new Int32Array(shown.length);
  for (let rank = 0; rank < ranks.length; rank++) ranks[sorted[rank] ?? 0] = rank;
  return ranks;
}

const HAS_SURROGATES = /[\ud800-\udfff]/;

/** Texts without surrogates are in one order by units and by bytes; the built-in order takes a fourth of the time. */
function fastOrder(shown: readonly FactValue[]): (a: FactValue, b: FactValue) => number {
  if (shown.some((value) => typeof value === "string" && HAS_SURROGATES.test(value))) return compareValues;
  return (a, b) => {
    if (typeof a !== "string" || typeof b !== "string") return compareValues(a, b);
    if (a < b) return -1;
    return a === b ? 0 : 1;
  };
}

export function rankKeys(key: KeyColumn, dictionary: Dictionary): Int32Array {
  const compare = "local" in key.of ? compareKeys.bind(undefined, key) : undefined;
  return rankShown(dictionary, (value) => showKey(key, value), compare);
}
