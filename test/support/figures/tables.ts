import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { parquetReadObjects } from "hyparquet";
import type { FormatOptions } from "../../../src/config/request/resolve.ts";
import { encodeTable } from "../../../src/export/formats/encode-table.ts";
import type { Column, Table, Value } from "../../../src/export/table.ts";

/** One column of each type, and a decimal that is not rounded. */
export const COLUMNS: readonly Column[] = [
  { name: "call_id", type: "integer" },
  { name: "campaign", type: "text" },
  { name: "answer_rate", type: "decimal", decimals: 4 },
  { name: "seconds", type: "decimal" },
  { name: "call_started", type: "time" },
];

/** A row of {@link COLUMNS} with only a text. */
export const textRow = (text: string): Value[] => [null, text, null, null, null];

const HOSTILE = [
  "=1+1",
  "-1",
  "\t=1",
  "'=1",
  '="1"',
  '"',
  "\r",
  "\n",
  "\r\n",
  ",",
  ";",
  "|",
  "\t",
  "\0",
  "\uFEFF",
  "é",
  "e\u0301",
  "😀",
  "\u2028",
  "+4930123456",
  "007",
  "123.456",
  "1E5",
  "2026-11-20",
  "null",
  "\\N",
  " padded ",
  "__proto__",
];

const arbitraryText = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.array(fc.constantFrom(...HOSTILE, "a", "1"), { maxLength: 4 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 8 }).map((text) => text.toWellFormed()),
);
const arbitraryTime = fc
  .date({ min: new Date("0000-01-01"), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true })
  .map((date) => date.toISOString());
const arbitraryNumber = fc.double({ noNaN: true, noDefaultInfinity: true }).map(withoutSign);

/** Rows of {@link COLUMNS} as a warehouse may hold them. */
export const arbitraryRows: fc.Arbitrary<Value[][]> = fc.array(
  fc
    .tuple(fc.maxSafeInteger(), arbitraryText, arbitraryNumber, arbitraryNumber, arbitraryTime)
    .chain((row) => fc.tuple(...row.map((value) => fc.option(fc.constant(value), { freq: 4 })))),
  { maxLength: 20 },
);

/** Zero has no sign in any text format. */
function withoutSign(value: number): number {
  return value === 0 ? 0 : value;
}

/** Returns rows with their decimals rounded, as in text formats. */
export const roundRows = (rows: readonly (readonly Value[])[]): Value[][] =>
  rows.map((row) =>
    row.map((value, index) => {
      const decimals = COLUMNS[index]?.decimals;
      return typeof value === "number" && decimals !== undefined
        ? withoutSign(Number(value.toFixed(decimals)))
        : value;
    }),
  );

export async function encode(table: Table, options: FormatOptions): Promise<Buffer> {
  return Buffer.concat([...(await encodeTable(table, options))].map((chunk) => Buffer.from(chunk)));
}

/** Reads as strictly as RFC 4180 allows: no other line end, no stray quote, no line of another length. */
export function readLines(content: Buffer | string, delimiter = ","): string[][] {
  return parse(content, { delimiter, record_delimiter: "\r\n", bom: false });
}

/** Reads the rows of {@link COLUMNS} in delimited text; an empty field is null. */
export function readDelimited(content: Buffer, delimiter?: string, point = "."): Value[][] {
  const [, ...lines] = readLines(content, delimiter);
  return lines.map((line) =>
    line.map((field, index) => {
      if (field === "") return null;
      const type = COLUMNS[index]?.type;
      return type === "integer" || type === "decimal"
        ? withoutSign(Number(field.replace(/^="(.*)"$/, "$1").replace(point, ".")))
        : field;
    }),
  );
}

const toRow = (object: Record<string, Value>): Value[] => COLUMNS.map(({ name }) => object[name] ?? null);

export const readJson = (content: Buffer): Value[][] => JSON.parse(content.toString()).map(toRow);

export const readNdjson = (content: Buffer): Value[][] =>
  content
    .toString()
    .split("\n")
    .slice(0, -1)
    .map((line) => toRow(JSON.parse(line)));

/** Reads a Parquet file: an object per row, with hyparquet's value for each type. */
export function readParquetObjects(content: Buffer): Promise<Record<string, unknown>[]> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true }); // by default it would drop one from a text
  return parquetReadObjects({
    file: new Uint8Array(content).buffer,
    parsers: { stringFromBytes: (bytes) => decoder.decode(bytes) },
  });
}

/** Reads the rows of {@link COLUMNS} in a Parquet file. */
export async function readParquet(content: Buffer): Promise<Value[][]> {
  const objects = await readParquetObjects(content);
  return objects.map((object) =>
    COLUMNS.map(({ name }): Value => {
      const value: unknown = object[name];
      if (typeof value === "bigint") return Number(value);
      if (value instanceof Date) return value.toISOString();
      return typeof value === "number" || typeof value === "string" ? value : null;
    }),
  );
}
