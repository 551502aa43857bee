import { Argument, Command } from "@commander-js/extra-typings";
import { ApiClient } from "../../api/client.ts";
import { toApiAccess } from "../../config/api-access.ts";
import { fetchInsights, syncInsights } from "../../insights/sync-insights.ts";
import { settingsOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { show } from "../frame.ts";
import { wholeNumber } from "../parsers.ts";
import { describeInsight, describeUpdate } from "../terminal/insight-text.ts";

export const command = (context: Context) =>
  new Command("insight")
    .description("Reads the details of insights, the rules by which the service scores calls.")
    .addHelpText("after", "\nExample:\n  $ calltally insight show 101")
    .addCommand(showCommand(context))
    .addCommand(syncCommand(context));

const showCommand = (context: Context) =>
  new Command("show")
    .description("Prints the details of insights.")
    .addArgument(idsArgument())
    .option("--json", "print one JSON object per line")
    .addHelpText("after", "\nExample:\n  $ calltally insight show 101 102")
    .action(async (ids) => {
      await using client = new ApiClient(toApiAccess(settingsOf(context)));
      for await (const insight of fetchInsights(client, ids, context.signal))
        show(context, { data: insight, text: `${describeInsight(insight)}\n` });
    });

const syncCommand = (context: Context) =>
  new Command("sync")
    .description(
      "Stores the details of insights in the warehouse, and prints what changed since the last time.",
    )
    .addArgument(idsArgument())
    .option(...OPTION.database)
    .option("--json", "print one JSON object per line")
    .addHelpText("after", "\nExample:\n  $ calltally insight sync 101 102")
    .action(async (ids) => {
      const settings = settingsOf(context);
      const updates = syncInsights(settings.database, toApiAccess(settings), ids, context.signal);
      for await (const update of updates) show(context, { data: update, summary: describeUpdate(update) });
    });

function idsArgument() {
  const parseId = wholeNumber();
  return new Argument("<id...>", "ids of insights").argParser(
    (text: string, ids: readonly number[] | undefined) => [...(ids ?? []), parseId(text)],
  );
}
