import { attempt } from "../../base/errors.ts";
import { isRoundedNumber, isWithheld, toPhoneNumber } from "../phone-numbers.ts";

/**
 * Texts that scripts leave in a link, and that Google Analytics shows in place of a value. Some tools write such
 * reports back into links.
 */
export const MISSING_WORDS = [
  "null",
  "undefined",
  "(not set)",
  "(none)",
  "(direct)",
  "(organic)",
  "(referral)",
  "(not provided)",
] as const;
const MISSING: ReadonlySet<string> = new Set(MISSING_WORDS);

/**
 * A macro that was not filled in: `{keyword}`, `{{campaign.name}}`, `*|CAMPAIGN_UID|*`, `%%campaign%%`,
 * `__CAMPAIGN_NAME__`. In names such as `us__brand__new`, underscores only separate.
 */
const MACRO =
  /\{\{|\{[^{}]*\}|\*\|.*\|\*|%%.+%%|(?<![\p{L}\p{N}])__[a-z\d]+(?:_[a-z\d]+)*__(?![\p{L}\p{N}])/iu;
/** In all of these, and in few other texts. */
const MAY_BE_MISSING = /[{(|%]|__|null|undefined/i;

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

/** Returns a client id of Google Analytics: `123.456` also of the cookie `GA1.2.123.456`, which has it at its end. */
export function toClientId(text: string | null): string | null {
  return presentId(text)?.replace(/^GA\d+\.[\d-]+\./i, "") ?? null;
}

/** Returns trimmed text in Unicode's composed form; null for text that counts as no value. */
export function presentText(text: string | null): string | null {
  const present = presentId(text);
  return present === null ? null : compose(present);
}

/**
 * Trims a utm value, folds inner white space to one space, lower-cases it, and composes it (NFC). Empty for text that
 * counts as no value: nothing, words such as `null` and `(not set)`, and text with a macro such as `{keyword}`.
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

/** Whether it is no value, also percent-encoded. A part that was not filled in makes the whole text useless. */
function isMissing(trimmed: string): boolean {
  if (!MAY_BE_MISSING.test(trimmed)) return false;
  const decoded = decode(decode(trimmed));
  return MACRO.test(decoded) || MISSING.has(foldSpace(decoded.replaceAll("+", " ")).toLowerCase());
}

/** Decodes what can be decoded: links are encoded twice by some mailers. */
function decode(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (bytes) => attempt(() => decodeURIComponent(bytes)) ?? bytes);
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

/** Returns how the facts would name the caller of a text, were it served: `+` and digits; empty without letters and digits. */
export function toCallerKey(text: string): string {
  return toPhoneNumber(text)?.number ?? toPhoneDigits(text);
}

/**
 * Returns the caller that a text names: `+` and the digits of its one phone number; for other text with a digit, its
 * letters and digits. Null for hidden callers: text without a digit is not a number in any language (`anonymous`,
 * `Unbekannt`), and digits of a host do not count.
 */
export function toCaller(callerId: string | null): string | null {
  if (callerId === null) return null;
  return toPhoneNumber(callerId)?.number ?? toUnreadCaller(callerId);
}

/** Returns the letters and digits of a text that is not read as a number; null if it hides the caller. */
export function toUnreadCaller(callerId: string): string | null {
  const present = presentText(callerId) ?? "";
  const [user = ""] = present.split("@", 1);
  const caller = toPhoneDigits(present);
  const isHidden = caller === "" || isWithheld(caller) || isRoundedNumber(present);
  return /\p{Nd}/u.test(user) && !isHidden ? caller : null;
}
