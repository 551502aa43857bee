import { type Column, linesOf, type Table, type Value } from "../table.ts";
import { inChunks } from "./chunks.ts";

/** Yields a table as a JSON array with an object a row, each on its own line. */
export function* toJson(table: Table): Generator<string> {
  const writeObject = objectWriter(table.columns);
  let opening = "[\n";
  for (const chunk of inChunks(linesOf(table))) {
    yield opening + chunk.map(writeObject).join(",\n");
    opening = ",\n";
  }
  yield opening === "[\n" ? "[]\n" : "\n]\n";
}

/** Yields a table as newline-delimited JSON: an object a line. */
export function* toNdjson(table: Table): Generator<string> {
  const writeObject = objectWriter(table.columns);
  for (const chunk of inChunks(linesOf(table))) yield `${chunk.map(writeObject).join("\n")}\n`;
}

/** Members stand in the columns' order, whatever the columns are called. */
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
