import { Argument, Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { CHANNELS } from "../attribution/channel-rules.ts";
import { COMPARISONS, GRAINS } from "../calendar/grain.ts";
import { type ExitCode, UsageError } from "../errors.ts";
import {
  ACCOUNT,
  CONSENTS,
  DELIMITER_NAMES,
  FORMATS,
  LISTS,
  PRIVATE_COLUMNS,
  PROFILES,
} from "../export/choices.ts";
import { nearest } from "../nearest.ts";
import { DEFAULT_DIMENSIONS, DIMENSIONS, type Dimension } from "../rollup/dimensions.ts";
import { accountsOf, type Context, OPTION } from "./context.ts";
import { overAccounts } from "./over-accounts.ts";
import { oneOf, someOf } from "./suggest.ts";

const CONTENTS = [...DIMENSIONS, ...LISTS] as const;

/** What an export writes: rollups by their dimension, or one of the lists. */
export type Contents = Dimension | (typeof LISTS)[number];
export type ExportFlags = ReturnType<ReturnType<typeof declareExport>["opts"]>;

export function exportCommand(context: Context, exit: (code: ExitCode) => void) {
  return declareExport().action(async (contents, flags) => {
    // Dates and formats bring libraries along that other commands need not wait for.
    const { runExport } = await import("./export-run.ts");
    if (flags.by?.includes(ACCOUNT)) {
      const { runAccountExport } = await import("./account-export-run.ts");
      return await runAccountExport(context, contents, flags, exit);
    }
    const accounts = accountsOf(context, flags);
    if (flags.stdout && accounts.length > 1) {
      throw new UsageError("--stdout writes one file, and there are several accounts", {
        hint: "Name one with --account.",
      });
    }
    await overAccounts(
      accounts,
      { context, exit },
      (scope) => runExport(scope.context, contents, flags, scope.exit),
      { json: flags.json },
    );
  });
}

/** Declares arguments and options; what they mean together, `export-flags.ts` says. */
function declareExport() {
  return new Command("export")
    .description(
      `Writes a file for each dimension or list, and manifest.json, which records what the figures are based on.
Without arguments: ${DEFAULT_DIMENSIONS.join(" ")}.`,
    )
    .addArgument(
      new Argument("[contents...]", "dimensions to group by, or lists of calls")
        .choices(CONTENTS)
        .argParser(someOf(CONTENTS)),
    )
    .optionsGroup("Which calls (a flag given more than once matches any of its values):")
    .option("--from <date>", "first local day, e.g. 2026-10-01")
    .option("--to <date>", "last local day")
    .addOption(
      new Option(
        "--last <period>",
        "the last complete days, weeks or months: 7d, 4w, 3m; or mtd, last-month",
      ).conflicts(["from", "to"]),
    )
    .option("--timezone <zone>", "time zone of the days (CALLTALLY_TIMEZONE, UTC)")
    .addOption(several("--org-unit <name or id>", "calls of this group"))
    .addOption(several("--channel <channel>", "e.g. paid search", parseChannel))
    .addOption(several("--source <source>", "as in the dimension source, e.g. google"))
    .addOption(several("--campaign <name or id>", "as in the dimension campaign"))
    .addOption(several("--disposition <disposition>", "e.g. answered"))
    .addOption(
      new Option("--min-duration <seconds>", "calls of at least this duration").argParser(parseSeconds),
    )
    .option("--first-time", "only the first call of each caller")
    .option("--has-gclid", "only calls with a gclid")
    .addOption(several("--tracking-number <number>", "calls to this number"))
    .addOption(
      several(
        "--exclude-callers <file>",
        "leave out calls from the numbers in this file, one per line, e.g. test calls",
      ),
    )
    .option("--include-gone", "include calls that the service no longer lists")
    .option("--allow-empty", "accept filter values that no call in the warehouse has")
    .optionsGroup("Figures:")
    .addOption(
      severalOf(
        "--by <dimensions>",
        [...DIMENSIONS, ACCOUNT],
        "group by several dimensions together, separated by commas; account is that of calltally.yaml",
      ),
    )
    .option("--raw", "group by utm values exactly as stored, so that Google and google stay separate")
    .addOption(choice("--grain <grain>", GRAINS, "split the rows by period"))
    .option("--fill", "add rows of zeros for periods without calls")
    .addOption(choice("--compare <with>", COMPARISONS, "add the columns …_previous and …_change"))
    .option("--total", "add a row of totals, in which each caller counts once")
    .optionsGroup("Files:")
    .addOption(choice("--format <format>", FORMATS, "csv by default"))
    .addOption(choice("--profile <profile>", PROFILES, "plain values, or values formatted for Excel"))
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
    .option(...OPTION.database)
    .option(...OPTION.json)
    .optionsGroup("Google Ads:")
    .option("--conversion-name <name>", "name of the conversion action", parseName, "Qualified call")
    .addOption(
      new Option("--conversion-value <amount>", "value of a conversion; blank by default").argParser(
        parseAmount,
      ),
    )
    .addOption(new Option("--currency <code>", "currency of the value, e.g. USD").argParser(parseCurrency))
    .addOption(choice("--ad-user-data <consent>", CONSENTS, "consent to sending caller data to Google"))
    .addOption(choice("--ad-personalization <consent>", CONSENTS, "consent to personalized ads"))
    .option("--every", "include every qualified call, not only the first of each click or caller")
    .addHelpText(
      "after",
      `
Examples:
  $ calltally export channel utm_campaign --last 3m --grain month --total
  $ calltally export --by utm_source,utm_medium --from 2026-10-01 --to 2026-10-31 --compare previous
  $ calltally export google-ads --last 8d --conversion-value 40 --currency EUR
  $ calltally export calls --format parquet --timezone Europe/Berlin`,
    );
}

function choice<const F extends string, C extends string>(flags: F, choices: readonly C[], help: string) {
  return new Option(flags, help).choices(choices).argParser(oneOf(choices));
}

/** An option that may be given more than once. */
function several<const F extends string>(
  flags: F,
  help: string,
  parse: (text: string) => string = parseText,
) {
  return new Option(flags, help).argParser((text: string, collected: readonly string[] | undefined) => [
    ...(collected ?? []),
    parse(text),
  ]);
}

/** An option of names that are separated by commas, and that may be given more than once. */
function severalOf<const F extends string, C extends string>(flags: F, names: readonly C[], help: string) {
  const parse = oneOf(names);
  return new Option(flags, help).argParser((text: string, collected: readonly C[] | undefined) => [
    ...new Set([...(collected ?? []), ...text.split(",").map((name) => parse(name.trim()))]),
  ]);
}

/** A channel may be written without capitals. */
function parseChannel(text: string): string {
  const known = CHANNELS.find((channel) => channel.toLowerCase() === text.trim().toLowerCase());
  return known ?? oneOf(CHANNELS)(text);
}

function parseText(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("It must not be blank.");
}

function parseSeconds(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number of seconds.");
}

function parseName(text: string): string {
  const name = text.trim();
  if (name !== "") return name;
  throw new InvalidArgumentError("It must be the name of a conversion action in Google Ads.");
}

function parseAmount(text: string): string {
  if (/^\d{1,12}(\.\d{1,6})?$/.test(text)) return text;
  throw new InvalidArgumentError("It must be a number such as 149.50.");
}

function parseCurrency(text: string): string {
  const [code, codes] = [text.toUpperCase(), Intl.supportedValuesOf("currency")];
  if (codes.includes(code)) return code;
  const advice = `Did you mean ${nearest(code, codes) ?? "USD"}?`;
  throw new InvalidArgumentError(`It must be an ISO 4217 currency code. ${advice}`);
}
