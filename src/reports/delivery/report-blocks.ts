import { type Block, type ListedFile, statementBlocks } from "../../export/blocks.ts";
import { CHANCE_MEANING } from "../../figures/change-chance.ts";
import {
  callerInWords,
  formatBytes,
  type ReportFile,
  type ReportSummary,
  ringBackTitle,
} from "./report-summary.ts";

/** A file as a message has it. */
export interface SentFile extends Pick<ReportFile, "name" | "bytes"> {
  isAttached: boolean;
}

/**
 * Returns what a message about a report consists of, in the order in which it is read, without empty parts.
 * @param files @default those of the report, attached nowhere
 */
export function blocksOf(
  summary: ReportSummary,
  files: readonly SentFile[] = summary.files.map((file) => ({ ...file, isAttached: false })),
): Block[] {
  const { title, letterhead, range, sentences, headline, verdict, notices, statements, folder } = summary;
  const { doubts, remarks } = statementBlocks(statements, "ask the sender for manifest.json");
  const callers = ringBackTitle(summary);
  const isMarked = headline.some(({ within_chance }) => within_chance);
  const lines = [...(isMarked ? [CHANCE_MEANING] : []), ...notices, ...remarks];
  return [
    { kind: "headline", of: { title, letterhead, range } },
    ...doubts,
    ...only(sentences, (sentences): Block => ({ kind: "sentences", of: { sentences } })),
    { kind: "figures", of: { figures: headline } },
    ...(callers === null ? [] : [callersBlock(callers, summary)]),
    { kind: "verdict", of: verdict },
    ...only(lines, (lines): Block => ({ kind: "remarks", of: { lines } })),
    ...only(files, (files): Block => ({ kind: "files", of: { files: files.map(toListed), folder } })),
  ];
}

function only<T>(items: readonly T[], toBlock: (items: readonly T[]) => Block): Block[] {
  return items.length === 0 ? [] : [toBlock(items)];
}

const callersBlock = (title: string, { ring_back }: ReportSummary): Block => ({
  kind: "callers",
  of: { title, lines: (ring_back?.callers ?? []).map(callerInWords) },
});

const toListed = ({ name, bytes, isAttached }: SentFile): ListedFile => ({
  ...{ name, isAttached, parts: [] },
  content: formatBytes(bytes),
});
