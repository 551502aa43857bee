import type { Sentence } from "../../export/sentences/sentences.ts";
import {
  callerInWords,
  doubtsInWords,
  type Figure,
  type ReportFile,
  type ReportSummary,
  remarksInWords,
  ringBackTitle,
} from "./report-summary.ts";

/** A file as a message has it. */
export interface SentFile extends Pick<ReportFile, "name" | "bytes"> {
  isAttached: boolean;
}

/** What a message about a report consists of, in the order in which it is read. */
export type Block =
  | { kind: "title"; title: string; name: string | undefined; range: string }
  | { kind: "doubts"; lines: readonly string[] }
  | { kind: "sentences"; sentences: readonly Sentence[] }
  | { kind: "figures"; figures: readonly Figure[] }
  | { kind: "callers"; title: string; lines: readonly string[] }
  | { kind: "verdict"; text: string }
  | { kind: "remarks"; lines: readonly string[] }
  | { kind: "files"; files: readonly SentFile[]; folder: string };

/** How a kind of message prints each block. */
export type Printers<T> = {
  [Kind in Block["kind"]]: (block: Extract<Block, { kind: Kind }>) => T;
};

/** Returns the blocks of a report, without empty ones. @param files @default those of the report, attached nowhere */
export function blocksOf(
  summary: ReportSummary,
  files: readonly SentFile[] = summary.files.map((file) => ({ ...file, isAttached: false })),
): Block[] {
  const { title, letterhead, range, sentences, headline, folder } = summary;
  const doubts = doubtsInWords(summary);
  const [verdict = "", ...remarks] = remarksInWords(summary);
  const callers = ringBackTitle(summary);
  const lines = (summary.ring_back?.callers ?? []).map(callerInWords);
  return [
    { kind: "title", title, name: letterhead.name, range },
    ...(doubts.length > 0 ? [{ kind: "doubts", lines: doubts } as const] : []),
    ...(sentences.length > 0 ? [{ kind: "sentences", sentences } as const] : []),
    { kind: "figures", figures: headline },
    ...(callers === null ? [] : [{ kind: "callers", title: callers, lines } as const]),
    { kind: "verdict", text: verdict },
    ...(remarks.length > 0 ? [{ kind: "remarks", lines: remarks } as const] : []),
    ...(files.length > 0 ? [{ kind: "files", files, folder } as const] : []),
  ];
}

export function printBlocks<T>(blocks: readonly Block[], printers: Printers<T>): T[] {
  return blocks.map((block) => printBlock(block, printers));
}

function printBlock<T>(block: Block, printers: Printers<T>): T {
  switch (block.kind) {
    case "title":
      return printers.title(block);
    case "doubts":
      return printers.doubts(block);
    case "sentences":
      return printers.sentences(block);
    case "figures":
      return printers.figures(block);
    case "callers":
      return printers.callers(block);
    case "verdict":
      return printers.verdict(block);
    case "remarks":
      return printers.remarks(block);
    case "files":
      return printers.files(block);
  }
}
