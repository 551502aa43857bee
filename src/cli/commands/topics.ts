import { Command } from "@commander-js/extra-typings";
import { UsageError } from "../../base/errors.ts";
import { recordOf } from "../../base/records.ts";
import { formatQuantity } from "../../base/text/quantity-text.ts";
import { readAttributionRules } from "../../config/attribution-settings.ts";
import { readTopics } from "../../config/files/topics-file.ts";
import { nameSetting } from "../../config/setting-name.ts";
import { SETTINGS } from "../../config/settings.ts";
import {
  readCallsOfTopic,
  readTopicFigures,
  type TopicFigures,
} from "../../features/topics/topic-figures.ts";
import { NOT_SET, TOTAL, toShown } from "../../figures/reserved-keys.ts";
import { openReader } from "../../warehouse/file/open.ts";
import { openOwn } from "../../warehouse/file/own-warehouse.ts";
import { type Context, OPTION } from "../context.ts";
import { perAccount } from "../frame.ts";
import { describeNoLines } from "../terminal/no-lines.ts";
import { layOutTable } from "../terminal/query-table.ts";
import { notesOnRules } from "../warehouse-notes.ts";

export const command = (context: Context) =>
  new Command("topics")
    .description(
      "Shows how many calls each line of the file of topics decides, or which calls a topic has. Reads what was said in all calls.",
    )
    .argument("[topic]", "list the ids of the calls of this topic")
    .option("--try <file>", "use the lines of this file, and show what it would change; nothing is written")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExamples:\n  $ calltally topics\n  $ calltally topics emergency\n  $ calltally topics --try new-topics.csv",
    )
    .action(
      perAccount(context, async ({ account, settings }, topic, { try: file }) => {
        if (topic !== undefined && file !== undefined)
          throw new UsageError("Cannot use a topic with --try: only one of them can be given", {
            hint: "Leave out the topic to try the file; --try does not list calls.",
          });
        const tried = file === undefined ? undefined : readTopics(file);
        using reader = openOwn(settings, openReader);
        const notes = notesOnRules(settings, tried && { topics: tried });
        if (topic !== undefined) {
          const ids = readCallsOfTopic(reader, topic);
          return { data: ids, text: ids.join("\n"), notes };
        }
        const rules = readAttributionRules(settings);
        const figures = await readTopicFigures(reader, { rules: rules, tried, signal: context.signal });
        const none = describeNoLines("topics", {
          file: file ?? settings.topicsFile,
          isEmpty: (tried ?? rules.topics).length === 0,
          setting: nameSetting(SETTINGS.topicsFile, account.sources),
        });
        return { data: figures, text: describeFigures(figures, none), notes };
      }),
    );

/** @param none what to say without lines */
function describeFigures({ lines, calls_kept, sources }: TopicFigures, none: string): string {
  const unmatched = lines.filter(({ calls }) => calls === 0).length;
  return [
    lines.length === 0
      ? none
      : layOutTable(
          ["line", "topic", "calls", "phrase", "speaker"],
          lines.map(({ line, topic, calls, phrase, speaker }) => [line, topic, calls, phrase, speaker ?? ""]),
        ),
    ...(unmatched > 0 ? [`${formatQuantity(unmatched, "line")} of ${lines.length} decide no call.`] : []),
    ...(calls_kept > 0
      ? [`${formatQuantity(calls_kept, "call")} without a transcript any more: the topic stays.`]
      : []),
    ...(sources === undefined ? [] : ["", layOutChanges(sources)]),
  ].join("\n");
}

function layOutChanges(sources: NonNullable<TopicFigures["sources"]>): string {
  const names = ["calls", "other_topic", "qualified_calls", "qualified_calls_then"] as const;
  const sums = recordOf(names, (name) => sources.reduce((total, change) => total + change[name], 0));
  const rows = sources.map(({ source, ...change }) => ({ name: toShown(source ?? NOT_SET), ...change }));
  return layOutTable(
    ["source", "calls", "other topic", "qualified", "then", "change"],
    [...rows, { name: TOTAL, ...sums }].map(
      ({ name, calls, other_topic, qualified_calls: now, qualified_calls_then: then }) => [
        ...[name, calls, other_topic, now, then, then - now],
      ],
    ),
  );
}
