import { Argument, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { parseCurrency } from "../base/currency.ts";
import { COMPARISONS, GRAINS } from "../calendar/grain.ts";
import {
  ACCOUNT,
  AMOUNT,
  CONSENTS,
  CONTENTS,
  DEFAULT_CONVERSION,
  DELIMITER_NAMES,
  FORMATS,
  MAX_TOP,
  MEASUREMENT_ID,
  MIN_CELL,
  PRIVATE_COLUMNS,
  PROFILES,
} from "../request/option-values.ts";
import { DEFAULT_DIMENSIONS, DIMENSIONS } from "../rollup/dimensions.ts";
import { FIGURES } from "../rollup/metrics.ts";
import { callsCommand } from "./calls-options.ts";
import { OPTION } from "./context.ts";
import { choice, oneOf, parser, someOf } from "./suggest.ts";

/** Options that begin the help. */
const MOST_USED: ReadonlySet<string> = new Set([
  "--last",
  "--from",
  "--to",
  "--timezone",
  "--channel",
  "--campaign",
  "--grain",
  "--compare",
  "--total",
  "--format",
  "--out",
]);
const PAGE = "`calltally report` writes a page of charts and tables, which a browser prints or saves as PDF.";
export type ExportFlags = ReturnType<ReturnType<typeof declareExport>["opts"]>;

/** Declares arguments and options; what they mean together, `request/check.ts` says. */
export function declareExport() {
  const command = callsCommand("export")
    .description(
      `Writes a file for each dimension or list, and manifest.json, which records what the figures are based on.
Without arguments: ${DEFAULT_DIMENSIONS.join(" ")}.
To begin with, try \`calltally export channel campaign --last 4w --format xlsx\`.`,
    )
    .addArgument(
      new Argument("[contents...]", "dimensions to group by, or lists of calls")
        .choices(CONTENTS)
        .argParser(someOf(CONTENTS)),
    )
    .optionsGroup("Figures:")
    .addOption(
      severalOf(
        "--by <dimensions>",
        [...DIMENSIONS, ACCOUNT],
        "group by several dimensions together, separated by commas; account stands for those of calltally.yaml",
      ),
    )
    .option("--raw", "group by utm values exactly as stored, so that Google and google stay separate")
    .addOption(choice("--grain <grain>", GRAINS, "split the rows by period"))
    .option("--fill", "add rows of zeros for periods without calls")
    .addOption(choice("--compare <with>", COMPARISONS, "add the columns …_previous and …_change"))
    .addOption(
      new Option(
        "--top <n>",
        "keep the keys with the most calls, and put all others into one row, (other)",
      ).argParser(wholeNumber(1, MAX_TOP)),
    )
    .addOption(
      new Option(
        "--min-cell <n>",
        "share-safe files: put rows of fewer than n calls into (other), and write no text like a phone number or mail address",
      ).argParser(wholeNumber(MIN_CELL.least, MIN_CELL.most)),
    )
    .option("--spend", "add cost, clicks, impressions and costs per call, from what `spend import` read")
    .addOption(
      severalOf(
        "--columns <figures>",
        FIGURES,
        "write these figures only, in this order, separated by commas",
      ),
    )
    .option("--total", "add a row of totals, in which each caller counts once")
    .optionsGroup("Files:")
    .addOption(
      choice("--format <format>", FORMATS, "csv by default; xlsx is one workbook with a sheet for each", {
        pdf: PAGE,
        html: PAGE,
        excel: "for Excel, give xlsx.",
        sheets: "for Google Sheets, give csv or xlsx.",
      }),
    )
    .addOption(
      choice(
        "--profile <profile>",
        PROFILES,
        "by default, texts that a spreadsheet would take for a formula are guarded; machine leaves every value as it is; excel writes values that Excel reads from a CSV file; --format xlsx needs none",
      ),
    )
    .addOption(choice("--delimiter <sign>", DELIMITER_NAMES, "delimiter of CSV files"))
    .addOption(
      severalOf(
        "--with <columns>",
        PRIVATE_COLUMNS,
        `private columns of calls: ${PRIVATE_COLUMNS.join(", ")}`,
      ),
    )
    .option("--replace", "replace the files of another warehouse in the folder")
    .option("--stdout", "write one file to standard output, without a manifest")
    .option(...OPTION.out)
    .option(...OPTION.engine)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .optionsGroup("Conversions:")
    .option("--new", "leave out what an earlier file had, and give each conversion an order id")
    .option(
      "--conversion-name <name>",
      `name of the conversion action (default: "${DEFAULT_CONVERSION}")`,
      parseName,
    )
    .addOption(
      new Option("--conversion-value <amount>", "value of a conversion; blank by default").argParser(
        parseAmount,
      ),
    )
    .addOption(
      new Option("--currency <code>", "currency of the value, e.g. USD").argParser(parser(parseCurrency)),
    )
    .addOption(choice("--ad-user-data <consent>", CONSENTS, "consent to sending caller data to Google"))
    .addOption(choice("--ad-personalization <consent>", CONSENTS, "consent to personalized ads"))
    .option("--every", "include every qualified call, not only the first of each click or caller")
    .addOption(
      new Option("--measurement-id <id>", "data stream of ga4-events, e.g. G-1A2B3C4D5E").argParser(
        parseMeasurementId,
      ),
    )
    .addHelpText(
      "after",
      `
Examples:
  $ calltally export channel utm_campaign --last 3m --grain month --total
  $ calltally export --by utm_source,utm_medium --from 2026-10-01 --to 2026-10-31 --compare previous
  $ calltally export google-ads google-ads-adjustments --new --conversion-value 40 --currency EUR
  $ calltally export channel campaign calls --last 4w --format xlsx --timezone Europe/Berlin
  $ calltally export calls --format parquet --timezone Europe/Berlin`,
    );
  for (const option of command.options) {
    if (MOST_USED.has(option.long ?? "")) option.helpGroup("Most used:");
  }
  return command;
}

/** An option of names that are separated by commas, and that may be given more than once. */
function severalOf<const F extends string, C extends string>(flags: F, names: readonly C[], help: string) {
  const parse = oneOf(names);
  return new Option(flags, help).argParser((text: string, collected: readonly C[] | undefined) => [
    ...new Set([...(collected ?? []), ...text.split(",").map((name) => parse(name.trim()))]),
  ]);
}

/** Returns a parser of whole numbers within bounds. */
function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}`);
  };
}

function parseName(text: string): string {
  const name = text.trim();
  if (name !== "") return name;
  throw new InvalidArgumentError("must be the name of a conversion action in the ad platform");
}

function parseMeasurementId(text: string): string {
  if (MEASUREMENT_ID.test(text)) return text;
  throw new InvalidArgumentError("must be the id of a web data stream, such as G-1A2B3C4D5E");
}

function parseAmount(text: string): string {
  if (AMOUNT.test(text)) return text;
  throw new InvalidArgumentError("must be a number such as 149.50");
}
