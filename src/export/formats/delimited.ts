import { stringify } from "csv-stringify/sync";
import { localTime } from "../../base/calendar/local-time.ts";
import type { Delimiter, Profile } from "../../config/request/option-values.ts";
import { type Column, linesOf, type Table, type Value } from "../table.ts";
import { inChunks } from "./chunks.ts";
import { guardFormula, toExcelText } from "./guard.ts";

export interface DelimitedOptions {
  delimiter: Delimiter;
  profile?: Profile | undefined;
  /** IANA zone of the times that are written for Excel. @default UTC */
  zone?: string | undefined;
}

/** Separates texts that are encoded together: inside an encoded text, quotes come in pairs. */
const BETWEEN = '\r"\n';

/** Yields RFC 4180 except for the delimiter; null and empty text are both empty fields. */
export function* toDelimited(table: Table, options: DelimitedOptions): Generator<string> {
  const { columns } = table;
  const { delimiter, profile } = options;
  const isSingle = columns.length === 1;
  const quoteAll = (texts: string[]) =>
    stringify([texts], {
      delimiter: BETWEEN,
      eof: false,
      quoted_match: [delimiter, /[\r\n]/],
      quoted_empty: isSingle, // many readers skip a line that is empty
    }).split(BETWEEN);
  const toLine = (fields: readonly (string | undefined)[]) => `${fields.join(delimiter)}\r\n`;
  yield (profile === "excel" ? "\uFEFF" : "") + toLine(quoteAll(columns.map(({ name }) => name)));
  const writers = columns.map((column) => cellWriter(column, options));
  for (const chunk of inChunks(linesOf(table))) {
    const fields = writers.map(({ write, isPlain }, index) => {
      const cells = chunk.map((row) => write(row[index] ?? null));
      // csv-stringify takes half a microsecond a cell.
      return isPlain && !isSingle ? cells : quoteAll(cells);
    });
    yield chunk.map((_, row) => toLine(fields.map((ofColumn) => ofColumn[row]))).join("");
  }
}

/** Returns how to write the cells of a column; `isPlain` if none needs quotes. */
function cellWriter({ type, decimals }: Column, options: DelimitedOptions) {
  const { profile, zone = "UTC" } = options;
  const isTime = type === "time" || type === "local time" || type === "date";
  const writeText =
    type === "text" ? textWriter(profile) : type === "time" ? timeWriter(profile, zone) : asItIs;
  const writeNumber = profile === "excel" ? excelNumberWriter(options) : asItIs;
  return {
    // Excel's long numbers are formulas with quotes.
    isPlain: isTime || (type !== "text" && profile !== "excel"),
    write: (value: Value): string => {
      if (value === null) return "";
      if (typeof value === "string") return writeText(value);
      return writeNumber(decimals === undefined ? String(value) : value.toFixed(decimals));
    },
  };
}

const asItIs = (text: string) => text;

const LONG_INTEGER = /^-?\d{16,}$/;

/** An Excel that separates values by `;` uses a decimal comma, and takes a point for part of a date. */
function excelNumberWriter({ delimiter }: DelimitedOptions): (text: string) => string {
  return (text) => {
    if (LONG_INTEGER.test(text)) return `="${text}"`;
    return delimiter === ";" ? text.replace(".", ",") : text;
  };
}

function timeWriter(profile: Profile | undefined, zone: string): (utc: string) => string {
  if (profile !== "excel") return asItIs;
  const toLocal = localTime(zone);
  return (utc) => toLocal(utc).local;
}

function textWriter(profile: Profile | undefined): (text: string) => string {
  if (profile === "machine") return asItIs;
  return profile === "excel" ? toExcelText : guardFormula;
}
