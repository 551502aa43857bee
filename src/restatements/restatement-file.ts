import { basename } from "node:path";
import { encodeTable } from "../export/formats/encode-table.ts";
import type { Job } from "../export/job.ts";
import type { Manifest } from "../export/manifest.ts";
import { RESTATEMENT_FILE } from "../export/output/earlier-restatements.ts";
import type { WrittenFile } from "../export/output/file-set.ts";
import { RESTATEMENT_REASONS, type Restatement } from "../export/restatement.ts";
import type { Column } from "../export/table.ts";
import type { FigureMemory } from "./figure-memory.ts";

const LEADING: readonly Column[] = [
  { name: "file", type: "text" },
  { name: "contents", type: "text" },
  { name: "period", type: "text" },
  { name: "key", type: "text" },
  { name: "metric", type: "text" },
  // A number or a time; neither can be text from a visitor.
  { name: "was", type: "decimal" },
  { name: "now", type: "decimal" },
  { name: "change", type: "decimal" },
  { name: "given_out_at", type: "time" },
];
const COLUMNS: readonly Column[] = [
  ...LEADING,
  ...RESTATEMENT_REASONS.flatMap((reason): Column[] => [
    ...(reason === "spend_changed" ? [] : [{ name: `${reason}_calls`, type: "integer" } as const]),
    { name: `${reason}_effect`, type: "decimal" },
  ]),
  { name: "rules_changed", type: "text" },
];

/** Writes `restatements.csv`, one line per figure; the key columns are a JSON object, since a value can have any text. */
export async function writeRestatements(
  { write, ask: { format } }: Pick<Job, "write" | "ask">,
  found: readonly Restatement[],
): Promise<WrittenFile> {
  const rows = found.map((each) => [
    basename(each.path),
    each.contents,
    each.period,
    JSON.stringify(each.key),
    each.metric,
    each.was,
    each.now,
    each.change,
    each.given_out_at,
    ...RESTATEMENT_REASONS.flatMap((reason) => {
      const { calls = null, effect = null } = each.reasons.find((one) => one.reason === reason) ?? {};
      return reason === "spend_changed" ? [effect] : [calls, effect];
    }),
    each.rules_changed,
  ]);
  const table = { columns: COLUMNS, rows };
  const content = await encodeTable(table, format.format === "csv" ? format : { format: "csv" });
  return await write(RESTATEMENT_FILE, content);
}

/** Compares figures with those that the same files held before, and writes what changed; undefined if nothing was compared. */
export async function writeChanges(
  job: Pick<Job, "write" | "ask">,
  memory: FigureMemory,
): Promise<Manifest["restatements"]> {
  const { rollups, restatements } = memory.compare();
  if (rollups.length === 0) return undefined;
  const file = restatements.length > 0 ? await writeRestatements(job, restatements) : undefined;
  return { rollups, ...(file && { file: { ...file, rows: restatements.length } }) };
}
