import { Command, Option } from "@commander-js/extra-typings";
import { type ExitCode, UsageError, worstCode } from "../../base/errors.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { SETTINGS } from "../../config/settings.ts";
import { FEATURES } from "../../features/list.ts";
import { tryAccount } from "../../reports/accounts/for-each-account.ts";
import { hostLimits } from "../../service/api/host-limits.ts";
import { exitCodeOf, runSync } from "../../sync/run.ts";
import { toSyncOptions } from "../../sync/sync-options.ts";
import { accountsOf, configurationOf } from "../chosen-accounts.ts";
import { type Context, flagOf, OPTION } from "../context.ts";
import { type AccountScope, action, overAccounts, type Result, SYNCS_AT_ONCE, toResult } from "../frame.ts";
import { wholeNumber } from "../parsers.ts";
import { attributionProgress, ProgressBar } from "../terminal/progress.ts";
import { summarizeRun } from "../terminal/run-summary.ts";
import { notesOnDispositions } from "../warehouse-notes.ts";
import { describePruned } from "./prune.ts";

export const command = (context: Context) =>
  new Command("sync")
    .description("Copies all attributed calls into the warehouse, and reports whether the pass was complete.")
    .option(...OPTION.database)
    .option(...flagOf(SETTINGS.limit))
    .option(...flagOf(SETTINGS.concurrency))
    .addOption(new Option("--full", "run a full pass over all calls").conflicts("incremental"))
    .option("--incremental", "sync incrementally, and never fall back to a full pass")
    .option(
      "--accept-gone <calls>",
      "accept that up to this many calls are missing at once",
      wholeNumber(),
      0,
    )
    .option("--now", "start now, even if the service asked for a pause")
    .option(
      "--rebind",
      "accept a new address or token for the same account, e.g. after the service has moved",
    )
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExample:\n  $ CALLTALLY_BASE_URL=https://api.example.com CALLTALLY_TOKEN_FILE=token.txt calltally sync",
    )
    .action(
      action(context, async ({ full, incremental, acceptGone, now, rebind }) => {
        const accounts = accountsOf(context);
        if (accounts.length > 1 && (rebind || acceptGone > 0)) {
          throw new UsageError("--rebind and --accept-gone are for one account, but there are several", {
            hint: "Name one with --account.",
          });
        }
        const force = full ? "full" : incremental ? "incremental" : undefined;
        const limitOf = hostLimits(configurationOf(context).hostRequests);
        using progress = new ProgressBar(context);
        const sync = async (scope: AccountScope): Promise<Result> => {
          const { account, settings, note } = scope;
          const news: string[] = [];
          const run = await runSync({
            ...toSyncOptions(settings, limitOf),
            force,
            acceptGone,
            now,
            rebind,
            signal: context.signal,
            onProgress: (done) => progress.update(done, account.name),
            onAttributed: attributionProgress(context, note),
            onNotice: ({ describe }) => news.push(`  notice    ${describe(settings.timezone)}`),
            onPruned: (counts) => note(`Removed ${describePruned(counts)}`),
            onBegunAgain: (remains) =>
              note(`Began a new warehouse, though ${remains} shows that there was one: is its disk mounted?`),
            onNotErased: ({ message }) => note(`${message}: a later sync will do it, or run calltally prune`),
          });
          progress.clear();
          const followed = await runFollowingSteps(scope, context.signal);
          return {
            data: { ...run, ...followed.data },
            summary: [summarizeRun(run), ...news, ...followed.summary].join("\n"),
            notes: notesOnDispositions(settings, account.sources),
            errors: [
              // Not a note: cron mails what --quiet leaves; without names, since it may go to a log.
              ...(news.length > 0 ? [`${formatQuantity(news.length, "notice")}: see calltally status`] : []),
              ...followed.errors,
            ],
            exit: worstCode([exitCodeOf(run), ...followed.exits]),
          };
        };
        return await overAccounts(context, accounts, sync, {
          atOnce: SYNCS_AT_ONCE,
          beforePrint: progress.clear,
        });
      }),
    );

/** What features did after a sync. Their errors are part of the result, because the sync itself is done. */
async function runFollowingSteps({ account, settings }: AccountScope, signal: AbortSignal) {
  const data: Record<string, unknown> = {};
  const [summary, errors, exits]: [string[], string[], ExitCode[]] = [[], [], []];
  for (const { followSync: step } of FEATURES) {
    if (step === undefined) continue;
    const followUp = await tryAccount(account, ({ name }) => step.run({ account: name, settings, signal }));
    if ("value" in followUp) {
      if (followUp.value === undefined) continue;
      data[step.member] = followUp.value.data;
      summary.push(followUp.value.summary);
    } else {
      const result = toResult(account, followUp.error);
      data[step.member] = result.data;
      errors.push(...result.errors.map((text) => `Synced, but not ${step.done}: ${text}`));
      exits.push(result.exit);
    }
  }
  return { data, summary, errors, exits };
}
