import { presentText, toCaseless } from "../attribution/call-text.ts";
import { foldSpoken, type TopicLine } from "../attribution/topics.ts";
import { describeError, UsageError } from "../base/errors.ts";
import { orMeant } from "../base/nearest.ts";
import { AMOUNT } from "../request/option-values.ts";
import { parseCsvLines } from "./csv-lines.ts";
import { readTextFile } from "./text-file.ts";

const COLUMNS = ["topic", "phrase", "speaker", "qualifies", "value"] as const;
type Column = (typeof COLUMNS)[number];

const HINT =
  "CALLTALLY_TOPICS names a CSV file with the header topic,phrase,speaker,qualifies,value and lines such as emergency,burst pipe,caller,yes,250; only topic and phrase are required.";

/** @throws UsageError that names the file, the line and the column */
export function readTopics(file: string): TopicLine[] {
  const [header, ...records] = parseFile(file);
  const bad = (line: number, column: number, what: string) =>
    new UsageError(`Cannot use the topics in ${file}: line ${line}, column ${column}: ${what}`, {
      hint: HINT,
    });
  const { record: names, line: first } = header ?? { record: [], line: 1 };
  for (const [index, name] of names.entries()) {
    if (!COLUMNS.some((known) => known === name))
      throw bad(first, index + 1, `${JSON.stringify(name)} is not a known column${orMeant(name, COLUMNS)}`);
    if (names.indexOf(name) < index) throw bad(first, index + 1, `${name} is already a column`);
  }
  for (const name of ["topic", "phrase"])
    if (!names.includes(name)) throw bad(first, names.length + 1, `the header has no column ${name}`);

  const topics = new Map<string, TopicLine>();
  return records.map(({ record, line: at }) => {
    const complain = (column: Column, what: string) =>
      bad(at, names.indexOf(column) + 1, `${column} ${what}`);
    const textOf = (column: Column) => record[names.indexOf(column)] ?? "";
    if (record.length !== names.length)
      throw bad(at, record.length, `has ${record.length} values, and the header ${names.length}`);
    const topic = presentText(textOf("topic"));
    if (topic === null) throw complain("topic", "is empty, or a text that counts as not set");
    const phrase = textOf("phrase");
    if (foldSpoken(phrase) === "") throw complain("phrase", "is empty");
    const qualifies = QUALIFIES.get(textOf("qualifies").toLowerCase());
    if (qualifies === undefined)
      throw complain("qualifies", `must be yes, no or empty, not ${JSON.stringify(textOf("qualifies"))}`);
    const value = textOf("value") || null;
    if (value !== null && !(AMOUNT.test(value) && Number(value) > 0))
      throw complain("value", `must be a number above 0 such as 149.50, not ${JSON.stringify(value)}`);
    const line = { topic, phrase, speaker: textOf("speaker") || null, qualifies, value, line: at };
    const same = topics.get(toCaseless(topic)) ?? line;
    topics.set(toCaseless(topic), same);
    for (const column of ["topic", "qualifies", "value"] as const)
      if (line[column] !== same[column])
        throw complain(column, `differs from that of the same topic in line ${same.line}`);
    return line;
  });
}

const QUALIFIES: ReadonlyMap<string, boolean | null> = new Map([
  ["yes", true],
  ["no", false],
  ["", null],
]);

function parseFile(file: string) {
  const text = readTextFile(file, file);
  try {
    return parseCsvLines(text);
  } catch (cause) {
    throw new UsageError(`Cannot use the topics in ${file}: ${describeError(cause)}`, { hint: HINT });
  }
}
