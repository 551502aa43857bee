import { type CsvLine, forEachLine, possibleHeaders } from "../base/csv-text.ts";
import { describeError, UsageError } from "../base/errors.ts";
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
