import { presentText, toCaseless } from "../../calls/attribution/call-text.ts";
import { foldSpoken, type TopicLine } from "../../calls/attribution/topics.ts";
import { AMOUNT } from "../request/option-values.ts";
import { readCsvTable } from "./csv-file.ts";

const COLUMNS = ["topic", "phrase", "speaker", "qualifies", "value"] as const;
type Column = (typeof COLUMNS)[number];

const HINT =
  "Write a CSV file with the header topic,phrase,speaker,qualifies,value and lines such as emergency,burst pipe,caller,yes,250; only topic and phrase are required.";

/** @throws UsageError that names the file, the line and the column */
export function readTopics(file: string): TopicLine[] {
  const name = `the topics in ${file}`;
  const { rows, complain: complainOf } = readCsvTable(file, name, {
    columns: COLUMNS,
    required: ["topic", "phrase"],
    hint: HINT,
  });
  const topics = new Map<string, TopicLine>();
  return rows.map(({ line: at, textOf }) => {
    const complain = (column: Column, what: string) => complainOf(at, column, what);
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
