import { foldUtm } from "../attribution/call-text.ts";
import { UsageError } from "../base/errors.ts";
import type { OpeningHours } from "../calendar/opening-hours.ts";
import { withDigests } from "../privacy/keep-settings.ts";
import { readClosedDays } from "./closed-days-file.ts";
import { readCsvFile } from "./csv-file.ts";
import type { Settings } from "./load-settings.ts";
import { readTopics } from "./topics-file.ts";

const HINT =
  "Write a CSV file with the header raw,value and lines such as fb,facebook; an empty value stands for not set.";

/** An empty value counts as not set. @throws UsageError that names the file and the line */
export function readAliases(file: string): Record<string, string> {
  const name = `the aliases in ${file}`;
  const bad = (line: number, what: string) =>
    new UsageError(`Cannot use ${name}: line ${line}: ${what}`, { hint: HINT });
  const aliases = new Map<string, { value: string; line: number }>();
  const [header, ...lines] = readCsvFile(file, name, { column: "raw", hint: HINT });
  if (header?.cells.join() !== "raw,value") throw bad(1, "the first line is not raw,value");
  for (const { cells, line } of lines) {
    const [raw = "", given, ...rest] = cells;
    // "Not set" would be a guess.
    if (given === undefined) throw bad(line, `${JSON.stringify(raw)} has no value`);
    const [from, value] = [foldUtm(raw), foldUtm(given)];
    if (rest.length > 0) throw bad(line, "has more than two values");
    if (from === "") throw bad(line, `${JSON.stringify(raw)} already counts as not set`);
    const known = aliases.get(from)?.value;
    if (known !== undefined && known !== value)
      throw bad(line, `${from} is already ${known || "not set"} by an earlier line`);
    aliases.set(from, { value, line });
  }
  for (const { value, line } of aliases.values()) {
    // Aliases do not chain: the name would be counted in two rows, or in another's.
    const next = aliases.get(value);
    if (next !== undefined && next.value !== value)
      throw bad(line, `${value} is itself renamed by line ${next.line}`);
  }
  return Object.fromEntries([...aliases].map(([from, { value }]) => [from, value]));
}

/** @throws UsageError if the file of aliases, topics or closed days is unusable */
export function readAttributionRules(
  settings: Pick<Settings, "rules" | "aliasesFile" | "topicsFile" | "keep"> &
    Partial<Pick<Settings, "hours">>,
) {
  const { rules, aliasesFile, topicsFile, keep } = settings;
  const aliases = aliasesFile === undefined ? {} : readAliases(aliasesFile);
  const topics = topicsFile === undefined ? [] : readTopics(topicsFile);
  return withDigests(
    { ...rules, aliases, topics, hours: settings.hours && toOpeningHours(settings.hours) },
    keep,
  );
}

function toOpeningHours({ closedFile, ...hours }: NonNullable<Settings["hours"]>): OpeningHours {
  return { ...hours, closed: closedFile === undefined ? [] : readClosedDays(closedFile) };
}
