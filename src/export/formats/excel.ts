import { guardFormula } from "./guard.ts";

/** What Excel may take for a number, a date or a time; none of it could end a text in a formula. */
const NUMBER_LIKE = /^(?=.*\d)[\d+\-.,:/%() ]+(?:[eE][+-]?\d+)?$/;
/** Numbers that Excel shows as they were written; from 12 digits on it shows an exponent, from 16 on it loses some. */
const PLAIN_INTEGER = /^(?:0|-?[1-9]\d{0,10})$/;
/** A day or a local time, as `period` and `call_started_local` have them: Excel is to read it as one. */
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
