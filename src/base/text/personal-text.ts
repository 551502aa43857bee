/** What a text that does not belong in a share-safe file looks like. */
export type PersonalKind = "a phone number" | "a mail address";

/** E.164 allows at most 15 digits; without country and area codes there are seven or more. */
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
/** Digits that may occur next to dates and years, such as those of a quarter or week. */
const MAX_NEXT_TO_DATES = 2;

/** What cannot be seen, such as marks of direction and tags; also the frame of keycap digits. */
export const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]|\u20e3/gu;
const OTHER_DIGIT = /(?!\d)\p{Nd}/gu;
/** UTF-8 bytes as a URL escapes them; code points as HTML, JSON and JavaScript do; and characters that HTML names. */
const ESCAPED =
  /(?<bytes>(?:%[0-9a-f]{2})+)|&#(?<decimal>\d{1,7});?|(?:&#x|\\u\{)(?<hex>[0-9a-f]{1,6})[;}]?|\\(?:u(?<four>[0-9a-f]{4})|x(?<two>[0-9a-f]{2}))|&(?<name>[a-z]{2,20});/gi;
const NAMED = new Map([
  ["amp", "&"],
  ["commat", "@"],
  ["percnt", "%"],
  ["period", "."],
]);
const MAX_CODE_POINT = 0x10_ffff;
/** Texts are escaped several times, if at all, by programs that escape what was escaped. */
const MAX_ESCAPES = 5;

const MAIL = /[^\s@]\s*@\s*[\p{L}\p{N}](?:[\p{L}\p{N}-]*[.。]\s*)+\p{L}{2}/u;

/** Only letters separate numbers. */
const NUMBER = new RegExp(`\\d(?:[^\\p{L}\\p{N}]*\\d){${MIN_DIGITS - 1},}`, "gu");
/** Sizes such as 1200×628 have fewer digits. */
const MIN_DIGITS_WITH_TIMES = 10;

const YEAR = "(?:19|20)\\d\\d";
const MONTH = "(?:0[1-9]|1[0-2])";
const DAY = "(?:0[1-9]|[12]\\d|3[01])";
const DATE = new RegExp(
  `(?<!\\d)(?:${[
    `${YEAR}([-./_]?)${MONTH}\\1${DAY}`,
    `${DAY}([-./])${MONTH}\\2${YEAR}`,
    `${MONTH}([-./])${DAY}\\3${YEAR}`,
    `${YEAR}[-./_]?${MONTH}`,
    YEAR,
  ].join("|")})(?!\\d)`,
  "g",
);
/** Amounts with thousands separators: `$1,000,000`. */
const AMOUNT = /\p{Sc}\s?\d{1,3}(?:([,.'])\d{3})(?:\1\d{3})*(?!\d)/gu;

/**
 * Classifies a text, as it is and as URLs, HTML and JSON escape it, in the digits of any script. Seven digits or more are a phone
 * number, with any separators; dates, amounts of money and runs of 16 or more digits, which are ids, are not.
 */
export function personalKind(text: string): PersonalKind | undefined {
  const plain = unescaped(text)
    .normalize("NFKC")
    .replace(INVISIBLE, "")
    .replace(OTHER_DIGIT, "9")
    .replace(/\s+/g, " ");
  if (MAIL.test(plain)) return "a mail address";
  const numbers = plain.replace(AMOUNT, " x ").match(NUMBER) ?? [];
  return numbers.some(isPhoneNumber) ? "a phone number" : undefined;
}

function unescaped(text: string): string {
  let plain = text;
  for (let times = 0; times < MAX_ESCAPES; times++) {
    const before = plain;
    plain = before.replace(ESCAPED, (...matched) => {
      const { bytes, decimal, hex, four, two, name }: Record<string, string | undefined> = matched.at(-1);
      if (bytes !== undefined) return Buffer.from(bytes.replaceAll("%", ""), "hex").toString();
      if (name !== undefined) return NAMED.get(name.toLowerCase()) ?? " ";
      const code = decimal === undefined ? Number.parseInt(hex ?? four ?? two ?? "", 16) : Number(decimal);
      return code <= MAX_CODE_POINT ? String.fromCodePoint(code) : " ";
    });
    if (plain === before) break;
  }
  return plain;
}

function isPhoneNumber(number: string): boolean {
  if (number.includes("×") && number.replace(/\D/g, "").length < MIN_DIGITS_WITH_TIMES) return false;
  const besides = number.replace(DATE, "");
  if (besides !== number && besides.replace(/\D/g, "").length <= MAX_NEXT_TO_DATES) return false;
  return !(/^\d+$/.test(number) && number.length > MAX_DIGITS);
}
