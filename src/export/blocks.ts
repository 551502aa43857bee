import type { Letterhead } from "./letterhead/letterhead.ts";
import type { Sentence } from "./sentences/sentences.ts";
import type { Verdict } from "./statements/completeness.ts";
import { doubtsOf, type Statement, saySome } from "./statements/statements.ts";

/** A figure in words, with its change. */
export interface Figure {
  name: string;
  value: string;
  /** Such as `+12.4%`; null if there is nothing to compare with. */
  change: string | null;
  /** What it changed from; null without a change. */
  previous: string | null;
  /** Whether chance alone may explain the change. */
  within_chance: boolean;
}

/** A file in a list. */
export interface ListedFile {
  name: string;
  /** Its size, or its rows and calls. */
  content: string;
  /** Whether it comes with the message. */
  isAttached: boolean;
  /** Its sheets or tables. */
  parts: readonly string[];
}

/** What a summary of figures can consist of. */
interface Contents {
  headline: { title: string; letterhead: Letterhead; range: string };
  doubts: { statements: readonly Statement[] };
  sentences: { sentences: readonly Sentence[] };
  figures: { figures: readonly Figure[] };
  callers: { title: string; lines: readonly string[] };
  verdict: Verdict;
  remarks: { lines: readonly string[] };
  files: { files: readonly ListedFile[]; folder: string };
}

type Kind = keyof Contents;

/** A part of a summary. A surface prints those kinds that it has. */
export type Block<K extends Kind = Kind> = { [Each in K]: { kind: Each; of: Contents[Each] } }[K];

/** How a surface prints each kind of block. */
export type Printers<T, K extends Kind = Kind> = { [Each in K]: (content: Contents[Each]) => T };

export function printBlocks<T, K extends Kind>(blocks: readonly Block<K>[], printers: Printers<T, K>): T[] {
  return blocks.map((block) => printBlock(block, printers));
}

function printBlock<T, K extends Kind>({ kind, of }: Block<K>, printers: Printers<T, K>): T {
  return printers[kind](of);
}

/** Returns the blocks of statements: doubts, and the others in words. @param where all cautions are */
export function statementBlocks(
  statements: readonly Statement[],
  where: string,
): { doubts: Block<"doubts">[]; remarks: string[] } {
  const doubts = doubtsOf(statements);
  return {
    doubts: doubts.length > 0 ? [{ kind: "doubts", of: { statements: doubts } }] : [],
    remarks: saySome(
      statements.filter(({ level }) => level !== "doubt"),
      where,
    ),
  };
}
