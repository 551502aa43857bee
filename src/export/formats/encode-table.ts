import type { FormatOptions } from "../../config/request/resolve.ts";
import { type Column, linesOf, type Table, type Value } from "../table.ts";
import { inChunks, toJsonArray } from "./chunks.ts";
import { toDelimited } from "./delimited.ts";

/**
 * Encodes in chunks, in constant memory; reads no row before the first chunk is asked for.
 * @param zone IANA zone of the times that are written for Excel
 */
export async function encodeTable(
  table: Table,
  { format, profile, delimiter = "," }: FormatOptions,
  zone?: string,
): Promise<Iterable<Buffer | string>> {
  switch (format) {
    case "csv":
      return toDelimited(table, { delimiter, profile, zone });
    case "json":
      return toJsonArray(linesOf(table), objectWriter(table.columns));
    case "ndjson":
      return toNdjson(table);
    case "parquet": {
      const { toParquet } = await import("./parquet.ts"); // its library is only loaded if needed
      return toParquet(table);
    }
  }
}

function* toNdjson(table: Table): Generator<string> {
  const writeObject = objectWriter(table.columns);
  for (const chunk of inChunks(linesOf(table))) yield `${chunk.map(writeObject).join("\n")}\n`;
}

function objectWriter(columns: readonly Column[]): (row: readonly Value[]) => string {
  const names = columns.map(({ name }) => JSON.stringify(name));
  return (row) => {
    const members = columns.map(
      (column, index) => `${names[index]}:${JSON.stringify(round(row[index] ?? null, column))}`,
    );
    return `{${members.join(",")}}`;
  };
}

function round(value: Value, { decimals }: Column): Value {
  return typeof value === "number" && decimals !== undefined ? Number(value.toFixed(decimals)) : value;
}
