import type { localTime } from "../calendar/local-time.ts";
import { cutText, escapeText, MAX_CELL_TEXT } from "./cell-text.ts";
import type { CellStyle, Styles } from "./styles.ts";
import type { Column, Value } from "./table.ts";

const DAY_MS = 86_400_000;
/** Day 0 of Excel's calendar, as it counts from 1 March 1900 on; before that it has a day that never was. */
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);
const FIRST_MS = Date.UTC(1900, 2, 1);
const END_MS = Date.UTC(10_000, 0, 1);

/** Integers from here on may have more digits than the 15 that Excel keeps. */
const LONG_INTEGER = 1e15;

/** Integers that name something: nobody adds them up, and no digit may be lost. */
const ID = /(?:^|_)id$/;
/** Decimals that are shares. */
const SHARE = /_rate(?:_previous)?$/;
const CHANGE = /_change$/;

/** What cells of a workbook need to know. */
export interface CellContext {
  styles: Styles;
  /** Shows times in the zone of the export. */
  toLocal: ReturnType<typeof localTime>;
  /** Is called for each text that was longer than a cell holds. */
  onCut?: (() => void) | undefined;
}

/** Returns the XML of a cell; empty where there is no value. */
export type WriteCell = (reference: string, value: Value) => string;

/** Returns how the values of a column are written: text, ids and whatever Excel would change as text, never as a formula. */
export function cellWriter(column: Column, context: CellContext, look: CellStyle = {}): WriteCell {
  const { styles, toLocal, onCut } = context;
  // Dates would touch the text on their right, or the numbers on their left.
  const align = look.align ?? (widthOf(column) === undefined ? undefined : "center");
  const style = styles.indexOf({ ...look, align, numFmt: formatOf(column) });
  const textStyle = styles.indexOf({ ...look, numFmt: "@" });
  const toNumber = (reference: string, number: string | number) =>
    `<c r="${reference}" s="${style}"><v>${number}</v></c>`;
  const toText = (reference: string, text: string) => {
    if (text === "") return "";
    if (text.length > MAX_CELL_TEXT) onCut?.();
    const space = /^\s|\s$|\s\s|[\t\n]/.test(text) ? ' xml:space="preserve"' : "";
    const xml = escapeText(cutText(text));
    return `<c r="${reference}" s="${textStyle}" t="inlineStr"><is><t${space}>${xml}</t></is></c>`;
  };
  const toMoment = (reference: string, text: string, local: string) => {
    const ms = Date.parse(local);
    const isKnown = FIRST_MS <= ms && ms < END_MS;
    return isKnown ? toNumber(reference, (ms - DAY_ZERO_MS) / DAY_MS) : toText(reference, text);
  };
  const write = (reference: string, value: string | number): string => {
    const text = String(value);
    switch (column.type) {
      case "text":
        return toText(reference, text);
      case "boolean":
        return `<c r="${reference}" s="${style}" t="b"><v>${text}</v></c>`;
      case "integer":
      case "decimal": {
        const number = Number(value);
        if (isId(column) || Math.abs(number) >= LONG_INTEGER) return toText(reference, text);
        return toNumber(reference, column.decimals === undefined ? text : number.toFixed(column.decimals));
      }
      case "time":
        return toMoment(
          reference,
          text,
          `${toLocal(text).local.replace(" ", "T")}${text.slice(-".000Z".length)}`,
        );
      case "local time":
        return toMoment(reference, text, `${text.replace(" ", "T")}Z`);
      case "date":
        return toMoment(reference, text, text);
    }
  };
  return (reference, value) => (value === null ? "" : write(reference, value));
}

const isId = ({ name, type }: Column) => type === "integer" && ID.test(name);

/** Characters that a value of a column takes, where they are known; texts are as long as they are. */
export function widthOf(column: Column): number | undefined {
  switch (column.type) {
    case "time":
      return "YYYY-MM-DD HH:MM:SS.000".length;
    case "local time":
      return "YYYY-MM-DD HH:MM:SS".length;
    case "date":
      return "YYYY-MM-DD".length;
    default:
      return undefined;
  }
}

/** Whether a column holds text that may read like a number. */
export function isTextual(column: Column): boolean {
  return column.type === "text" || isId(column);
}

const toFormat = (whole: string, decimals: number) =>
  decimals > 0 ? `${whole}.${"0".repeat(decimals)}` : whole;

function formatOf(column: Column): string | undefined {
  const { name, type, decimals, currency } = column;
  switch (type) {
    case "text":
      return "@";
    case "integer":
      return isId(column) ? "@" : "#,##0";
    case "decimal": {
      if (decimals === undefined) return undefined; // as many digits as there are
      const share = `${toFormat("0", decimals - 2)}%`;
      if (SHARE.test(name)) return share;
      if (CHANGE.test(name)) return `+${share};-${share};${share}`;
      return currency === undefined
        ? toFormat("#,##0", decimals)
        : `${toFormat("#,##0", decimals)} [$${currency}]`;
    }
    case "boolean":
      return undefined;
    case "time":
      return "yyyy-mm-dd hh:mm:ss.000";
    case "local time":
      return "yyyy-mm-dd hh:mm:ss";
    case "date":
      return "yyyy-mm-dd";
  }
}
