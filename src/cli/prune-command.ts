import { Command } from "@commander-js/extra-typings";
import { systemClock } from "../clock.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { ExitCode } from "../errors.ts";
import { isAllKept } from "../privacy/keep.ts";
import { pruneNow } from "../sync/prune-now.ts";
import { hasAny } from "../warehouse/prune.ts";
import { attributionProgress } from "./attribution-progress.ts";
import { accountsOf, type Context, OPTION, settingsOf } from "./context.ts";
import { overAccounts } from "./over-accounts.ts";
import { describePruned } from "./pruned-text.ts";

export function pruneCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("prune")
    .description(
      "Removes what the keep settings no longer allow: transcripts, summaries, caller numbers, recording links.",
    )
    .option(...OPTION.database)
    .option("--dry-run", "count it, and remove nothing")
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ CALLTALLY_KEEP_TRANSCRIPTS=90d calltally prune --dry-run")
    .action(async ({ json, dryRun: isDryRun = false, ...flags }) => {
      await overAccounts(
        accountsOf(context, flags),
        { context, exit },
        async (scope) => {
          const settings = settingsOf(scope.context, flags);
          const { database, baseUrl, orgUnitId, keep } = settings;
          const { removed, isErased } = await pruneNow({
            database,
            baseUrl,
            orgUnitId,
            keep,
            rules: readAttributionRules(settings),
            isDryRun,
            nowMs: systemClock.now(),
            signal: context.signal,
            onAttributed: attributionProgress(scope.context),
          });
          if (json) scope.context.print(JSON.stringify({ dry_run: isDryRun, removed }));
          else if (hasAny(removed))
            scope.context.tell(`${isDryRun ? "Would remove" : "Removed"} ${describePruned(removed)}`);
          else if (isErased)
            scope.context.tell("Nothing to remove; erased from the file what had been removed from it");
          else if (isAllKept(keep))
            scope.context.tell("Everything is always kept: no keep setting says otherwise");
          else scope.context.tell("Nothing to remove");
        },
        { json },
      );
    });
}
