import { Command } from "@commander-js/extra-typings";
import { systemClock } from "../../base/clock.ts";
import { readAttributionRules } from "../../config/attribution-settings.ts";
import { SETTINGS } from "../../config/settings.ts";
import { publish } from "../../features/cluster/publish.ts";
import { describePublished } from "../../features/cluster/publish-words.ts";
import { applyRulesAlone } from "../../warehouse/attribution/apply-rules.ts";
import { openAsPermitted } from "../../warehouse/file/open.ts";
import { openOwn } from "../../warehouse/file/own-warehouse.ts";
import { type Context, flagOf, OPTION } from "../context.ts";
import { perAccount } from "../frame.ts";
import { attributionProgress } from "../terminal/progress.ts";

export function command(context: Context) {
  const declared = new Command("publish")
    .description(
      "Copies the facts and the spend of the warehouse to a ClickHouse cluster, and confirms that both sides are equal.",
    )
    .option(...flagOf(SETTINGS.publishTo))
    .option(...OPTION.database)
    .option("--thorough", "Compare all rows with the cluster, not only changed ones.")
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExample:\n  $ calltally publish --to clickhouse://ch1.northwind.example,ch2.northwind.example/calls",
    )
    .action(
      perAccount(context, async ({ account, settings, note }, { thorough: isThorough = false }) => {
        const { signal } = context;
        {
          using warehouse = openOwn(settings, openAsPermitted);
          const onAttributed = attributionProgress(context, note);
          const nowMs = systemClock.now();
          await applyRulesAlone(warehouse, readAttributionRules(settings), { nowMs, signal, onAttributed });
        }
        const result = await publish(settings, { account: account.name, isThorough, signal });
        return { data: result, summary: describePublished(result) };
      }),
    );
  // Only here is `--to` a setting: for an export it is a day.
  declared.on("option:to", (url: string) => declared.setOptionValue("publishTo", url));
  return declared;
}
