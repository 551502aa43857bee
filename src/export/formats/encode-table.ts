import type { FormatOptions } from "../../request/resolve.ts";
import type { Table } from "../table.ts";
import { toDelimited } from "./delimited.ts";
import { toJson, toNdjson } from "./json-writer.ts";

/**
 * Returns a table as the content of a file, in chunks: the same table and options give the same bytes, in constant
 * memory. No row is read before the first chunk is asked for, and whoever stops reading ends the reading of the rows.
 */
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
      const { toParquet } = await import("./parquet.ts"); // its library is loaded for those alone who ask for it
      return toParquet(table);
    }
  }
}
