import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { foldUtm } from "./call.ts";
import { UsageError } from "./errors.ts";

/** A utm value, folded, and the folded value that it is tallied under; empty for what counts as not set. */
export interface Alias {
  raw: string;
  value: string;
}

const HINT =
  "CALLTALLY_ALIASES names a CSV file with the header raw,value and lines such as fb,facebook; an empty value stands for not set.";

/**
 * Reads the file of aliases: CSV with the header `raw,value`, whatever the case and white space of its values.
 *
 * @throws UsageError that names the file and the line
 */
export function readAliases(file: string): Alias[] {
  const values = new Map<string, string>();
  const [header, ...lines] = parseFile(file);
  if (header?.record.join() !== "raw,value") throw bad(file, 1, "the first line is not raw,value");
  for (const { line, record } of lines) {
    const [raw = "", value = "", ...rest] = record;
    const [from, to] = [foldUtm(raw), foldUtm(value)];
    if (rest.length > 0) throw bad(file, line, "has more than two values");
    if (from === "") throw bad(file, line, `${JSON.stringify(raw)} counts as not set already`);
    const known = values.get(from);
    if (known !== undefined && known !== to) {
      throw bad(file, line, `${from} is ${known || "not set"} already, by a line before`);
    }
    values.set(from, to);
  }
  return [...values].map(([raw, value]) => ({ raw, value }));
}

function parseFile(file: string): { line: number; record: string[] }[] {
  const lines: number[] = [];
  try {
    const records = parse(readFileSync(file), {
      bom: true,
      relaxColumnCount: true,
      skipEmptyLines: true,
      trim: true,
      onRecord: (record, context) => {
        lines.push(context.lines);
        return record;
      },
    });
    return records.map((record, index) => ({ line: lines[index] ?? 0, record }));
  } catch (cause) {
    throw new UsageError(`Cannot read the aliases in ${file}`, { cause, hint: HINT });
  }
}

function bad(file: string, line: number, what: string): UsageError {
  return new UsageError(`Cannot use the aliases in ${file}: line ${line}: ${what}`, { hint: HINT });
}
