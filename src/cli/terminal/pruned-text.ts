import { formatQuantity } from "../../base/quantity-text.ts";
import { hasAny, type PruneCounts } from "../../forget/prune.ts";
import type { Pruned } from "../../forget/prune-now.ts";
import { isAllKept, type Keep, KIND_NAMES, WITHHELD_KINDS } from "../../privacy/keep-settings.ts";

/** Says what was removed, such as `transcripts of 1,204 calls, caller numbers of 37 calls`. */
export function describePruned(counts: PruneCounts): string {
  const ofCalls = WITHHELD_KINDS.filter((kind) => counts[kind] > 0).map(
    (kind) => `${KIND_NAMES[kind]} of ${formatQuantity(counts[kind], "call")}`,
  );
  const { rejected_rows } = counts;
  const ofRows = rejected_rows > 0 ? [`parts of ${formatQuantity(rejected_rows, "rejected row")}`] : [];
  return [...ofCalls, ...ofRows].join(", ");
}

export function summarizePruned(
  { removed, isErased }: Pruned,
  { isDryRun, keep }: { isDryRun: boolean; keep: Keep },
): string {
  if (hasAny(removed)) return `${isDryRun ? "Would remove" : "Removed"} ${describePruned(removed)}`;
  if (isErased) return "Nothing to remove; erased from the file what had been removed from it";
  return isAllKept(keep) ? "Everything is always kept: no keep setting says otherwise" : "Nothing to remove";
}
