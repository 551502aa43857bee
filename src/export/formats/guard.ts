/** What may start a cell with a formula (OWASP "CSV Injection"; full-width forms too). */
const FORMULA = "=+\\-@\\uFF1D\\uFF0B\\uFF0D\\uFF20";
/** Where a spreadsheet may split a line into cells, whatever the file is delimited by: it asks nobody, or a person. */
const SPLIT = ",;|\\t\\n\\v\\f\\r\\x85\\u2028\\u2029";
/** What it leaves out before a cell: blanks, quotes and characters without width. */
const SKIPPED = `(?:(?![${SPLIT}])[\\s"“”\\x00-\\x1f\\x7f-\\x9f\\p{Default_Ignorable_Code_Point}])*`;
/** What may start so and yet is none, to the end of the text: numbers, phone numbers with their +, and offsets from UTC. */
const NUMBER = "[+-]?\\d+(?:[.:]\\d+)?$";

const FORMULA_START = new RegExp(`(?<=^|[${SPLIT}])(${SKIPPED})(?=[${FORMULA}])(?!${NUMBER})`, "gu");
const SUSPICIOUS = new RegExp(`[${FORMULA}\\t\\r\\n]`, "u");
const CONTROL_START = /^[\t\r\n]/;

/** Puts `'` before each place where a spreadsheet would see a formula begin. */
export function guardFormula(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  const guarded = text.replace(FORMULA_START, "$1'");
  return CONTROL_START.test(guarded) ? `'${guarded}` : guarded;
}
