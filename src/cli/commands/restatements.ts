import { relative } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { formatCount } from "../../base/quantity-text.ts";
import { parseDate, toInstants } from "../../calendar/dates.ts";
import { minutesOf } from "../../calendar/local-time.ts";
import type { Restatement } from "../../export/restatement.ts";
import { describeRestatement, keyInWords } from "../../export/restatement-words.ts";
import { readRestatements } from "../../features/restatements/restatement-table.ts";
import { openReader } from "../../warehouse/open.ts";
import { openOwn } from "../../warehouse/own-warehouse.ts";
import { type Context, OPTION } from "../context.ts";
import { perAccount } from "../frame.ts";
import { parser } from "../parsers.ts";
import { ellipsize } from "../terminal/text.ts";

export const command = (context: Context) =>
  new Command("restatements")
    .description(
      "Lists figures of complete periods that changed after they were exported, latest first: the old value, the new " +
        "value, and how many calls came late, were corrected, left the service or were attributed again.",
    )
    .option(
      "--since <date>",
      "only those found on this local day or later, e.g. 2026-11-01",
      parser(parseDate),
    )
    .option(...OPTION.timezone)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally restatements --since 2026-11-01")
    .action(
      perAccount(context, ({ settings }, { since }) => {
        const { timezone } = settings;
        using reader = openOwn(settings, openReader);
        const from = since && toInstants({ from: since }, timezone).startsAt;
        const found = readRestatements(reader, { since: from });
        return { data: found, text: describeRestatements(found, timezone, context.folder) };
      }),
    );

const WIDTH = 78;
/** More are readable only as JSON. */
const MAX_SHOWN = 200;

/** Two lines per figure, below its file. */
function describeRestatements(found: readonly Restatement[], timezone: string, folder: string): string {
  if (found.length === 0) return "No restatements.";
  const minuteOf = minutesOf(timezone);
  const lines: string[] = [];
  let heading = "";
  for (const each of found.slice(0, MAX_SHOWN)) {
    const { path, contents, found_at, exported_at, period, metric } = each;
    const next = `${minuteOf(found_at)}  ${relative(folder, path)}, ${contents}, exported ${minuteOf(exported_at)}`;
    if (next !== heading) lines.push(...(heading === "" ? [] : [""]), ellipsize(next, WIDTH));
    heading = next;
    lines.push(
      ellipsize(`  ${[period, keyInWords(each), metric].filter((text) => text !== "").join("  ")}`, WIDTH),
      ellipsize(`    ${describeRestatement(each)}`, WIDTH),
    );
  }
  const more = found.length - MAX_SHOWN;
  if (more > 0) lines.push("", `${formatCount(more)} more, earlier: --json lists all of them.`);
  return lines.join("\n");
}
