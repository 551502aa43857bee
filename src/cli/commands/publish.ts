import { Command } from "@commander-js/extra-typings";
import { systemClock } from "../../base/clock.ts";
import { EXIT } from "../../base/errors.ts";
import { formatCount, formatElapsed, formatQuantity } from "../../base/text/quantity-text.ts";
import type { Account } from "../../config/accounts.ts";
import { readAttributionRules } from "../../config/attribution-settings.ts";
import type { Settings } from "../../config/load-settings.ts";
import { SETTINGS } from "../../config/settings.ts";
import { isPublishedAfterSync, publish } from "../../features/cluster/publish.ts";
import { applyRulesAlone } from "../../warehouse/attribution/apply-rules.ts";
import { openAsPermitted } from "../../warehouse/file/open.ts";
import { openOwn } from "../../warehouse/file/own-warehouse.ts";
import { tryAccount } from "../../warehouse/for-each-account.ts";
import { type Context, flagOf, OPTION } from "../context.ts";
import { perAccount, toResult } from "../frame.ts";
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

/**
 * Publishes an account after its sync; undefined if the settings disable it. An error is part of the result, because
 * the sync itself is done.
 */
export async function publishSynced(settings: Settings, account: Account, signal: AbortSignal) {
  if (!isPublishedAfterSync(settings)) return undefined;
  const published = await tryAccount(account, ({ name }) => publish(settings, { account: name, signal }));
  if ("value" in published) {
    const { value } = published;
    return { data: value, summary: [describePublished(value)], errors: [], exit: EXIT.done };
  }
  const { errors, ...result } = toResult(account, published.error);
  return { ...result, errors: errors.map((text) => `Synced, but not published: ${text}`) };
}

function describePublished(published: Awaited<ReturnType<typeof publish>>): string {
  const { target, account, shards, totals, sent, erased, elapsed_ms } = published;
  const { calls, spend } = sent;
  const rows = (count: number) => formatCount(count).padStart(11);
  return [
    `Published ${account}, ${formatElapsed(elapsed_ms)}, to ${target}`,
    `  calls     ${rows(totals.calls)}   in ${formatQuantity(shards, "shard")}, equal there, month by month`,
    `  sent      ${rows(calls.rows)}`,
    `  removed   ${rows(calls.removed)}`,
    ...(totals.spend_rows + spend.removed > 0
      ? [
          `  spend     ${rows(totals.spend_rows)}   rows; ${formatCount(spend.rows)} sent, ${formatCount(spend.removed)} removed`,
        ]
      : []),
    ...(erased ? ["  erased                replaced rows: the servers have merged their parts"] : []),
  ].join("\n");
}
