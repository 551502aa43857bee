import { type Column, linesOf, type Table, type Value } from "../table.ts";
import { inChunks } from "./chunks.ts";

export function* toJson(table: Table): Generator<string> {
  const writeObject = objectWriter(table.columns);
  let opening = "[\n";
  for (const chunk of inChunks(linesOf(table))) {
    yield opening + chunk.map(writeObject).join(",\n");
    opening = ",\n";
  }
  yield opening === "[\n" ? "[]\n" : "\n]\n";
}

export function* toNdjson(table: Table): Generator<string> {
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
