import { Command, type CommandUnknownOpts, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { z } from "zod";
import { RANGE_OPTIONS } from "../config/request/call-options.ts";
import type { Wording } from "../config/request/check.ts";
import { REQUEST_KEYS } from "../config/request/export-request.ts";
import { keysOf, type OptionRow } from "../config/request/option-row.ts";
import { FORMAT_NAMES, FORMATS } from "../config/request/option-values.ts";
import { ALL_OPTIONS, flagOf } from "../config/request/options.ts";
import { OPTION } from "./context.ts";
import { choice, eachOf, oneOf, parseText, severalOf, wholeNumber } from "./parsers.ts";

export const FLAG_WORDING: Wording = {
  spell: flagOf,
  hint: "See calltally export --help.",
};

/** Formats that other commands write, or that have other names. */
const OTHER_FORMATS = {
  html: "`calltally report` writes a page of charts and tables.",
  pdf: "`calltally report --format pdf` prints a page of charts and tables.",
  explore: "`calltally report --explore` writes a page to explore.",
  tsv: "use csv with --delimiter tab.",
  sheets: "for Google Sheets, use csv or xlsx.",
  ...Object.fromEntries(Object.entries(FORMAT_NAMES).map(([name, format]) => [name, `use ${format}.`])),
};

const { contents: _, by: __, range: ___, ...others } = REQUEST_KEYS;
/** The order of two days is checked with their flags' names. */
export const flaggedRequest = z.strictObject({
  range: z.strictObject(keysOf(RANGE_OPTIONS)).optional(),
  ...others,
});
/** The options with flags, by name, such as `filter.org_unit`. */
export const FLAGGED_OPTIONS: ReadonlyMap<string, OptionRow> = new Map(
  [...ALL_OPTIONS].filter(([name]) => name !== "contents" && name !== "by"),
);

export function callsCommand(name: string) {
  const command = new Command(name);
  const heading = "Which calls (a flag given more than once matches any of its values):";
  addRequestOptions(command, heading, (option) => /^(range|filter)\./.test(option));
  return command.option(...OPTION.timezone);
}

export function addRequestOptions(
  command: CommandUnknownOpts,
  heading: string,
  isMeant: (option: string, row: OptionRow) => boolean,
): void {
  command.optionsGroup(heading);
  for (const [option, row] of FLAGGED_OPTIONS) if (isMeant(option, row)) addRequestOption(command, option);
}

/** Adds the flag of a request's option. @param help @default that of the option */
export function addRequestOption(command: CommandUnknownOpts, name: string, help?: string): void {
  const row = FLAGGED_OPTIONS.get(name);
  const option = toOption(name, row?.value, help ?? helpOf(row));
  command.addOption(name === "range.last" ? option.conflicts(["from", "to"]) : option);
}

function toOption(name: string, schema: z.core.$ZodType | undefined, help: string): Option {
  const flag = FLAG_WORDING.spell(name);
  const flags = `${flag} <${ALL_OPTIONS.get(name)?.valueName ?? flag.slice(2)}>`;
  if (schema instanceof z.ZodBoolean) return new Option(flag, help);
  if (schema instanceof z.ZodNumber)
    return new Option(flags, help).argParser(wholeNumber(schema.minValue ?? 0, schema.maxValue ?? undefined));
  if (name === "format") return choice(flags, FORMATS, help, OTHER_FORMATS);
  if (schema instanceof z.ZodEnum) return choice(flags, schema.options.map(String), help);
  const [first, list = schema] = schema instanceof z.ZodUnion ? schema.options : [];
  // Flags of the filter are given once for each value.
  if (list instanceof z.ZodArray && list.element instanceof z.ZodEnum && !name.startsWith("filter."))
    return severalOf(flags, list.element.options.map(String), `${help}, separated by commas`);
  if (!(list instanceof z.ZodArray)) return new Option(flags, help).argParser(parserOf(schema));
  const parse = parserOf(first);
  return new Option(flags, help).argParser(eachOf((text) => parse(parseText(text))));
}

/** In the form for the middle of a sentence, with an example. */
function helpOf(row: OptionRow | undefined): string {
  const { help = "", examples: [example] = [] } = row ?? {};
  const text = help.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase()).replace(/\.$/, "");
  return typeof example === "string" && !text.includes(example) ? `${text}, e.g. ${example}` : text;
}

function parserOf(schema: z.core.$ZodType | undefined): (text: string) => string {
  if (schema instanceof z.ZodEnum) return oneOf(schema.options.map(String));
  return (text: string): string => {
    const { data, error } = z.safeParse(schema ?? z.never(), text);
    if (error === undefined) return String(data);
    throw new InvalidArgumentError(error.issues[0]?.message ?? "");
  };
}
