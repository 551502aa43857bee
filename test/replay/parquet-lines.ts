import { parquetMetadata, parquetReadObjects } from "hyparquet";

/** Returns the schema and the rows of a Parquet file, a line each. */
export async function parquetLines(bytes: Buffer): Promise<string[]> {
  const file = Uint8Array.from(bytes).buffer;
  const { schema, key_value_metadata, num_rows } = parquetMetadata(file);
  const rows = await parquetReadObjects({ file });
  return [...schema, { key_value_metadata, num_rows }, ...rows].map((each) => JSON.stringify(each, toShown));
}

function toShown(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}
