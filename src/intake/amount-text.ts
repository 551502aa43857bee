import { isCurrency, MICROS } from "../base/text/currency.ts";

/** The sign before the decimals: `1,204.50` or `1.204,50`. */
export const DECIMAL_SIGNS = ["point", "comma"] as const;
export type DecimalSign = (typeof DECIMAL_SIGNS)[number];

export type NumberText = NonNullable<ReturnType<typeof toNumberText>>;

/** The most for one row, so that the sum of a million rows is exact. */
const MAX_MICROS = 1e15;
const DECIMALS = 6;

/** What platforms write for no figure. */
const NOTHING = /^(?:[-–—]{0,2}|n\/a)$/i;
const MINUS = "-\u2212";
const AFFIX = "(?:\\p{L}{0,3}\\p{Sc}?|\\p{Sc}\\p{L}{0,3})";
const NUMBER = new RegExp(
  `^(?<paren>\\(?)(?<first>[${MINUS}+]?)\\s*(?<before>${AFFIX})\\s*(?<second>[${MINUS}+]?)(?<body>\\d[\\d.,'’\\s]*?)(?<last>[${MINUS}]?)\\s*(?<after>${AFFIX})(?<end>\\)?)\\s*(?<behind>[${MINUS}]?)$`,
  "u",
);
/** Thousands separated by blanks and apostrophes, which no country uses before decimals. */
const BLANKS = /^[1-9]\d{0,2}(?:[\s'’]\d{3})+(?![\d\s'’])/;
/** Thousands in groups of three, or in India of two and three. */
const READABLE: Record<DecimalSign, RegExp> = {
  point: /^(?:\d+|[1-9]\d{0,2}(?:,\d{2,3})*,\d{3})(?:\.\d+)?$/,
  comma: /^(?:\d+|[1-9]\d{0,2}(?:\.\d{3})+)(?:,\d+)?$/,
};
/** Signs of a single currency; a dollar may belong to many countries. */
export const SIGNS: ReadonlyMap<string, string> = new Map([
  ["€", "EUR"],
  ["₹", "INR"],
  ["₩", "KRW"],
  ["₺", "TRY"],
  ["₪", "ILS"],
  ["₫", "VND"],
  ["₴", "UAH"],
]);

/** Currencies without decimals, by ISO 4217. */
const WHOLE_CURRENCIES: ReadonlySet<string> = new Set(
  "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(" "),
);

/** Letters that abbreviate a currency but are not a code. */
const ABBREVIATED: ReadonlySet<string> = new Set("kr zł kč ft lei fr r rm rp rs лв".split(" "));

/** Whether the text next to a number is a currency: a code, a sign, or letters with a sign, as in US$. */
function isMoney(affix: string): boolean {
  const isLetters = /^\p{L}+$/u.test(affix);
  return !isLetters || isCurrency(affix.toUpperCase()) || ABBREVIATED.has(affix.toLowerCase());
}

export function isNothing(text: string): boolean {
  return NOTHING.test(text.trim());
}

export function toNumberText(text: string) {
  const groups = NUMBER.exec(text.trim())?.groups;
  if (groups === undefined) return undefined;
  const { paren = "", end = "", before = "", after = "", body = "", ...others } = groups;
  const signs = [others.first, others.second, others.last, others.behind].filter((sign) => sign);
  if ((paren === "") !== (end === "") || signs.length > 1) return undefined;
  const blanks = BLANKS.exec(body)?.[0];
  const bare = blanks === undefined ? body : blanks.replace(/\D/g, "") + body.slice(blanks.length);
  if (!DECIMAL_SIGNS.some((sign) => READABLE[sign].test(bare))) return undefined;
  if (![before, after].every(isMoney)) return undefined;
  const affix = [before, after].map((each) => SIGNS.get(each) ?? each.toUpperCase());
  return {
    isNegative: paren !== "" || MINUS.includes(signs[0] ?? "+"),
    body: bare,
    /** ISO 4217, if there is a code or a sign of a single currency next to it. */
    currency: affix.find(isCurrency) ?? null,
  };
}

/** Returns the signs by which a number can be read; both for `1,204` and for `12`. */
export function signsOf({ body }: NumberText): DecimalSign[] {
  return DECIMAL_SIGNS.filter((sign) => READABLE[sign].test(body));
}

/** Returns the signs by which a number can be read as a whole number, e.g. of clicks. */
export function signsOfWhole(number: NumberText): DecimalSign[] {
  return signsOf(number).filter((sign) => toMicros(number, sign) % MICROS === 0);
}

/** Returns the signs by which an amount can be read: a comma in yen groups thousands, unless decimals follow it anyway. */
export function signsOfAmount(amount: NumberText, currency: string | null): DecimalSign[] {
  const asWhole = WHOLE_CURRENCIES.has(currency ?? "") ? signsOfWhole(amount) : [];
  return asWhole.length > 0 ? asWhole : signsOf(amount);
}

export function isAmbiguous(number: NumberText): boolean {
  const [one, other] = signsOf(number).map((sign) => toMicros(number, sign));
  return other !== undefined && !Object.is(one, other); // NaN by both signs is not ambiguous
}

/** Returns exact millionths; NaN if the number cannot be read by this sign, has more than six decimals, or is too large. */
export function toMicros({ body, isNegative }: NumberText, sign: DecimalSign): number {
  if (!READABLE[sign].test(body)) return Number.NaN;
  const [whole = "", fraction = ""] = body.split(sign === "point" ? "." : ",");
  const digits = fraction.replace(/0+$/, "");
  if (digits.length > DECIMALS) return Number.NaN;
  const micros = Number(whole.replace(/\D/g, "") + digits.padEnd(DECIMALS, "0"));
  if (micros > MAX_MICROS) return Number.NaN;
  return isNegative && micros !== 0 ? -micros : micros;
}
