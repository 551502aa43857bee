import { basename } from "node:path";
import { encodeTable } from "../../export/formats/encode-table.ts";
import type { ExportJob } from "../../export/job.ts";
import type { WrittenFile } from "../../export/output/file-set.ts";
import { RESTATEMENT_FILE } from "../../export/output/folder.ts";
import type { Column, Value } from "../../export/table.ts";
import type { FigureMemory } from "./figure-memory.ts";
import { RESTATEMENT_REASONS, type Restatement, type RestatementReason } from "./restatement.ts";

type FileColumn = Column & { of: (restatement: Restatement) => Value };

const effectOf = ({ reasons }: Restatement, reason: RestatementReason) =>
  reasons.find((effect) => effect.reason === reason);

const COLUMNS: readonly FileColumn[] = [
  { name: "file", type: "text", of: ({ path }) => basename(path) },
  { name: "contents", type: "text", of: ({ contents }) => contents },
  { name: "period", type: "text", of: ({ period }) => period },
  { name: "key", type: "text", of: ({ key }) => JSON.stringify(key) },
  { name: "metric", type: "text", of: ({ metric }) => metric },
  // A number or a time; neither can be text from a visitor.
  { name: "was", type: "decimal", of: ({ was }) => was },
  { name: "now", type: "decimal", of: ({ now }) => now },
  { name: "change", type: "decimal", of: ({ change }) => change },
  { name: "exported_at", type: "time", of: ({ exported_at }) => exported_at },
  ...RESTATEMENT_REASONS.flatMap((reason): FileColumn[] => [
    { name: `${reason}_calls`, type: "integer", of: (each) => effectOf(each, reason)?.calls ?? null },
    { name: `${reason}_effect`, type: "decimal", of: (each) => effectOf(each, reason)?.effect ?? null },
  ]).filter(({ name }) => name !== "spend_changed_calls"),
  { name: "rules_changed", type: "text", of: ({ rules_changed }) => rules_changed },
];

/** Writes `restatements.csv`, one line per figure; the key columns are a JSON object, since values may be any text. */
export async function writeRestatements(
  { write, ask: { format, timezone } }: Pick<ExportJob, "write" | "ask">,
  restatements: readonly Restatement[],
): Promise<WrittenFile> {
  const table = { columns: COLUMNS, rows: restatements.map((each) => COLUMNS.map(({ of }) => of(each))) };
  const content = await encodeTable(table, format.format === "csv" ? format : { format: "csv" }, timezone);
  return await write(RESTATEMENT_FILE, content);
}

/** Compares figures with what the same files held before, and writes the changes; undefined if nothing was compared. */
export async function writeChanges(job: Pick<ExportJob, "write" | "ask">, memory: FigureMemory) {
  const { rollups, restatements } = memory.compare();
  if (rollups.length === 0) return undefined;
  const file = restatements.length > 0 ? await writeRestatements(job, restatements) : undefined;
  return { rollups, ...(file && { file: { ...file, rows: restatements.length } }) };
}
