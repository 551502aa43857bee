/** Texts that scripts and unexpanded macros leave in a link, and that count as no value. */
const MISSING_WORDS: ReadonlySet<string> = new Set(["null", "undefined", "(not set)"]);
const LONGEST_MISSING_WORD = Math.max(...[...MISSING_WORDS].map(({ length }) => length));

/** Unicode's white space, which includes the next line (U+0085), and JavaScript's (U+FEFF). */
const WHITE_SPACE = /[\s\u0085]+/g;
const NEITHER_LETTER_NOR_DIGIT = /[^\p{L}\p{N}]+/gu;
const ONLY_DIGITS = /^\d+$/;

/** Returns null if nothing but white space is left. */
export function trimText(text: string | null): string | null {
  // Stored text has U+FFFD in place of half a surrogate pair; facts must be the same before and after storing.
  return text?.toWellFormed().trim() || null;
}

/** Returns an identifier without surrounding white space; null for text that counts as no value, see {@link foldUtm}. */
export function presentId(text: string | null): string | null {
  const trimmed = trimText(text);
  return trimmed === null || isMissing(trimmed) ? null : trimmed;
}

/** Returns trimmed text in Unicode's composed form; null for text that counts as no value. */
export function presentText(text: string | null): string | null {
  const present = presentId(text);
  return present === null ? null : compose(present);
}

/**
 * Trims a utm value, folds inner white space to one space, lower-cases it, and composes it (NFC). Empty for text that
 * counts as no value: nothing, `null`, `undefined`, `(not set)`, and a macro such as `{keyword}` or
 * `{{campaign.name}}`.
 */
export function foldUtm(value: string): string {
  const folded = compose(compose(foldSpace(value)).toLowerCase());
  return isMissing(folded) ? "" : folded;
}

/** Returns the form for comparison without case. By way of upper case, ß, ẞ and SS are the same. */
export function toCaseless(text: string): string {
  return compose(compose(foldSpace(text)).toLowerCase().toUpperCase().toLowerCase());
}

/**
 * Returns the form in which dispositions are compared: without case, with `-` and `_` as spaces unless nothing else
 * is left.
 */
export function toComparableDisposition(disposition: string): string {
  return toCaseless(disposition.replace(/[-_]/g, " ")) || toCaseless(disposition);
}

/** An é may be one character or two that look the same. */
function compose(text: string): string {
  return text.normalize("NFC");
}

function foldSpace(text: string): string {
  return text.toWellFormed().replace(WHITE_SPACE, " ").trim();
}

function isMissing(trimmed: string): boolean {
  if (trimmed.startsWith("{") && trimmed.endsWith("}")) return true;
  const isShort = trimmed.length <= LONGEST_MISSING_WORD || trimmed.startsWith("(");
  return isShort && MISSING_WORDS.has(foldSpace(trimmed).toLowerCase());
}

/**
 * Returns `+` and the digits of a phone number, whether it begins with `+`, `00` or neither: the service gives
 * international numbers. For text with letters: its letters and digits; empty if it has neither.
 */
export function toPhoneDigits(text: string): string {
  const bare = text.normalize("NFKC").toWellFormed().replace(NEITHER_LETTER_NOR_DIGIT, "");
  if (!ONLY_DIGITS.test(bare)) return bare.toLowerCase();
  const digits = bare.replace(/^(?:00)+/, "");
  return digits && `+${digits}`;
}

/** Returns a phone number as {@link toPhoneDigits} does, and other text as {@link presentText} does. */
export function presentNumber(text: string | null): string | null {
  const present = presentText(text);
  const digits = toPhoneDigits(present ?? "");
  return digits.startsWith("+") ? digits : present;
}

export function toCaller(callerId: string | null): string | null {
  return toPhoneDigits(presentText(callerId) ?? "") || null;
}
