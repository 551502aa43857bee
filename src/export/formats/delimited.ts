import { stringify } from "csv-stringify/sync";
import { localTime } from "../../calendar/local-time.ts";
import type { Delimiter, Profile } from "../../request/option-values.ts";
import { type Column, linesOf, type Table } from "../table.ts";
import { inChunks } from "./chunks.ts";
import { guardFormula, toExcelText } from "./guard.ts";

export interface DelimitedOptions {
  delimiter: Delimiter;
  profile?: Profile | undefined;
  /** IANA zone of the times that are written for Excel. @default UTC */
  zone?: string | undefined;
}

/** Yields RFC 4180 except for the delimiter; null and empty text are both empty fields. */
export function* toDelimited(table: Table, options: DelimitedOptions): Generator<string> {
  const { columns } = table;
  const { delimiter, profile, zone = "UTC" } = options;
  const toLocal = localTime(zone);
  const writeTime = profile === "excel" ? (utc: string) => toLocal(utc).local : (utc: string) => utc;
  const writeText = textWriter(profile);
  const writeNumber = numberWriter(options);
  // csv-stringify only quotes the whole line end; a lone CR or LF would break the line.
  const lines = { delimiter, record_delimiter: "\r\n", quoted_match: /[\r\n]/ };
  yield stringify([columns.map(({ name }) => name)], { ...lines, bom: profile === "excel" });
  for (const chunk of inChunks(linesOf(table))) {
    yield stringify(chunk, {
      ...lines,
      quoted_empty: columns.length === 1, // many readers skip a line that is empty
      cast: {
        number: (value, { index }) => writeNumber(formatNumber(value, columns[index])),
        string: (value, { index }) => {
          const type = columns[index]?.type;
          if (type === "time") return writeTime(value);
          return type === "text" ? writeText(value) : value;
        },
      },
    });
  }
}

const LONG_INTEGER = /^-?\d{16,}$/;

/** An Excel that separates values by `;` uses a decimal comma, and takes a point for part of a date. */
function numberWriter({ delimiter, profile }: DelimitedOptions): (text: string) => string {
  if (profile !== "excel") return (text) => text;
  return (text) => {
    if (LONG_INTEGER.test(text)) return `="${text}"`;
    return delimiter === ";" ? text.replace(".", ",") : text;
  };
}

function textWriter(profile: Profile | undefined): (text: string) => string {
  if (profile === "machine") return (text) => text;
  return profile === "excel" ? toExcelText : guardFormula;
}

function formatNumber(value: number, column: Column | undefined): string {
  return column?.decimals === undefined ? String(value) : value.toFixed(column.decimals);
}
