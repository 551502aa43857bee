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
const NUMBER_LIKE = /^(?=.*\d)[\d+\-.,:/%() ]+(?:[eE][+-]?\d+)?$/;
/** Numbers that Excel shows unchanged; from 12 digits it shows an exponent, from 16 it loses some. */
const PLAIN_INTEGER = /^(?:0|-?[1-9]\d{0,10})$/;
/** A day or local time, as in `period` and `call_started_local`: Excel should read it as one. */
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$/;
const MAX_FORMULA_TEXT = 255;

/** Returns the formula `="…"` for text that Excel would turn into a number, and guards other text. */
export function toExcelText(text: string): string {
  const isMangled =
    text.length <= MAX_FORMULA_TEXT &&
    NUMBER_LIKE.test(text) &&
    !PLAIN_INTEGER.test(text) &&
    !LOCAL_TIME.test(text);
  return isMangled ? `="${text}"` : guardFormula(text);
}
