import { Command, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { CHANNELS } from "../attribution/channel-rules.ts";
import { readLast } from "../calendar/last.ts";
import { OPTION } from "./context.ts";
import { oneOf, parser } from "./suggest.ts";

/** Declares a command about some calls, with the flags that say which. */
export function callsCommand(name: string) {
  return new Command(name)
    .optionsGroup("Which calls (a flag given more than once matches any of its values):")
    .addOption(
      new Option(
        "--last <period>",
        "the last complete days, weeks or months: 7d, 4w, 3m; or today, yesterday, mtd, ytd, last-month",
      )
        .argParser(parser(parseLast))
        .conflicts(["from", "to"]),
    )
    .option("--from <date>", "first local day, e.g. 2026-10-01")
    .option("--to <date>", "last local day")
    .option(...OPTION.timezone)
    .addOption(several("--org-unit <name or id>", "calls of this group"))
    .addOption(several("--channel <channel>", "calls of this channel, e.g. paid search", parseChannel))
    .addOption(several("--source <source>", "calls of this source, e.g. google"))
    .addOption(several("--campaign <name or id>", "calls of this campaign"))
    .addOption(several("--disposition <disposition>", "calls with this disposition, e.g. answered"))
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
    .option("--include-gone", "include calls that are gone from the service")
    .option("--allow-empty", "accept filter values that no call in the warehouse has");
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

/** Refused before the arguments: of `--last 4 weeks` the shell makes one of `weeks`. */
function parseLast(text: string): string {
  readLast(text);
  return text;
}

/** A channel may be written without capitals. */
function parseChannel(text: string): string {
  const known = CHANNELS.find((channel) => channel.toLowerCase() === text.trim().toLowerCase());
  return known ?? oneOf(CHANNELS)(text);
}

function parseText(text: string): string {
  if (text.trim() !== "") return text;
  throw new InvalidArgumentError("must not be blank");
}

function parseSeconds(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("must be a whole number of seconds");
}
