import { Command } from "@commander-js/extra-typings";
import { parseDate, toInstants } from "../../calendar/dates.ts";
import { readRestatements } from "../../restatements/restatement-table.ts";
import { openWarehouseReader } from "../../warehouse/open.ts";
import { openOwn } from "../../warehouse/own-warehouse.ts";
import { type Context, OPTION } from "../context.ts";
import { perAccount } from "../frame.ts";
import { parser } from "../parsers.ts";
import { describeRestatements } from "../terminal/restatements-text.ts";

export const command = (context: Context) =>
  new Command("restatements")
    .description(
      "Lists figures of complete periods that changed after they were exported, the latest first: what they were, what " +
        "they are, and how many calls came late, were corrected, left the service or were attributed again.",
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
    .action(
      perAccount(context, ({ settings }, { since }) => {
        const { timezone } = settings;
        using reader = openOwn(settings, openWarehouseReader);
        const from = since && toInstants({ from: since }, timezone).startsAt;
        const found = readRestatements(reader, { since: from });
        return { data: found, text: describeRestatements(found, timezone, context.folder) };
      }),
    );
