import { guardFormula } from "./guard.ts";

/**
 * What Excel may take for a number, a date or a time: digits and the signs between them, and perhaps an exponent.
 * No character of it could end a text in a formula.
 */
const NUMBER_LIKE = /^(?=.*\d)[\d+\-.,:/%() ]+(?:[eE][+-]?\d+)?$/;
/** Numbers that Excel shows as they were written; from 12 digits on it shows an exponent, from 16 on it loses some. */
const PLAIN_INTEGER = /^(?:0|-?[1-9]\d{0,10})$/;
/** A day or a local time, as `period` and `call_started_local` have them: Excel is to read it as one. */
const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}( \d{2}:\d{2}:\d{2})?$/;
/** Characters that Excel allows in a text in a formula. */
const MAX_FORMULA_TEXT = 255;

/**
 * Returns a text that Excel shows as it is: `="…"`, a formula that gives that text, around one that Excel would turn
 * into a number (phone numbers, leading zeros, long ids, `123.456`, `1E5`); else guarded against formulas.
 */
export function toExcelText(text: string): string {
  const isMangled =
    text.length <= MAX_FORMULA_TEXT &&
    NUMBER_LIKE.test(text) &&
    !PLAIN_INTEGER.test(text) &&
    !LOCAL_TIME.test(text);
  return isMangled ? `="${text}"` : guardFormula(text);
}
