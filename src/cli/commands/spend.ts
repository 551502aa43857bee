import { Argument, Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { parseCurrency } from "../../base/currency.ts";
import { EXIT } from "../../base/errors.ts";
import { importFiles } from "../../spend/import-files.ts";
import { DECIMAL_SIGNS } from "../../spend/spend-amount.ts";
import { type HeaderMap, SPEND_FIELDS } from "../../spend/spend-columns.ts";
import { DAY_ORDERS } from "../../spend/spend-day.ts";
import { overFiles } from "../account-files.ts";
import { type Context, OPTION } from "../context.ts";
import { action } from "../frame.ts";
import { choice, oneOf, parser, parseText } from "../parsers.ts";
import { describeImport, spendToJson } from "../terminal/spend-text.ts";

export const command = (context: Context) =>
  new Command("spend")
    .description(
      "Reads what ads cost from the reports of ad platforms; export --spend sets it beside the calls.",
    )
    .addHelpText("after", "\nExample:\n  $ calltally spend import google-ads.csv")
    .addCommand(importCommand(context));

const importCommand = (context: Context) =>
  new Command("import")
    .description(
      `Imports daily spend from CSV files: one day of a source again replaces that day; files given together add up,
but for rows that two of them have.
Reports of Google Ads (google / cpc), Microsoft Advertising (bing / cpc) and Meta (facebook / paid_social) are
recognized by their English headers, and so are columns named ${SPEND_FIELDS.join(", ")}.`,
    )
    .addArgument(
      new Argument(
        "<file...>",
        "CSV, UTF-8 or UTF-16, separated by commas, semicolons or tabs; {account} in a path stands for the name of each account",
      ),
    )
    .addOption(
      new Option("--map <field=Header,…>", "columns of another report, e.g. day=Date,cost=Spend").argParser(
        parseMap,
      ),
    )
    .option("--source <source>", "source of rows without a column for it, e.g. google", parseText)
    .option("--medium <medium>", "medium of rows without a column for it, e.g. cpc", parseText)
    .addOption(
      new Option("--currency <code>", "currency of rows that name none, e.g. USD").argParser(
        parser(parseCurrency),
      ),
    )
    .addOption(choice("--dates <order>", DAY_ORDERS, "how to read 10/5/2026, if the file does not tell"))
    .addOption(choice("--decimal <sign>", DECIMAL_SIGNS, "how to read 1,204, if the file does not tell"))
    .option("--add", "also add rows that an earlier one of these files has as well")
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      `
Examples:
  $ calltally spend import google-ads.csv meta.csv
  $ calltally spend import costs.csv --map day=Date,cost=Amount --source tiktok --medium paid_social --currency EUR`,
    )
    .action(
      action(context, (paths, { map = {}, currency: named, add, ...flags }) =>
        overFiles(context, paths, ({ settings }, files) => {
          const { signal } = context;
          const { reports, imported } = importFiles(settings, files, { ...flags, map, named, add, signal });
          return {
            data: spendToJson(reports, imported),
            summary: describeImport(reports, imported),
            exit: reports.some(({ left_out }) => left_out.length > 0) ? EXIT.unverified : EXIT.done,
          };
        }),
      ),
    );

/** Reads `day=Date,cost=Spend`; a comma belongs to a header unless a field follows it. */
function parseMap(text: string, collected: HeaderMap = {}): HeaderMap {
  const map: HeaderMap = { ...collected };
  for (const part of text.split(/,(?=\s*[a-z_]+\s*=)/i)) {
    const [, name = "", header = ""] = /^\s*(\w+)\s*=\s*(.+?)\s*$/.exec(part) ?? [];
    if (header === "") throw new InvalidArgumentError("must be such as day=Date,cost=Spend");
    map[oneOf(SPEND_FIELDS)(name)] = header;
  }
  return map;
}
