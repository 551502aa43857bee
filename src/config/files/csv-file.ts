import { describeError, UsageError } from "../../base/errors.ts";
import { type CsvLine, forEachLine, possibleHeaders } from "../../base/text/csv-text.ts";
import { orMeant } from "../../base/text/nearest.ts";
import { readTextFile } from "./text-file.ts";

/**
 * Reads a CSV file of settings, separated by what its header is: commas, semicolons or tabs. Leaves out blank lines.
 * @param column a column that the header has
 * @throws UsageError that names the file
 */
export function readCsvFile(file: string, name: string, { column, hint }: { column: string; hint: string }) {
  const text = readTextFile(file, name);
  const header = possibleHeaders(text, 1).find(({ cells }) => cells.includes(column));
  const lines: CsvLine[] = [];
  try {
    forEachLine(
      text,
      { delimiter: header?.delimiter ?? ",", isStrict: true },
      (line) => void lines.push(line),
    );
  } catch (cause) {
    throw new UsageError(`Cannot use ${name}: ${describeError(cause)}`, { hint });
  }
  return lines.filter(({ cells }) => cells.some((cell) => cell !== ""));
}

export interface CsvTable<Column extends string> {
  rows: { line: number; textOf: (column: Column) => string }[];
  /** Makes the error about a value. */
  complain: (line: number, column: Column, what: string) => UsageError;
}

/**
 * Reads a CSV file of settings whose header has some columns, in any order.
 * @param required the columns that it must have; the first is looked for to find the header's delimiter
 * @throws UsageError that names the file, the line and the column
 */
export function readCsvTable<Column extends string>(
  file: string,
  name: string,
  {
    columns,
    required,
    hint,
  }: { columns: readonly Column[]; required: readonly [Column, ...Column[]]; hint: string },
): CsvTable<Column> {
  const [header, ...lines] = readCsvFile(file, name, { column: required[0], hint });
  const bad = (line: number, column: number, what: string) =>
    new UsageError(`Cannot use ${name}: line ${line}, column ${column}: ${what}`, { hint });
  const { cells: names, line: first } = header ?? { cells: [], line: 1 };
  for (const [index, name] of names.entries()) {
    if (!columns.some((known) => known === name))
      throw bad(first, index + 1, `${JSON.stringify(name)} is not a known column${orMeant(name, columns)}`);
    if (names.indexOf(name) < index) throw bad(first, index + 1, `${name} is already a column`);
  }
  for (const name of required)
    if (!names.includes(name)) throw bad(first, names.length + 1, `the header has no column ${name}`);
  const rows = lines.map(({ cells, line }) => {
    if (cells.length !== names.length)
      throw bad(line, cells.length, `has ${cells.length} values, and the header ${names.length}`);
    return { line, textOf: (column: Column) => cells[names.indexOf(column)] ?? "" };
  });
  return {
    rows,
    complain: (line, column, what) => bad(line, names.indexOf(column) + 1, `${column} ${what}`),
  };
}
