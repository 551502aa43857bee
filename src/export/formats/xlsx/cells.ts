import { COMPARISON_COLUMNS } from "../../../base/calendar/grain.ts";
import type { localTime } from "../../../base/calendar/local-time.ts";
import type { ShownComparison } from "../../../figures/rollup-query.ts";
import type { Column, Value } from "../../table.ts";
import { cutText, escapeText, MAX_CELL_TEXT } from "./cell-text.ts";
import type { CellStyle, Styles } from "./styles.ts";

const DAY_MS = 86_400_000;
/** Day 0 of Excel's calendar from 1 March 1900 on; before, it has a day that never existed. */
const DAY_ZERO_MS = Date.UTC(1899, 11, 30);
const FIRST_MS = Date.UTC(1900, 2, 1);
const END_MS = Date.UTC(10_000, 0, 1);

const LONG_INTEGER = 1e15;

export interface CellLook extends CellStyle {
  /** Whether a number in points shows that. @default false */
  namesPoints?: boolean | undefined;
}

export interface CellContext {
  styles: Styles;
  toLocal: ReturnType<typeof localTime>;
  onCut?: (() => void) | undefined;
}

/** Returns the XML of a cell; for no value empty, or without one in a total. */
export type WriteCell = (reference: string, value: Value) => string;

/** Writes text, ids and anything that Excel would change as text, never as a formula; times to the second. */
export function cellWriter(column: Column, context: CellContext, look: CellLook = {}): WriteCell {
  const { styles, toLocal, onCut } = context;
  // Otherwise dates would touch their neighbours.
  const align = look.align ?? (widthOf(column) === undefined ? undefined : "center");
  const style = styles.indexOf({ ...look, align, numFmt: formatOf(column, look) });
  const textStyle = styles.indexOf({ ...look, numFmt: "@" });
  const toNumber = (reference: string, number: string | number) =>
    `<c r="${reference}" s="${style}"><v>${number}</v></c>`;
  const toText = (reference: string, text: string) => {
    if (text === "") return "";
    if (text.length > MAX_CELL_TEXT) onCut?.();
    const style = /[\r\n]/.test(text) ? styles.indexOf({ ...look, numFmt: "@", isWrapped: true }) : textStyle;
    const space = /^\s|\s$|\s\s|[\t\n]/.test(text) ? ' xml:space="preserve"' : "";
    const xml = escapeText(cutText(text));
    return `<c r="${reference}" s="${style}" t="inlineStr"><is><t${space}>${xml}</t></is></c>`;
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
        if (column.isId || Math.abs(number) >= LONG_INTEGER) return toText(reference, text);
        const { decimals = 0, comparison } = column;
        if (comparison?.shows === "points") return toNumber(reference, (100 * number).toFixed(decimals - 2));
        return toNumber(reference, column.decimals === undefined ? text : number.toFixed(decimals));
      }
      case "time":
        return toMoment(reference, text, isoOf(toLocal(text).local));
      case "local time":
        return toMoment(reference, text, isoOf(text));
      case "date":
        return toMoment(reference, text, text);
    }
  };
  const blank = (reference: string) => (look.isTotal ? `<c r="${reference}" s="${style}"/>` : "");
  return (reference, value) => (value === null ? blank(reference) : write(reference, value));
}

const isoOf = (local: string) => `${local.replace(" ", "T")}Z`;

/** Formats of dates and times; a column is as wide as its format. */
const MOMENT_FORMATS: Partial<Record<Column["type"], string>> = {
  time: "yyyy-mm-dd hh:mm:ss",
  "local time": "yyyy-mm-dd hh:mm:ss",
  date: "yyyy-mm-dd",
};
const widthOf = ({ type }: Column) => MOMENT_FORMATS[type]?.length;

const BOLD_WIDTH = 1.2;

export function shownWidth(column: Column, value: Value): number {
  const { currency, decimals = 0 } = column;
  if (currency === undefined || value === null) return widthOf(column) ?? String(value ?? "").length;
  const amount = Number(value).toLocaleString("en-US", { minimumFractionDigits: decimals });
  return Math.ceil(`${amount} ${currency}`.length * BOLD_WIDTH);
}

export function isTextual(column: Column): boolean {
  return column.type === "text" || column.isId === true;
}

const toFormat = (whole: string, decimals: number) =>
  decimals > 0 ? `${whole}.${"0".repeat(decimals)}` : whole;

function formatOf(column: Column, { namesPoints }: CellLook): string | undefined {
  const { type, decimals, currency, isShare, comparison } = column;
  if (isTextual(column)) return "@";
  if (type === "integer") return "#,##0";
  // Without decimals, a number shows all its digits.
  if (type !== "decimal" || decimals === undefined) return MOMENT_FORMATS[type];
  const share = `${toFormat("0", decimals - 2)}%`;
  if (comparison?.shows === "change") return `+${share};-${share};${share}`;
  const points = `${toFormat("0", decimals - 2)}${namesPoints ? '" points"' : ""}`;
  if (comparison?.shows === "points") return `+${points};-${points};${points}`;
  if (isShare) return share;
  const amount = toFormat("#,##0", decimals);
  return currency === undefined ? amount : `${amount} [$${currency}]`;
}

const ABBREVIATIONS = new Map(
  ["cid", "gclid", "id", "url", "utc", "utm"].map((name) => [name, name.toUpperCase()]),
);

/** Returns a column's heading: `answer_rate_change` → Answer rate, change. */
export function headingOf({ name, comparison }: Pick<Column, "name" | "comparison">): string {
  const words = (comparison?.of ?? name)
    .replace(/_seconds$/, "_in_seconds")
    .replace("first_time", "first-time")
    .split("_")
    .map((word) => ABBREVIATIONS.get(word) ?? word)
    .join(" ");
  const heading = words.charAt(0).toUpperCase() + words.slice(1);
  return comparison === undefined ? heading : `${heading}, ${comparisonInWords(comparison)}`;
}

/** Such as previous, change, year ago, year change, period within chance. */
function comparisonInWords({ as, shows }: ShownComparison): string {
  const { before, change } = COMPARISON_COLUMNS[as];
  const name = shows === "previous" ? before : change.replace("change", shows);
  return name.replaceAll("_", " ");
}
