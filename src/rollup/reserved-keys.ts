import { toCaseless } from "../attribution/call-text.ts";

/** The key of the row for calls that have no value. */
export const NOT_SET = "(not set)";

export const TOTAL = "(total)";

/** The key of the row for calls of all keys that have no row. */
export const OTHER = "(other)";

/** The hidden column of a rollup with such rows: 1 for these, 0 for others. */
export const IS_OTHER = "is_other";

/** A served text that reads like one of these, with quotes or without, is shown in one more pair of quotes: no two are shown alike. */
export const OWN_WORDS = [NOT_SET, TOTAL, OTHER] as const;

const READS_LIKE_OURS = /^"*\((?:not set|total|other)\)"*$/i;

/** Whether a text in a filter is meant as a value, and not as `(not set)`. */
export function isValue(text: string): boolean {
  return toCaseless(text) !== NOT_SET;
}

/** Returns a served text as it is shown. */
export function toShown(served: string): string {
  return READS_LIKE_OURS.test(served) ? `"${served}"` : served;
}

/** Returns the served text that is shown as this one; a text that is no key of ours in quotes is itself. */
export function toServed(shown: string): string {
  const isQuoted = /^".*"$/.test(shown) && READS_LIKE_OURS.test(shown);
  return isQuoted ? shown.slice(1, -1) : shown;
}
