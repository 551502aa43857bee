/** First characters that make a spreadsheet read a cell as a formula (OWASP "CSV Injection"; full-width forms too). */
const FORMULA_START = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;
/** What may start so and yet is none: numbers, phone numbers with their +, and offsets from UTC. */
const NUMBER = /^[+-]?\d+([.:]\d+)?$/;

/** Returns a text that no spreadsheet takes for a formula: `'` before one that would be. */
export function guardFormula(text: string): string {
  return FORMULA_START.test(text) && !NUMBER.test(text) ? `'${text}` : text;
}
