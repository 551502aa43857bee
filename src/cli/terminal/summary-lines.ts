import { join, relative } from "node:path";
import {
  type Block,
  type ListedFile,
  type Printers,
  printBlocks,
  statementBlocks,
} from "../../export/blocks.ts";
import { doubtsOf, type Statement, say } from "../../export/statements/statements.ts";

/** What a command says that it did. */
export type SummaryBlock = Block<"files" | "doubts" | "remarks">;

const LINES: Printers<readonly string[], SummaryBlock["kind"]> = {
  files: ({ files, folder }) =>
    files.flatMap(({ name, content, parts }) => [
      `${join(folder, name)}  ${content}`,
      ...parts.map((part) => `  ${part}`),
    ]),
  doubts: ({ statements }) => statements.flatMap(linesOfDoubt),
  remarks: ({ lines }) => lines,
};

export function toSummaryText(blocks: readonly SummaryBlock[]): string {
  return printBlocks(blocks, LINES).flat().join("\n");
}

/** @param folder where they are, absolute */
export function filesBlock(
  files: readonly Omit<ListedFile, "isAttached">[],
  folder: string,
  workingFolder: string,
): SummaryBlock {
  const listed = files.map((file) => ({ ...file, isAttached: false }));
  return { kind: "files", of: { files: listed, folder: relative(workingFolder, folder) } };
}

export function remarksBlock(lines: readonly string[]): SummaryBlock {
  return { kind: "remarks", of: { lines } };
}

/** Returns the statements on written files. */
export function blocksOfStatements(statements: readonly Statement[]): SummaryBlock[] {
  const { doubts, remarks } = statementBlocks(statements, "see manifest.json");
  return [...doubts, remarksBlock(remarks)];
}

/** Returns all statements, for a stream without a manifest. */
export function linesOf(statements: readonly Statement[]): string[] {
  const doubts = doubtsOf(statements);
  const others = statements.filter((statement) => !doubts.includes(statement));
  return [...doubts.flatMap(linesOfDoubt), ...others.map((each) => say(each).text)];
}

/** Returns a doubt, and what to do about it. */
function linesOfDoubt(doubt: Statement): string[] {
  const { text, hint } = say(doubt);
  return hint === undefined ? [text] : [text, `  ${hint}`];
}
