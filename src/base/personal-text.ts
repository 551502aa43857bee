/** What a text that does not belong in a share-safe file looks like. */
export type PersonalKind = "a phone number" | "a mail address";

/** E.164 allows at most 15 digits; without country and area codes there are seven or more. */
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
/** Digits that may occur next to dates and years, such as those of a quarter or week. */
const MAX_NEXT_TO_DATES = 2;

/** Also the frame of keycap digits. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\u20e3/gu;
const OTHER_DIGIT = /(?!\d)\p{Nd}/gu;
/** UTF-8 bytes as a URL escapes them, once or several times. */
const ESCAPED = /(?:%(?:25)*[0-9a-f]{2})+/gi;

const MAIL = /[\p{L}\p{N}_.+-]["'”’>)\]]?\s*@\s*[\p{L}\p{N}](?:[\p{L}\p{N}-]*[.。]\s*)+\p{L}{2}/u;

/** Up to three characters between two digits of a number. `%`, `&`, `=`, `×` and letters separate numbers. */
const BETWEEN = "(?:(?![%&=@?])[\\s\\p{P}+~|`^·$<>]){0,3}";
const NUMBER = new RegExp(`\\d(?:${BETWEEN}\\d){${MIN_DIGITS - 1},}`, "gu");

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
 * Classifies a text, as it is and as a URL escapes it, in the digits of any script. Seven digits or more are a phone
 * number, with any separators; dates, amounts of money and runs of 16 or more digits, which are ids, are not.
 */
export function personalKind(text: string): PersonalKind | undefined {
  const plain = text
    .replace(ESCAPED, (bytes) => Buffer.from(bytes.replace(/%(25)*/gi, ""), "hex").toString())
    .normalize("NFKC")
    .replace(INVISIBLE, "")
    .replace(OTHER_DIGIT, "9")
    .replace(/\s+/g, " ");
  if (MAIL.test(plain)) return "a mail address";
  const numbers = plain.replace(AMOUNT, " = ").match(NUMBER) ?? [];
  return numbers.some(isPhoneNumber) ? "a phone number" : undefined;
}

function isPhoneNumber(number: string): boolean {
  const besides = number.replace(DATE, "");
  if (besides !== number && besides.replace(/\D/g, "").length <= MAX_NEXT_TO_DATES) return false;
  return !(/^\d+$/.test(number) && number.length > MAX_DIGITS);
}
