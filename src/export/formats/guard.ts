/** Characters that start a formula (OWASP "CSV Injection"), including full-width forms. */
const FORMULA = "=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20";
/** Characters at which a spreadsheet may split a line into cells, whatever the file's delimiter. */
const SPLIT = ",;|\\t\\n\\v\\f\\r\\x85\\u2028\\u2029";
/** What it skips before a cell: blanks, quotes and characters without width. */
const SKIPPED = `(?:(?![${SPLIT}])[\\s"“”\\x00-\\x1f\\x7f-\\x9f\\p{Default_Ignorable_Code_Point}])*`;
/** Harmless texts with such a start: numbers, phone numbers with `+`, and offsets from UTC. */
const NUMBER = "[+-]?\\d+(?:[.:]\\d+)?$";

const FORMULA_START = new RegExp(`(?<=^|[${SPLIT}])(${SKIPPED})(?=[${FORMULA}])(?!${NUMBER})`, "gu");
const SUSPICIOUS = new RegExp(`[${FORMULA}\\t\\r\\n]`, "u");
const CONTROL_START = /^[\t\r\n]/;

/** Puts `'` before each place where a spreadsheet would see the start of a formula. */
export function guardFormula(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  const guarded = text.replace(FORMULA_START, "$1'");
  return CONTROL_START.test(guarded) ? `'${guarded}` : guarded;
}

/** Text that Excel may take for a number, date or time; none of it could end a text inside a formula. */
const NUMBER_LIKE = /^(?=.*\d)[\d+\-.,:/%() \p{Sc}]+(?:[eE][+-]?\d+)?$/u;
/** One word among numbers, which makes a date of them if it is a month: `MAR1`, `5-Oct`, `1. Mai`. */
const WORD_AND_NUMBERS = /^(?=.*\d)[\d\-.,:/ ]*(\p{L}+)[\d\-.,:/ ]*(?:[ap]m?)?$/iu;
/** The languages of Excel that most readers use. */
const LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt"];
/** Names of months, and what they may be shortened to; halves of a day. */
const DATE_WORDS: ReadonlySet<string> = new Set([
  ...["am", "pm"],
  ...LANGUAGES.flatMap((language) => {
    const { format } = new Intl.DateTimeFormat(language, { month: "long", timeZone: "UTC" });
    const names = Array.from({ length: 12 }, (_, month) => format(Date.UTC(2026, month)).toLowerCase());
    return names.flatMap((name) => Array.from(name, (_, index) => name.slice(0, index + 1)).slice(2));
  }),
  "mrz", // März
]);
const TRUTH_VALUE = /^ *(?:true|false|wahr|falsch|vrai|faux|verdadero|falso|vero|waar|onwaar|verdadeiro) *$/i;
/** Numbers that Excel shows unchanged; from 12 digits it shows an exponent, from 16 it loses some. */
const PLAIN_INTEGER = /^(?:0|-?[1-9]\d{0,10})$/;
/** A day or local time, as in `period` and `call_started_local`: Excel should read it as one. */
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$/;
const MAX_FORMULA_TEXT = 255;

/** Returns the formula `="…"` for text that Excel would turn into another value, and guards other text. */
export function toExcelText(text: string): string {
  return text.length <= MAX_FORMULA_TEXT && isMangled(text) ? `="${text}"` : guardFormula(text);
}

function isMangled(text: string): boolean {
  if (NUMBER_LIKE.test(text)) return !PLAIN_INTEGER.test(text) && !LOCAL_TIME.test(text);
  const word = WORD_AND_NUMBERS.exec(text)?.[1]?.toLowerCase() ?? "";
  return DATE_WORDS.has(word) || TRUTH_VALUE.test(text);
}
