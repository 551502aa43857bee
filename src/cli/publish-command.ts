import { Command } from "@commander-js/extra-typings";
import { systemClock } from "../clock.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import type { ExitCode } from "../errors.ts";
import { applyRulesAlone } from "../export/apply-rules.ts";
import { openAsPermitted } from "../warehouse/open.ts";
import { openOwn } from "../warehouse/own-warehouse.ts";
import { attributionProgress } from "./attribution-progress.ts";
import { accountsOf, type Context, OPTION, settingsOf } from "./context.ts";
import { overAccounts } from "./over-accounts.ts";
import { describePublished, runPublish } from "./publish-run.ts";

export function publishCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("publish")
    .description(
      "Copies the facts and the spend of the warehouse to a ClickHouse cluster, and confirms that both sides are equal.",
    )
    .option(
      "--to <url>",
      "the cluster: clickhouse://[user@]host[:port],…/database (CALLTALLY_PUBLISH_TO); the password is in the file CALLTALLY_CLICKHOUSE_PASSWORD_FILE",
    )
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExample:\n  $ calltally publish --to clickhouse://ch1.example.com,ch2.example.com/calls",
    )
    .action(async ({ json, to: publishTo, ...flags }) => {
      const given = { ...flags, publishTo };
      await overAccounts(
        accountsOf(context, given),
        { context, exit },
        async (scope) => {
          const settings = settingsOf(scope.context, given);
          {
            using warehouse = openOwn(settings, openAsPermitted);
            await applyRulesAlone(warehouse, readAttributionRules(settings), {
              nowMs: systemClock.now(),
              signal: context.signal,
              onAttributed: attributionProgress(scope.context),
            });
          }
          const result = await runPublish(context, settings, scope.account.name);
          if (json) scope.context.print(JSON.stringify(result));
          else scope.context.tell(describePublished(result));
        },
        { json },
      );
    });
}
