/** What a text looks like that has no place in a share-safe file. */
export type PersonalKind = "a phone number" | "a mail address";

/** Digits of a phone number: E.164 has 15 at most, and without a country's code and an area's there are seven or more. */
const LEAST_DIGITS = 7;
const MOST_DIGITS = 15;
/** Digits that may stand beside dates and years, such as those of a quarter or a week. */
const MOST_BESIDE_DATES = 2;

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
const OTHER_DIGIT = /(?!\d)\p{Nd}/gu;
/** Bytes of UTF-8 as a URL has them, perhaps escaped several times. */
const ESCAPED = /(?:%(?:25)*[0-9a-f]{2})+/gi;
/** A character as HTML, JavaScript or JSON have it by its code. */
const BY_CODE =
  /&(?:amp;)*#(?:x([0-9a-f]{1,6})|(\d{1,7}));?|\\(?:u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|x([0-9a-f]{2}))/gi;
/** Signs of numbers and mail addresses that have names in HTML, and white space. */
const BY_NAME =
  /&(?:amp;)*(commat|period|plus|hyphen|dash|ndash|mdash|minus|lpar|rpar|sol|nbsp|ensp|emsp|thinsp|shy|zwnj|zwj);/gi;
const SIGN_IN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\s*[([{<]\s*at\s*[)\]}>]\s*/gi, "@"],
  [/\s*[([{<]\s*dot\s*[)\]}>]\s*/gi, "."],
];

const SIGNS: Readonly<Record<string, string>> = { commat: "@", period: ".", plus: "+" };

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
 * Returns what a text looks like, however it is spelled: with any separators, in the digits of any script, with characters that
 * nobody sees, or as a URL has it. Seven digits or more are a phone number but for dates and amounts of money, and but for a run of 16
 * or more without a separator, which is an id.
 */
export function personalKind(text: string): PersonalKind | undefined {
  const plain = toPlain(text);
  if (MAIL.test(plain)) return "a mail address";
  const numbers = plain.replace(AMOUNT, " = ").match(NUMBER) ?? [];
  return numbers.some(isPhoneNumber) ? "a phone number" : undefined;
}

function toPlain(text: string): string {
  const unescaped = text
    .replace(ESCAPED, (bytes) => Buffer.from(bytes.replace(/%(?:25)*/g, ""), "hex").toString())
    .replace(BY_CODE, (text, html, decimal, braced, script, byte) => {
      const hex = html ?? braced ?? script ?? byte;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10_ff_ff ? String.fromCodePoint(code) : text;
    })
    .replace(BY_NAME, (_, name: string) => SIGNS[name.toLowerCase()] ?? "-");
  const folded = unescaped.normalize("NFKC").replace(INVISIBLE, "").replace(OTHER_DIGIT, "9");
  return SIGN_IN_WORDS.reduce((plain, [words, sign]) => plain.replace(words, sign), folded);
}

function isPhoneNumber(number: string): boolean {
  const besides = number.replace(DATE, "");
  if (besides !== number && countDigits(besides) <= MOST_BESIDE_DATES) return false;
  return !(/^\d+$/.test(number) && number.length > MOST_DIGITS);
}

function countDigits(text: string): number {
  return text.replace(/\D/g, "").length;
}
