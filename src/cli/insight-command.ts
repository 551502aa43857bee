import { Argument, Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { ApiClient } from "../api/client.ts";
import { toApiAccess } from "../config/api-access.ts";
import type { Insight } from "../insights/insight-client.ts";
import { fetchInsights, type InsightUpdate, syncInsights } from "../insights/sync-insights.ts";
import { toPrintable } from "../printable.ts";
import { type Context, OPTION, settingsOf } from "./context.ts";

export function insightCommand(context: Context) {
  return new Command("insight")
    .description("Reads the details of insights, the rules by which the service scores calls.")
    .addHelpText("after", "\nExample:\n  $ calltally insight show 101")
    .addCommand(showCommand(context))
    .addCommand(syncCommand(context));
}

function showCommand(context: Context) {
  return new Command("show")
    .description("Prints the details of insights.")
    .addArgument(idsArgument())
    .option("--json", "print one JSON object per line")
    .addHelpText("after", "\nExample:\n  $ calltally insight show 101 102")
    .action(async (ids, { json }) => {
      await using client = new ApiClient(toApiAccess(settingsOf(context)));
      for await (const insight of fetchInsights(client, ids, context.signal)) {
        context.print(json ? JSON.stringify(insight) : `${describeInsight(insight)}\n`);
      }
    });
}

function syncCommand(context: Context) {
  return new Command("sync")
    .description(
      "Stores the details of insights in the warehouse, and prints what changed since the last time.",
    )
    .addArgument(idsArgument())
    .option(...OPTION.database)
    .option("--json", "print one JSON object per line")
    .addHelpText("after", "\nExample:\n  $ calltally insight sync 101 102")
    .action(async (ids, { json, ...flags }) => {
      const settings = settingsOf(context, flags);
      for await (const update of syncInsights(
        settings.database,
        toApiAccess(settings),
        ids,
        context.signal,
      )) {
        if (json) context.print(JSON.stringify(update));
        else context.tell(describeUpdate(update));
      }
    });
}

function idsArgument() {
  return new Argument("<id...>", "ids of insights").argParser(
    (text: string, ids: number[] | undefined): number[] => {
      if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("must be a whole number");
      return [...(ids ?? []), Number(text)];
    },
  );
}

const NAME_WIDTH = 22;
/** Where the lines of a value begin, so that none looks like a line of ours. */
const NEXT_LINE = `\n${" ".repeat(NAME_WIDTH + 3)}`;

function describeInsight({ insight_id, insight_name, group_list, extra, ...all }: Insight): string {
  // A person can read dates as they are served.
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
