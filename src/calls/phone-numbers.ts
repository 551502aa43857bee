import { attempt } from "../base/errors.ts";
import { PHONE_NUMBER } from "../base/text/e164.ts";

/** A number that a text names. */
export interface PhoneNumber {
  /** `+` and the digits. */
  number: string;
  /**
   * What it begins with; without either, its country code may be missing. `00` is no proof of one: some countries dial
   * other digits before a country code, or a carrier after `00`.
   */
  prefix: "+" | "00" | "";
}

/** As the service writes nearly all. */
const PLAIN = /^\+[1-9]\d{6,14}$/;
/** As people write most. */
const SIMPLE = /^(?!.*\(0\))\+?[\d ()-]+(?:\.\d{3,}[\d ().-]*)?$/;
/** Fewer digits next to a number are an extension, or count something. */
const [MIN_DIGITS, MAX_DIGITS] = [7, 15];
/** Longer text is none of a few numbers with their labels. */
const MAX_LENGTH = 500;

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu;
/** tel:+1512…;ext=12 */
const DIALED = /(?:tel|callto|sms(?:to)?):([^;?@>\s]*)\S*/gi;
/** sip:+1512…@10.0.0.1:5060;user=phone, where host and parameters have digits, too. */
const ADDRESS = /(?:sips?:([^;?@>\s]*)|@)\S+/gi;
/** 5.12555E+09, where a spreadsheet has rounded the number. */
const ROUNDED = /^[^\p{L}\d]*\d(?:[.,]\d+)?e\+?\d+[^\p{L}\d]*$/iu;
/** Digits that are not shown: +1 512 555 XXXX. */
const MASKED = /[x*•]{2,}/i;
/** Digests and pseudonyms. */
const HEXADECIMAL = /(?=\d*[a-f])[\da-f]{16,}/gi;
/** 5125550118.0, where a spreadsheet has made a fraction. */
const FRACTION = /(\d{7})\.0{1,2}(?!\d)/g;
/** 15,125,550,118 */
const THOUSANDS = /(?<![\d,])\d{1,3}(?:,\d{3}){2,}(?![\d,])/g;
/** +49 (0)30: the zero is dialed only without the country code. */
const TRUNK_ZERO = /(\+[\s(]*\d{1,3}[\s).-]*)\(0\)/g;
/** Digits and what separates groups of them; anything else separates numbers, labels and extensions. */
const RUN = /[\d+()[\]/.'’_·•…\p{Zs}\p{Pd}−\t]+/gu;
/** What may separate numbers as well as groups. */
const SEPARATORS = [/\s[/\p{Pd}]\s/u, /\//, /(?=\()/];
/** Letters on keys, after an area code: 1-800-FLOWERS. */
const VANITY = /^\W*(1[\s.-]*)?\(?([2-9]\d{2})\)?[\s.-]*(\d{0,3}[\s.-]?[a-z][a-z\s.-]{2,}[a-z])\W*$/i;
/** An area code and a number of North America, whose country code is 1. */
const NORTH_AMERICAN = /^[2-9]\d{2}[2-9]\d{6}/;

/**
 * Returns the phone numbers that a text names, each once, in order. Labels and extensions are left out, in whatever
 * language; none for text without a number, and for a number that is rounded, incomplete or withheld.
 */
export function readPhoneNumbers(text: string): PhoneNumber[] {
  if (PLAIN.test(text)) return isWithheld(text) ? [] : [{ number: text, prefix: "+" }];
  if (text.length > MAX_LENGTH) return [];
  if (SIMPLE.test(text)) {
    const digits = digitsOf(text);
    const isOne = digits.length >= MIN_DIGITS && digits.length <= (digits.startsWith("1") ? 11 : 13);
    if (isOne) return [toNumber(text)].filter(({ number }) => !isWithheld(number));
  }
  const plain = toPlain(text);
  if (ROUNDED.test(plain) || MASKED.test(plain)) return [];
  const vanity = readVanity(plain);
  if (vanity !== undefined) return [vanity];
  const runs = plain.match(RUN)?.flatMap((run) => run.split(/(?=\+)/).flatMap(splitRun)) ?? [];
  const numbers = runs.filter(isWhole).map(toNumber);
  // Service numbers are short.
  const all = numbers.length > 0 || /\p{L}/u.test(plain) ? numbers : [toNumber(plain)];
  return toDistinct(all.filter(({ number }) => number.length - 1 <= MAX_DIGITS && !isWithheld(number)));
}

/** Returns the one phone number that a text names; undefined if it names none, or several. */
export function toPhoneNumber(text: string): PhoneNumber | undefined {
  const [number, other] = readPhoneNumbers(text);
  return other === undefined ? number : undefined;
}

/** Returns what a number may be, in international form, if numbers without a country code may be of this one. */
export function readingsOf({ number, prefix }: PhoneNumber, countryCode: string | undefined): string[] {
  if (prefix !== "" || countryCode === undefined) return [number];
  const digits = number.slice(1);
  const more = toNationals(digits, countryCode).map((national) => `+${countryCode}${national}`);
  const abroad = countryCode === "1" && digits.startsWith("011") ? [`+${digits.slice(3)}`] : [];
  return [...new Set([number, ...more, ...abroad])];
}

/**
 * Returns a number with its country code.
 * @param countryCode of numbers without one @default all have one
 * @returns undefined for no number of that country, and if it may have the code already
 */
export function toInternational(phone: PhoneNumber, countryCode: string | undefined): string | undefined {
  const readings = readingsOf(phone, countryCode).filter((number) => PHONE_NUMBER.test(number));
  const [number] = readings;
  if (phone.prefix !== "" || countryCode === undefined) return number;
  const mayHaveCode = phone.number.startsWith(`+${countryCode}`);
  const national = readings.filter((reading) => reading !== phone.number);
  if (mayHaveCode) return national.length === 0 ? number : undefined;
  // Italy's numbers keep their zero.
  return countryCode === "39" ? national[0] : national.at(-1);
}

/** Whether a number has no country code, and may be one of North America. */
export function isNorthAmerican({ number, prefix }: PhoneNumber): boolean {
  return prefix === "" && number.length === 11 && NORTH_AMERICAN.test(number.slice(1));
}

/** Returns the digits of any script as 0 to 9. */
export function toAsciiDigits(text: string): string {
  // In a script, digits are consecutive, and the code of zero ends in 0 or 6, except in scripts that NFKC folds.
  return text.normalize("NFKC").replace(/\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    if (code < 0x80) return digit;
    const zero = code - (code % 16);
    return String(code - (/\p{Nd}/u.test(String.fromCodePoint(zero)) ? zero : zero + 6));
  });
}

/**
 * Some carriers send, for a number that is withheld, the keys on which the word is typed: +266696687 is ANONYMOUS. Others put
 * the country code before it, after which ten digits can be a number.
 */
const WITHHELD_NUMBERS: ReadonlySet<string> = new Set([
  "+",
  "+0",
  ...["anonymous", "blocked", "hidden", "private", "restricted", "unavailable", "unknown", "withheld"]
    .map(toKeys)
    .flatMap((keys) => (keys.length === 10 ? [`+${keys}`] : [`+${keys}`, `+1${keys}`])),
]);

export function isWithheld(number: string): boolean {
  return WITHHELD_NUMBERS.has(number);
}

/** Returns the keys of letters on a phone (ITU-T E.161). */
function toKeys(word: string): string {
  return word.replace(/[a-z]/g, (letter) =>
    "22233344455566677778889999".charAt(letter.charCodeAt(0) - "a".charCodeAt(0)),
  );
}

/** Whether a text is a number that a spreadsheet has rounded, so that nobody can know it. */
export function isRoundedNumber(text: string): boolean {
  return ROUNDED.test(text);
}

function toPlain(text: string): string {
  const decoded = /%[\da-f]{2}/i.test(text) ? (attempt(() => decodeURIComponent(text)) ?? text) : text;
  return toAsciiDigits(decoded.toWellFormed().replace(INVISIBLE, ""))
    .replace(DIALED, " $1")
    .replace(ADDRESS, " $1 at")
    .replace(HEXADECIMAL, "a")
    .replace(FRACTION, "$1")
    .replace(THOUSANDS, (digits) => digits.replaceAll(",", ""))
    .replace(TRUNK_ZERO, "$1");
}

function readVanity(plain: string): PhoneNumber | undefined {
  const [, code, area = "", rest = ""] = VANITY.exec(plain) ?? [];
  // More letters are for the eye.
  const keys = toKeys(rest.toLowerCase().replace(/[^a-z\d]/g, "")).slice(0, MIN_DIGITS);
  if (keys.length < MIN_DIGITS) return undefined;
  return {
    number: `+${code === undefined ? "" : "1"}${area}${keys}`,
    prefix: plain.includes("+") ? "+" : "",
  };
}

/** Splits a run where two or more whole numbers are next to each other. */
function splitRun(run: string): string[] {
  for (const separator of SEPARATORS) {
    const parts = run.split(separator).filter(hasDigit);
    if (parts.length > 1 && parts.every(isWhole)) return parts.flatMap(splitRun);
  }
  return splitAtBlanks(run) ?? [withoutExtension(run)];
}

/** Splits a run that has too many digits for one number, if its blanks allow parts of equal length. */
function splitAtBlanks(run: string): string[] | undefined {
  const count = digitsOf(run).length;
  if (count <= MAX_DIGITS) return undefined;
  for (let parts = 2; count / parts >= MIN_DIGITS; parts++) {
    const length = count / parts;
    const numbers = [""];
    for (const group of run.split(/\s+/)) {
      const index = digitsOf(numbers.at(-1) ?? "").length === length ? numbers.length : numbers.length - 1;
      numbers[index] = `${numbers[index] ?? ""} ${group}`;
    }
    const whole = numbers.filter(hasDigit);
    if (whole.length === parts && whole.every((number) => digitsOf(number).length === length)) return whole;
  }
  return undefined;
}

/** Numbers of North America have one length: what follows is an extension, or the end of another number. */
function withoutExtension(run: string): string {
  for (const { index } of run.matchAll(/(?<=\d)\D+(?=\d)/g)) {
    const digits = digitsOf(run.slice(0, index));
    const isEnded =
      (digits.length === 11 && digits.startsWith("1") && NORTH_AMERICAN.test(digits.slice(1))) ||
      (digits.length === 10 && NORTH_AMERICAN.test(digits) && /^\s*\//.test(run.slice(index)));
    if (isEnded) return run.slice(0, index);
  }
  return run;
}

const hasDigit = (run: string) => /\d/.test(run);

const digitsOf = (run: string) => run.replace(/\D/g, "");

function isWhole(run: string): boolean {
  const { number, prefix } = toNumber(run);
  const digits = number.length - 1;
  const isIncomplete = prefix !== "" && number.startsWith("+1") && digits !== 11;
  return digits >= MIN_DIGITS && digits <= MAX_DIGITS && !isIncomplete;
}

function toNumber(run: string): PhoneNumber {
  const digits = digitsOf(run);
  const bare = digits.replace(/^(?:00)+/, "");
  const zeros = bare === digits ? "" : "00";
  return { number: `+${bare}`, prefix: /^\D*\+/.test(run) ? "+" : zeros };
}

/** Returns each number once, also where it is repeated without its country code. */
function toDistinct(all: readonly PhoneNumber[]): PhoneNumber[] {
  const longer = ({ number, prefix }: PhoneNumber) =>
    prefix === "" &&
    all.some((other) => other.prefix !== "" && other.number.endsWith(number.replace(/^\+0?/, "")));
  return [...new Map(all.map((each) => [each.number, each])).values()].filter((each) => !longer(each));
}

/** Returns the digits that may follow a country code, without the digit that is dialed only inside the country. */
function toNationals(digits: string, countryCode: string): string[] {
  if (countryCode === "1") return /^[2-9]\d{2}[2-9]\d{6}$/.test(digits) ? [digits] : [];
  return [digits, digits.replace(countryCode === "7" ? /^8/ : /^0/, "")];
}
