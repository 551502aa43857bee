/** What stands for no value, beside nothing at all: what scripts and unexpanded macros leave in a link. */
const MISSING_WORDS: ReadonlySet<string> = new Set(["null", "undefined", "(not set)"]);
const LONGEST_MISSING_WORD = Math.max(...[...MISSING_WORDS].map(({ length }) => length));

/** Returns a text without white space around it, null where nothing is left. */
export function trimText(text: string | null): string | null {
  // Stored text has U+FFFD in the place of half a surrogate pair: what is derived before and after must not differ.
  return text?.toWellFormed().trim() || null;
}

/** Returns a text without white space around it, null for what counts as no value: see {@link foldUtm}. */
export function presentText(text: string | null): string | null {
  const trimmed = trimText(text);
  return trimmed === null || isMissing(trimmed) ? null : trimmed;
}

/**
 * Returns the key under which a utm value is counted: trimmed, inner white space folded to one space, lower-cased; empty
 * for what counts as no value: nothing, `null`, `undefined`, `(not set)`, and a macro such as `{keyword}` or
 * `{{campaign.name}}`.
 */
export function foldUtm(value: string): string {
  const folded = (trimText(value) ?? "").replace(/\s+/g, " ").toLowerCase();
  return isMissing(folded) ? "" : folded;
}

function isMissing(trimmed: string): boolean {
  if (trimmed.startsWith("{") && trimmed.endsWith("}") && trimmed.length > 1) return true;
  return trimmed.length <= LONGEST_MISSING_WORD && MISSING_WORDS.has(trimmed.toLowerCase());
}

/** Takes off what people write between the digits of a phone number. */
export function toPhoneDigits(text: string): string {
  return text.toWellFormed().replace(/[\s().-]/g, "");
}

/** Returns the form in which dispositions are compared: without case, `-` and `_` as spaces. */
export function toComparableDisposition(disposition: string): string {
  const spaced = disposition.toWellFormed().replace(/[-_]/g, " ").trim();
  // By way of upper case, ß and SS are the same.
  return spaced.toUpperCase().toLowerCase();
}
