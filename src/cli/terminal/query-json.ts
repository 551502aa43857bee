import { UsageError } from "../../base/errors.ts";
import { inChunks } from "../../export/formats/chunks.ts";
import type { QueryResult, SqlValue } from "../../warehouse/run-query.ts";

/**
 * Yields a query result as a JSON array of objects, each on its own line, in constant memory. Integers have all their digits,
 * BLOBs are hexadecimal text, infinities `1e999`.
 *
 * @throws UsageError if two columns have one name
 */
export function* toQueryJson({ columns, rows }: QueryResult): Generator<string> {
  const twice = columns.find((name, index) => columns.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new UsageError(`Cannot write JSON: two columns are called ${twice}`, {
      hint: `Give one of them another name: SELECT … AS other_${twice.replace(/\W+/g, "_")}`,
    });
  }
  const names = columns.map((name) => JSON.stringify(name));
  const toObject = (row: readonly SqlValue[]) =>
    `{${row.map((value, index) => `${names[index]}:${toJsonValue(value)}`).join(",")}}`;
  let opening = "[\n";
  for (const chunk of inChunks(rows)) {
    yield opening + chunk.map(toObject).join(",\n");
    opening = ",\n";
  }
  yield opening === "[\n" ? "[]\n" : "\n]\n";
}

function toJsonValue(value: SqlValue): string {
  if (typeof value === "bigint") return String(value);
  if (Buffer.isBuffer(value)) return JSON.stringify(value.toString("hex"));
  if (typeof value === "number" && !Number.isFinite(value)) return value > 0 ? "1e999" : "-1e999";
  return JSON.stringify(value);
}
