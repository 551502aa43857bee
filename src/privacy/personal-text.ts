/** What a text looks like that has no place in a share-safe file. */
export type PersonalKind = "a phone number" | "a mail address";

/** Digits of a phone number: E.164 has 15 at most, and without a country's code and an area's there are seven or more. */
const LEAST_DIGITS = 7;
const MOST_DIGITS = 15;
/** Digits that may stand beside dates and years, such as those of a quarter or a week. */
const MOST_BESIDE_DATES = 2;

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const OTHER_DIGIT = /(?!\d)\p{Nd}/gu;
/** Bytes of UTF-8 as a URL has them. */
const ESCAPED = /(?:%[0-9a-f]{2})+/gi;

const MAIL = /[\p{L}\p{N}]["'>)\]]?\s*@\s*[\p{L}\p{N}](?:[\p{L}\p{N}-]*[.。]\s*)+\p{L}{2}/u;

/** What may stand between two digits of a number, three of them at most; `%`, `&`, `=`, `×` and letters part numbers. */
const BETWEEN = "(?:(?![%&=@?])[\\s\\p{P}+~|`^·$<>]){0,3}";
const NUMBER = new RegExp(`\\d(?:${BETWEEN}\\d){${LEAST_DIGITS - 1},}`, "gu");

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
/** Thousands with their signs: `$1,000,000`. */
const AMOUNT = /\p{Sc}\s?\d{1,3}(?:([,.'])\d{3})(?:\1\d{3})*(?!\d)/gu;

/**
 * Returns what a text looks like, as it is or as a URL has it, in the digits of any script. Seven digits or more are a phone
 * number, with any separators; dates, amounts of money and a run of 16 or more, which is an id, are none.
 */
export function personalKind(text: string): PersonalKind | undefined {
  const plain = text
    .replace(ESCAPED, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString())
    .normalize("NFKC")
    .replace(INVISIBLE, "")
    .replace(OTHER_DIGIT, "9");
  if (MAIL.test(plain)) return "a mail address";
  const numbers = plain.replace(AMOUNT, " = ").match(NUMBER) ?? [];
  return numbers.some(isPhoneNumber) ? "a phone number" : undefined;
}

function isPhoneNumber(number: string): boolean {
  const besides = number.replace(DATE, "");
  if (besides !== number && countDigits(besides) <= MOST_BESIDE_DATES) return false;
  return !(/^\d+$/.test(number) && number.length > MOST_DIGITS);
}

function countDigits(text: string): number {
  return text.replace(/\D/g, "").length;
}
