import { Command } from "@commander-js/extra-typings";
import { systemClock } from "../../base/clock.ts";
import { readAttributionRules } from "../../config/attribution-settings.ts";
import { pruneNow } from "../../forget/prune-now.ts";
import { type Context, OPTION } from "../context.ts";
import { perAccount } from "../frame.ts";
import { attributionProgress } from "../terminal/attribution-progress.ts";
import { summarizePruned } from "../terminal/pruned-text.ts";

export const command = (context: Context) =>
  new Command("prune")
    .description(
      "Removes what the keep settings no longer allow: transcripts, summaries, caller numbers, recording links.",
    )
    .option(...OPTION.database)
    .option("--dry-run", "count it, and remove nothing")
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
