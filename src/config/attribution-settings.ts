import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import type { AttributionRules } from "../attribution/attribution-rules.ts";
import { foldUtm } from "../attribution/call-text.ts";
import { UsageError } from "../base/errors.ts";
import { reasonOf } from "../base/file-access.ts";
import { type Keep, withDigests } from "../privacy/keep-settings.ts";

const HINT =
  "CALLTALLY_ALIASES names a CSV file with the header raw,value and lines such as fb,facebook; an empty value stands for not set.";

/**
 * Reads the file of aliases: CSV with the header `raw,value`, whatever the case and white space of its values. Returns
 * folded utm values, and those they are counted under instead; empty for what counts as not set.
 *
 * @throws UsageError that names the file and the line
 */
export function readAliases(file: string): Record<string, string> {
  const values = new Map<string, string>();
  const lineOf = new Map<string, number>();
  const [header, ...lines] = parseFile(file);
  if (header?.record.join() !== "raw,value") throw bad(file, 1, "the first line is not raw,value");
  for (const { line, record } of lines) {
    const [raw = "", value, ...rest] = record;
    // Without one, that it counts as not set would be a guess.
    if (value === undefined) throw bad(file, line, `${JSON.stringify(raw)} has no comma after it`);
    const [from, to] = [foldUtm(raw), foldUtm(value)];
    if (rest.length > 0) throw bad(file, line, "has more than two values");
    if (from === "") throw bad(file, line, `${JSON.stringify(raw)} counts as not set already`);
    const known = values.get(from);
    if (known !== undefined && known !== to) {
      throw bad(file, line, `${from} is ${known || "not set"} already, by a line before`);
    }
    values.set(from, to);
    lineOf.set(from, line);
  }
  for (const [from, to] of values) {
    // A value is renamed once: its name would be counted in two rows, or in those of another.
    const next = values.get(to);
    if (next === undefined || next === to) continue;
    throw bad(file, lineOf.get(from) ?? 0, `${to} is renamed itself, by line ${lineOf.get(to)}`);
  }
  return Object.fromEntries(values);
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
    throw new UsageError(`Cannot read the aliases in ${file}: ${reasonOf(cause)}`, { hint: HINT });
  }
}

function bad(file: string, line: number, what: string): UsageError {
  return new UsageError(`Cannot use the aliases in ${file}: line ${line}: ${what}`, { hint: HINT });
}

/**
 * Returns the rules for attribution as the settings have them.
 *
 * @throws UsageError where the file of aliases cannot be used
 */
export function readAttributionRules({
  rules,
  aliasesFile,
  keep,
}: {
  rules: Omit<AttributionRules, "aliases">;
  aliasesFile?: string | undefined;
  keep: Keep;
}): AttributionRules {
  return withDigests({ ...rules, aliases: aliasesFile === undefined ? {} : readAliases(aliasesFile) }, keep);
}
