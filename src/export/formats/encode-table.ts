import type { FormatOptions } from "../../request/resolve.ts";
import type { Table } from "../table.ts";
import { toDelimited } from "./delimited.ts";
import { toJson, toNdjson } from "./json-writer.ts";

/** Encodes in chunks, in constant memory; reads no row before the first chunk is asked for. */
export async function encodeTable(
  table: Table,
  { format, profile, delimiter = "," }: FormatOptions,
): Promise<Iterable<Buffer | string>> {
  switch (format) {
    case "csv":
      return toDelimited(table, { delimiter, profile });
    case "tsv":
      return toDelimited(table, { delimiter: "\t", profile });
    case "json":
      return toJson(table);
    case "ndjson":
      return toNdjson(table);
    case "parquet": {
      const { toParquet } = await import("./parquet.ts"); // its library is only loaded if needed
      return toParquet(table);
    }
  }
}
