import { Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { hostLimits } from "../api/host-limits.ts";
import { isPublishedAfterSync } from "../cluster/publish-options.ts";
import type { Settings } from "../config/load-settings.ts";
import { EXIT, type ExitCode, UsageError, worstCode } from "../errors.ts";
import { exitCodeOf, runSync } from "../sync/run.ts";
import { toSyncOptions } from "../sync/sync-options.ts";
import { attributionProgress } from "./attribution-progress.ts";
import { accountsOf, type Context, configurationOf, OPTION, settingsOf } from "./context.ts";
import { noteUnmatchedDispositions } from "./disposition-note.ts";
import { type AccountScope, errorToJson, overAccounts, SYNCS_AT_ONCE } from "./over-accounts.ts";
import { printError } from "./print-error.ts";
import { ProgressBar } from "./progress.ts";
import { describePruned } from "./pruned-text.ts";
import { describePublished, runPublish } from "./publish-run.ts";
import { summarizeRun } from "./summary.ts";

export function syncCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("sync")
    .description("Copies all attributed calls into the warehouse, and reports whether the pass was complete.")
    .option(...OPTION.database)
    .option("--limit <rows>", "calls per page, 2 to 1000 (CALLTALLY_LIMIT, 1000)")
    .option("--concurrency <pages>", "pages fetched concurrently, 1 to 32 (CALLTALLY_CONCURRENCY, 4)")
    .addOption(new Option("--full", "run a full pass over all calls").conflicts("incremental"))
    .option("--incremental", "sync incrementally, and never fall back to a full pass")
    .option("--accept-gone <calls>", "accept that up to this many calls go missing at once", parseCount, 0)
    .option("--now", "start now, even if the service asked for a pause")
    .option(
      "--rebind",
      "accept a new address or token as that of the same account, e.g. after the service has moved",
    )
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExample:\n  $ CALLTALLY_BASE_URL=https://api.example.com CALLTALLY_TOKEN_FILE=token.txt calltally sync",
    )
    .action(async ({ json, full, incremental, acceptGone, now, rebind, ...flags }) => {
      const accounts = accountsOf(context, flags);
      if (accounts.length > 1 && (rebind || acceptGone > 0)) {
        throw new UsageError("--rebind and --accept-gone are for one account, and there are several", {
          hint: "Name one with --account.",
        });
      }
      const force = full ? "full" : incremental ? "incremental" : undefined;
      const limitOf = hostLimits(configurationOf(context).hostRequests);
      using progress = new ProgressBar(context.quiet);
      await overAccounts(
        accounts,
        { context, exit },
        async (scope) => {
          const settings = settingsOf(scope.context, flags);
          const run = await runSync({
            ...toSyncOptions(settings, limitOf),
            force,
            acceptGone,
            now,
            rebind,
            signal: context.signal,
            onProgress: (done) => progress.update(done, scope.account.name),
            onAttributed: attributionProgress(scope.context),
            onPruned: (counts) => scope.context.note(`Removed ${describePruned(counts)}`),
            onNotErased: ({ message }) =>
              scope.context.note(`${message}: a later sync does it, or calltally prune`),
          });
          progress.clear();
          if (!json) scope.context.tell(summarizeRun(run));
          noteUnmatchedDispositions(scope.context, settings);
          const published = await publishAfter(scope, settings, json);
          if (json) scope.context.print(JSON.stringify({ ...run, ...published.shown }));
          scope.exit(worstCode([exitCodeOf(run), published.exitCode]));
        },
        { json, atOnce: SYNCS_AT_ONCE, onPrint: progress.clear },
      );
    });
}

/** Publishes what was read, where the settings say so. What keeps it from that is told: the sync itself was done. */
async function publishAfter(
  { context, account }: AccountScope,
  settings: Settings,
  json: boolean | undefined,
): Promise<{ exitCode: ExitCode; shown?: { publication: object } }> {
  if (!isPublishedAfterSync(settings)) return { exitCode: EXIT.done };
  try {
    const publication = await runPublish(context, settings, account.name, { isThorough: false });
    if (!json) context.tell(describePublished(publication));
    return { exitCode: EXIT.done, shown: { publication } };
  } catch (thrown) {
    context.signal.throwIfAborted();
    const error = printError(context, thrown, "Synced, and not published: ");
    return { exitCode: error.exitCode, shown: { publication: { error: errorToJson(error) } } };
  }
}

function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("must be a number of calls");
}
