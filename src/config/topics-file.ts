import { presentText, toCaseless } from "../attribution/call-text.ts";
import { foldSpoken, type TopicLine } from "../attribution/topics.ts";
import { UsageError } from "../base/errors.ts";
import { orMeant } from "../base/nearest.ts";
import { AMOUNT } from "../request/option-values.ts";
import { readCsvFile } from "./csv-file.ts";

const COLUMNS = ["topic", "phrase", "speaker", "qualifies", "value"] as const;
type Column = (typeof COLUMNS)[number];

const HINT =
  "Write a CSV file with the header topic,phrase,speaker,qualifies,value and lines such as emergency,burst pipe,caller,yes,250; only topic and phrase are required.";

/** @throws UsageError that names the file, the line and the column */
export function readTopics(file: string): TopicLine[] {
  const name = `the topics in ${file}`;
  const [header, ...lines] = readCsvFile(file, name, { column: "topic", hint: HINT });
  const bad = (line: number, column: number, what: string) =>
    new UsageError(`Cannot use ${name}: line ${line}, column ${column}: ${what}`, {
      hint: HINT,
    });
  const { cells: names, line: first } = header ?? { cells: [], line: 1 };
  for (const [index, name] of names.entries()) {
    if (!COLUMNS.some((known) => known === name))
      throw bad(first, index + 1, `${JSON.stringify(name)} is not a known column${orMeant(name, COLUMNS)}`);
    if (names.indexOf(name) < index) throw bad(first, index + 1, `${name} is already a column`);
  }
  for (const name of ["topic", "phrase"])
    if (!names.includes(name)) throw bad(first, names.length + 1, `the header has no column ${name}`);

  const topics = new Map<string, TopicLine>();
  return lines.map(({ cells, line: at }) => {
    const complain = (column: Column, what: string) =>
      bad(at, names.indexOf(column) + 1, `${column} ${what}`);
    const textOf = (column: Column) => cells[names.indexOf(column)] ?? "";
    if (cells.length !== names.length)
      throw bad(at, cells.length, `has ${cells.length} values, and the header ${names.length}`);
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
