import { Command } from "@commander-js/extra-typings";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { readAttributionRules } from "../../config/attribution-settings.ts";
import { readChannels } from "../../config/files/channels-file.ts";
import { nameSetting } from "../../config/setting-name.ts";
import { SETTINGS } from "../../config/settings.ts";
import { toShown } from "../../figures/reserved-keys.ts";
import { type ChannelFigures, readChannelFigures } from "../../operate/explain/channel-figures.ts";
import { openReader } from "../../warehouse/file/open.ts";
import { openOwn } from "../../warehouse/file/own-warehouse.ts";
import { type Context, OPTION } from "../context.ts";
import { perAccount } from "../frame.ts";
import { describeNoLines } from "../terminal/no-lines.ts";
import { layOutTable } from "../terminal/query-table.ts";
import { notesOnRules } from "../warehouse-notes.ts";

export const command = (context: Context) =>
  new Command("channels")
    .description("Shows how many calls each line of the file of channels decides.")
    .option("--try <file>", "use the lines of this file, and show what it would change; nothing is written")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExamples:\n  $ calltally channels\n  $ calltally channels --try new-channels.csv",
    )
    .action(
      perAccount(context, async ({ account, settings }, { try: file }) => {
        const tried = file === undefined ? undefined : readChannels(file);
        using reader = openOwn(settings, openReader);
        const rules = readAttributionRules(settings);
        const figures = readChannelFigures(reader, { rules: rules, tried });
        const none = describeNoLines("own channels", {
          file: file ?? settings.channelsFile,
          isEmpty: (tried ?? rules.channels).length === 0,
          setting: nameSetting(SETTINGS.channelsFile, account.sources),
        });
        return {
          data: figures,
          text: describeFigures(figures, none),
          notes: notesOnRules(settings, tried && { channels: tried }),
        };
      }),
    );

/** @param none what to say without lines */
function describeFigures({ lines, channels, calls_moved }: ChannelFigures, none: string): string {
  const unmatched = lines.filter(({ calls }) => calls === 0).length;
  return [
    lines.length === 0
      ? none
      : layOutTable(
          ["line", "channel", "calls", "source", "medium", "campaign", "referrer"],
          lines.map(({ line, channel, calls, source, medium, campaign, referrer }) => [
            ...[line, channel, calls, source, medium, campaign, referrer],
          ]),
        ),
    ...(unmatched > 0 ? [`${formatQuantity(unmatched, "line")} of ${lines.length} decide no call.`] : []),
    ...(channels === undefined
      ? []
      : [
          "",
          layOutChanges(channels),
          `${formatQuantity(calls_moved ?? 0, "call")} would get another channel.`,
        ]),
  ].join("\n");
}

function layOutChanges(channels: NonNullable<ChannelFigures["channels"]>): string {
  return layOutTable(
    ["channel", "calls", "then", "change", "qualified", "then", "change"],
    channels.map(({ channel, calls, calls_then, qualified_calls, qualified_calls_then }) => [
      ...[toShown(channel), calls, calls_then, calls_then - calls],
      ...[qualified_calls, qualified_calls_then, qualified_calls_then - qualified_calls],
    ]),
  );
}
