import { Argument, Command } from "@commander-js/extra-typings";
import { EXIT } from "../../base/errors.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { toApiAccess } from "../../config/api-access.ts";
import type { Insight } from "../../features/insights/insight-client.ts";
import { INSIGHTS_JOB } from "../../features/insights/insights-job.ts";
import { fetchInsights, type InsightUpdate, syncInsights } from "../../features/insights/sync-insights.ts";
import { settleByHand } from "../../schedule/job-journal.ts";
import { ApiClient } from "../../service/api/client.ts";
import { settingsOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { show } from "../frame.ts";
import { eachOf, wholeNumber } from "../parsers.ts";

export const command = (context: Context) =>
  new Command("insight")
    .description("Reads insights, the rules by which the service scores calls.")
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
      const isWhole = settings.insightIds.every((id) => ids.includes(id));
      if (isWhole) settleByHand(settings.database, INSIGHTS_JOB, EXIT.done);
    });

const idsArgument = () => new Argument("<id...>", "ids of insights").argParser(eachOf(wholeNumber()));

const NAME_WIDTH = 22;
/** Indented, so that no line of a value looks like ours. */
const NEXT_LINE = `\n${" ".repeat(NAME_WIDTH + 3)}`;

function describeInsight({ insight_id, insight_name, group_list, extra, ...all }: Insight): string {
  // People can read dates as served.
  const { start_date_parsed, indicator_start_date_parsed, indicator_end_date_parsed, ...members } = all;
  const lines = [...Object.entries(members), ...Object.entries(extra)].flatMap(([name, value]) =>
    value === null || value === ""
      ? []
      : `  ${toPrintable(name).padEnd(NAME_WIDTH)} ${describeValue(value).replace(/\r\n?|\n/g, NEXT_LINE)}`,
  );
  const groups = group_list.map(({ id }) => id).join(", ");
  return [
    `Insight ${insight_id}: ${nameOf(insight_name)}`,
    ...lines,
    `  ${"groups".padEnd(NAME_WIDTH)} ${groups || "none"}`,
  ].join("\n");
}

function describeUpdate({ insight_id, insight_name, changes }: InsightUpdate): string {
  const title = `Insight ${insight_id}, ${nameOf(insight_name)}`;
  if (changes === undefined) return `${title}: new`;
  if (changes.length === 0) return `${title}: unchanged`;
  const lines = changes.map(({ member, before, after }) =>
    toPrintable(`  ${member}: ${describeValue(before)} → ${describeValue(after)}`),
  );
  return [`${title}: changed`, ...lines].join("\n");
}

function nameOf(insight_name: string | null): string {
  return toPrintable(insight_name ?? "without a name");
}

function describeValue(value: unknown): string {
  return typeof value === "string" ? value || '""' : JSON.stringify(value);
}
