import { relative } from "node:path";
import { Command } from "@commander-js/extra-typings";
import { parseDate, toInstants } from "../calendar/dates.ts";
import { localTime } from "../calendar/local-time.ts";
import type { ExitCode } from "../errors.ts";
import { describeRestatement, keyInWords } from "../export/restatement-words.ts";
import { assertCurrent } from "../warehouse/migrate.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import { openOwn } from "../warehouse/own-warehouse.ts";
import { type Restatement, readRestatements } from "../warehouse/restatement-table.ts";
import { accountsOf, type Context, OPTION, settingsOf } from "./context.ts";
import { overAccounts } from "./over-accounts.ts";
import { parser } from "./suggest.ts";
import { ellipsize, formatCount } from "./terminal-text.ts";

const WIDTH = 78;
/** More of them are read as JSON. */
const MOST_SHOWN = 200;

export function restatementsCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("restatements")
    .description(
      "Lists figures of complete periods that changed after they were exported, the latest first: what they were, what " +
        "they are, and how many calls came late, were corrected, left the service or were attributed anew.",
    )
    .option(
      "--since <date>",
      "only those found on this local day or later, e.g. 2026-11-01",
      parser(parseDate),
    )
    .option("--timezone <zone>", "time zone of days and times (CALLTALLY_TIMEZONE, UTC)")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally restatements --since 2026-11-01")
    .action(async ({ json, since, ...flags }) => {
      await overAccounts(
        accountsOf(context, flags),
        { context, exit },
        ({ context: own }) => {
          const settings = settingsOf(own, flags);
          const { timezone } = settings;
          using reader = openOwn(settings, openWarehouseReader);
          assertCurrent(reader);
          const from = since && toInstants({ from: since }, timezone).startsAt;
          const found = readRestatements(reader, { since: from });
          own.print(json ? JSON.stringify(found) : describe(found, timezone, own.folder));
        },
        { json },
      );
    });
}

/** Two lines a figure, below the file that it was in. */
function describe(found: readonly Restatement[], timezone: string, folder: string): string {
  if (found.length === 0) return "No figure that was given out has been found to be another.";
  const toLocal = localTime(timezone);
  const minuteOf = (time: string) => toLocal(time).local.slice(0, "YYYY-MM-DD HH:MM".length);
  const lines: string[] = [];
  let heading = "";
  for (const each of found.slice(0, MOST_SHOWN)) {
    const { path, contents, found_at, given_out_at, period, metric } = each;
    const next = `${minuteOf(found_at)}  ${relative(folder, path)}, ${contents}, given out ${minuteOf(given_out_at)}`;
    if (next !== heading) lines.push(...(heading === "" ? [] : [""]), ellipsize(next, WIDTH));
    heading = next;
    lines.push(
      ellipsize(`  ${[period, keyInWords(each), metric].filter((text) => text !== "").join("  ")}`, WIDTH),
      ellipsize(`    ${describeRestatement(each)}`, WIDTH),
    );
  }
  const more = found.length - MOST_SHOWN;
  if (more > 0) lines.push("", `${formatCount(more)} more, earlier: --json lists all of them.`);
  return lines.join("\n");
}
