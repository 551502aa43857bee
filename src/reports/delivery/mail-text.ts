import { type Block, type Figure, type ListedFile, type Printers, printBlocks } from "../../export/blocks.ts";
import { verdictInWords } from "../../export/completeness.ts";
import { toSentenceText } from "../../export/sentences/sentences.ts";
import { say } from "../../export/statements/statements.ts";
import { changeInWords } from "./report-summary.ts";

const toItem = (text: string) => `- ${text}`;

/** The lines of each block. */
const LINES: Printers<readonly string[]> = {
  headline: ({ title, letterhead: { name }, range }) => [...(name === undefined ? [] : [name]), title, range],
  doubts: ({ statements }) => statements.map((doubt) => say(doubt).text),
  sentences: ({ sentences }) => sentences.map(toSentenceText).map(toItem),
  figures: ({ figures }) => alignFigures(figures),
  callers: ({ title, lines }) => [title, ...lines.map(toItem)],
  verdict: (verdict) => [verdictInWords(verdict)],
  remarks: ({ lines }) => lines.map(toItem),
  files: ({ files, folder }) => ["Files", ...files.map(describeFile).map(toItem), ...placeOf(files, folder)],
};

/** Returns the plain text of a mail: paragraphs with an empty line between them. */
export function toMailText(blocks: readonly Block[]): string {
  return [...printBlocks(blocks, LINES), ["--", "Sent by calltally."]]
    .filter((lines) => lines.length > 0)
    .map((lines) => `${lines.join("\n")}\n`)
    .join("\n");
}

function alignFigures(figures: readonly Figure[]): string[] {
  const widest = (texts: readonly string[]) => Math.max(0, ...texts.map((text) => text.length));
  const names = widest(figures.map(({ name }) => name));
  const values = widest(figures.map(({ value }) => value));
  return figures.map((figure) =>
    `${figure.name.padEnd(names)}  ${figure.value.padStart(values)}  ${changeInWords(figure) ?? ""}`.trimEnd(),
  );
}

const describeFile = ({ name, content, isAttached }: ListedFile) =>
  `${name} (${content}${isAttached ? "" : ", not attached"})`;

/** Says where the files are that are not attached. */
export function placeOf(files: readonly ListedFile[], folder: string): string[] {
  return files.every(({ isAttached }) => isAttached)
    ? []
    : [`The sender has the files that are not attached, in ${folder}`];
}
