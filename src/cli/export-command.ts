import { Argument, Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { toPhoneDigits } from "../attribution/call-text.ts";
import { CHANNELS } from "../attribution/channel-rules.ts";
import { COMPARISONS, GRAINS } from "../calendar/grain.ts";
import type { ExitCode } from "../errors.ts";
import { CONSENTS, DELIMITERS, FORMATS, PRIVATE_COLUMNS, PROFILES } from "../export/choices.ts";
import { nearest } from "../nearest.ts";
import { DEFAULT_DIMENSIONS, DIMENSIONS, type Dimension, NOT_SET } from "../rollup/dimensions.ts";
import { type Context, OPTION } from "./context.ts";
import { oneOf, someOf } from "./suggest.ts";

const LISTS = ["calls", "google-ads", "google-leads"] as const;
const CONTENTS = [...DIMENSIONS, ...LISTS] as const;
/** A tab is hard to write on a command line. */
const DELIMITER_NAMES = DELIMITERS.map((delimiter) => (delimiter === "\t" ? "tab" : delimiter));

/** What an export writes: rollups by their dimension, or one of the lists. */
export type Contents = Dimension | (typeof LISTS)[number];
export type ExportFlags = ReturnType<ReturnType<typeof declareExport>["opts"]>;

export function exportCommand(context: Context, exit: (code: ExitCode) => void) {
  return declareExport().action(async (contents, flags) => {
    // Dates and formats bring libraries along that other commands need not wait for.
    const { runExport } = await import("./export-run.ts");
    await runExport(context, contents, flags, exit);
  });
}

/** Declares arguments and options; what they mean together, `export-flags.ts` says. */
function declareExport() {
  return new Command("export")
    .description(
      `Writes a file for each dimension or list, and manifest.json, which says what the figures stand on.
Without arguments: ${DEFAULT_DIMENSIONS.join(" ")}.`,
    )
    .addArgument(
      new Argument("[contents...]", "dimensions to tally by, or lists of calls")
        .choices(CONTENTS)
        .argParser(someOf(CONTENTS)),
    )
    .optionsGroup("Which calls (of flags given twice, either fits):")
    .option("--from <date>", "first local day, e.g. 2026-10-01")
    .option("--to <date>", "last local day")
    .addOption(
      new Option(
        "--last <stretch>",
        "complete days, weeks or months: 7d, 4w, 3m; or mtd, last-month",
      ).conflicts(["from", "to"]),
    )
    .option("--timezone <zone>", "whose days count (CALLTALLY_TIMEZONE, UTC)")
    .addOption(several("--org-unit <name or id>", "of this group"))
    .addOption(several("--channel <channel>", "e.g. paid search", parseChannel))
    .addOption(several("--source <source>", "e.g. google, as the dimension source has it"))
    .addOption(several("--campaign <name or id>", "as the dimension campaign has it"))
    .addOption(several("--disposition <disposition>", "e.g. answered"))
    .addOption(new Option("--min-duration <seconds>", "that lasted so long").argParser(parseSeconds))
    .option("--first-time", "callers' first calls alone")
    .option("--has-gclid", "with a Google click id")
    .addOption(several("--tracking-number <number>", "to this number", parsePhoneNumber))
    .addOption(
      several("--exclude-callers <file>", "leaves out calls of these numbers, one a line: test calls"),
    )
    .option("--include-gone", "also those that the service does not show any more")
    .optionsGroup("Figures:")
    .addOption(
      severalOf("--by <dimensions>", DIMENSIONS, "tally by several dimensions together, separated by commas"),
    )
    .option("--raw", "group utm values as they are stored: Google apart from google")
    .addOption(choice("--grain <grain>", GRAINS, "a row for each period"))
    .option("--fill", "rows of zeros for periods without calls")
    .addOption(choice("--compare <with>", COMPARISONS, "columns …_previous and …_change"))
    .option("--total", "a line of totals, in which callers are counted once")
    .optionsGroup("Files:")
    .addOption(choice("--format <format>", FORMATS, "csv by default"))
    .addOption(choice("--profile <profile>", PROFILES, "values as they are, or made for Excel"))
    .addOption(choice("--delimiter <sign>", DELIMITER_NAMES, "of csv"))
    .addOption(severalOf("--with <columns>", PRIVATE_COLUMNS, `in calls: ${PRIVATE_COLUMNS.join(", ")}`))
    .option("--stdout", "to standard output, one file and no manifest")
    .option(...OPTION.out)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .optionsGroup("Google Ads:")
    .option("--conversion-name <name>", "of the conversion action", parseName, "Qualified call")
    .addOption(
      new Option("--conversion-value <amount>", "of a call; blank by default").argParser(parseAmount),
    )
    .addOption(new Option("--currency <code>", "of the value, e.g. USD").argParser(parseCurrency))
    .addOption(choice("--ad-user-data <consent>", CONSENTS, "consent of the callers"))
    .addOption(choice("--ad-personalization <consent>", CONSENTS, "consent of the callers"))
    .option("--every", "each qualified call, and not the first of a click or caller alone")
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
function several<const F extends string>(flags: F, help: string, parse: (text: string) => string = String) {
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

function parsePhoneNumber(text: string): string {
  if (text === NOT_SET || /^\+?\d+$/.test(toPhoneDigits(text))) return text;
  throw new InvalidArgumentError("It must be a phone number such as +49 30 123456.");
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
  throw new InvalidArgumentError(`It must be a currency's code in ISO 4217. ${advice}`);
}
