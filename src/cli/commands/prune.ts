import { Command } from "@commander-js/extra-typings";
import { systemClock } from "../../base/clock.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { isAllKept, type Keep, KIND_NAMES, WITHHELD_KINDS } from "../../calls/privacy/keep-settings.ts";
import { readAttributionRules } from "../../config/attribution-settings.ts";
import { type PruneResult, pruneNow } from "../../operate/forget/prune-now.ts";
import { hasAny, type PruneCounts } from "../../sync/prune.ts";
import { type Context, OPTION } from "../context.ts";
import { perAccount } from "../frame.ts";
import { attributionProgress } from "../terminal/progress.ts";

export const command = (context: Context) =>
  new Command("prune")
    .description(
      "Removes what the keep settings no longer allow: transcripts, summaries, caller numbers, recording links.",
    )
    .option(...OPTION.database)
    .option("--dry-run", "only count, and remove nothing")
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ CALLTALLY_KEEP_TRANSCRIPTS=90d calltally prune --dry-run")
    .action(
      perAccount(context, async ({ settings, note }, { dryRun: isDryRun = false }) => {
        const { database, baseUrl, orgUnitId, keep } = settings;
        const pruned = await pruneNow({
          database,
          baseUrl,
          orgUnitId,
          keep,
          rules: readAttributionRules(settings),
          isDryRun,
          nowMs: systemClock.now(),
          signal: context.signal,
          onAttributed: attributionProgress(context, note),
        });
        return {
          data: { dry_run: isDryRun, removed: pruned.removed },
          summary: summarizePruned(pruned, { isDryRun, keep }),
        };
      }),
    );

/** Such as `transcripts of 1,204 calls, caller numbers of 37 calls`. */
export function describePruned(counts: PruneCounts): string {
  const ofCalls = WITHHELD_KINDS.filter((kind) => counts[kind] > 0).map(
    (kind) => `${KIND_NAMES[kind]} of ${formatQuantity(counts[kind], "call")}`,
  );
  const { rejected_rows } = counts;
  const ofRows = rejected_rows > 0 ? [`parts of ${formatQuantity(rejected_rows, "rejected row")}`] : [];
  return [...ofCalls, ...ofRows].join(", ");
}

function summarizePruned(
  { removed, isErased }: PruneResult,
  { isDryRun, keep }: { isDryRun: boolean; keep: Keep },
): string {
  if (hasAny(removed)) return `${isDryRun ? "Would remove" : "Removed"} ${describePruned(removed)}`;
  if (isErased) return "Nothing to remove; erased previously removed data from the file";
  return isAllKept(keep) ? "Everything is always kept: no keep setting limits it" : "Nothing to remove";
}
