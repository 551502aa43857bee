import { toAsciiDigits } from "../phone-numbers.ts";

/** Country codes of one and two digits (ITU-T E.164); all others have three. */
const COUNTRY_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\d{3})/;

/** The shortest and the longest number searched for in a text. */
const [MIN_DIGITS, MAX_DIGITS] = [7, 15];
/** Zeros that may precede the number, or occur in its middle. */
const MAX_ZEROS = 3;
/** Runs of digits in any script. Digits of escaped characters in URLs, JSON and HTML do not count. */
const DIGITS = /%(?:25)*[\da-f]{2}|\\u[\da-f]{4}|&#\w+;|\p{Nd}+/giu;
const DIGIT = /\p{Nd}/gu;
const OTHER_DIGIT = /(?!\d)\p{Nd}/u;
const ESCAPED = /%(?:25)*[\da-f]{2}|\\+(?:u[\da-f]{4}|[nrt])|&#?\w+;/gi;
/**
 * What may separate two groups of digits of one number, including invisible and full-width characters. A comma
 * separates groups of a spoken number; without a blank after it, it separates columns of a CSV file.
 */
const GAP = /^(?:[\s.…·•()/+_‐-―−（）．／＋－\p{Default_Ignorable_Code_Point}-]|[,;:](?=\s)){0,5}$/u;
/** A plus sign, possibly escaped or before a parenthesis. */
const PLUS = /(?:\+|%2B)\s?\(?$/i;
const LONGEST_PLUS = "%2B (".length;
const DATE = /^(?:19|20)\d\d-[01]\d-[0-3]\d$/;

interface Mention {
  start: number;
  end: number;
  /** The numbers it may be: international, with `+`, or national, without. */
  numbers: string[];
}

/** Returns the digits without the country code and trunk zero; null for a number of unusual length. */
export function toNational(number: string): string | null {
  const digits = /^\+[1-9]\d+$/.test(number) ? number.slice(1) : "";
  const national = digits.replace(COUNTRY_CODE, "");
  return national.length >= MIN_DIGITS ? national : null;
}

/**
 * Replaces digits by nines; JSON remains JSON.
 * @param isMeant receives a number in international form, with `+`, or national, without
 */
export function maskNumbers(text: string, isMeant: (number: string) => boolean): string {
  let masked = "";
  let done = 0;
  for (const { start, end, numbers } of mentionsOf(text)) {
    if (start < done || !numbers.some(isMeant)) continue;
    masked += text.slice(done, start) + text.slice(start, end).replace(DIGITS, toNines);
    done = end;
  }
  return done === 0 ? text : masked + text.slice(done);
}

function toNines(digits: string): string {
  return isEscaped(digits) ? digits : digits.replace(DIGIT, "9");
}

const isEscaped = (digits: string) => /^[%\\&]/.test(digits);

/** Yields everything that may be a number; from one start, the longest first. */
function* mentionsOf(text: string): Generator<Mention> {
  const groups = [...text.matchAll(DIGITS)].filter(([group]) => !isEscaped(group));
  for (const [first, { index: start }] of groups.entries()) {
    const mentions: Mention[] = [];
    let digits = "";
    let end = start;
    for (const { 0: group, index } of groups.slice(first, first + MAX_DIGITS + MAX_ZEROS)) {
      const gap = text.slice(end, index).replace(ESCAPED, "");
      if (!GAP.test(gap)) break;
      digits += OTHER_DIGIT.test(group) ? toAsciiDigits(group) : group;
      end = index + group.length;
      if (digits.length > MAX_DIGITS + MAX_ZEROS) break;
      if (digits.length < MIN_DIGITS || DATE.test(text.slice(start, end))) continue;
      const before = text.slice(Math.max(0, start - LONGEST_PLUS), start);
      mentions.push({ start, end, numbers: readingsOf(digits, PLUS.test(before)) });
    }
    yield* mentions.reverse();
  }
}

function readingsOf(digits: string, hasPlus: boolean): string[] {
  const bare = digits.replace(/^0+/, "");
  const [code = ""] = COUNTRY_CODE.exec(bare) ?? [];
  const rest = bare.slice(code.length);
  // +49 (0)30 …
  const international = [`+${bare}`, ...(rest.startsWith("0") ? [`+${code}${rest.slice(1)}`] : [])];
  return hasPlus ? international : [...international, bare];
}
