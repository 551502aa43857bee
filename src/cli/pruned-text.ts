import { KIND_NAMES, WITHHELD_KINDS } from "../privacy/keep.ts";
import type { PruneCounts } from "../warehouse/prune.ts";
import { formatQuantity } from "./terminal-text.ts";

/** Says what was removed, such as `transcripts of 1,204 calls, caller numbers of 37 calls`. */
export function describePruned(counts: PruneCounts): string {
  const ofCalls = WITHHELD_KINDS.filter((kind) => counts[kind] > 0).map(
    (kind) => `${KIND_NAMES[kind]} of ${formatQuantity(counts[kind], "call")}`,
  );
  const { rejected_rows } = counts;
  const ofRows = rejected_rows > 0 ? [`parts of ${formatQuantity(rejected_rows, "rejected row")}`] : [];
  return [...ofCalls, ...ofRows].join(", ");
}
