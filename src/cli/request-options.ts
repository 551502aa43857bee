import { Command, type CommandUnknownOpts, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { z } from "zod";
import type { Wording } from "../request/check.ts";
import { REQUEST_KEYS } from "../request/export-request.ts";
import { FORMAT_NAMES, FORMATS } from "../request/option-values.ts";
import { OPTION } from "./context.ts";
import { choice, eachOf, oneOf, parseText, severalOf, wholeNumber } from "./parsers.ts";

/** Options whose flags are not named after their last part. */
const FLAGS: Readonly<Record<string, string>> = {
  contents: "the contents",
  "filter.min_duration_seconds": "--min-duration",
  "conversion.name": "--conversion-name",
  "conversion.value": "--conversion-value",
};

export const FLAG_WORDING: Wording = {
  spell: (option) => FLAGS[option] ?? `--${option.slice(option.indexOf(".") + 1).replaceAll("_", "-")}`,
  hint: "See calltally export --help.",
};

/** What the help calls the values of flags; others are called like the flag. */
const VALUES: Readonly<Record<string, string>> = {
  "range.last": "period",
  "range.from": "date",
  "range.to": "date",
  "filter.org_unit": "name or id",
  "filter.campaign": "name or id",
  "filter.min_duration_seconds": "seconds",
  "filter.tracking_number": "number",
  "filter.exclude_callers": "file",
  compare: "with",
  columns: "figures",
  revenue_by: "date",
  min_cell: "n",
  top: "n",
  delimiter: "sign",
  with: "columns",
  changed_since: "run or time",
  "conversion.name": "name",
  "conversion.value": "amount",
  "conversion.currency": "code",
  "conversion.ad_user_data": "consent",
  "conversion.ad_personalization": "consent",
  "conversion.measurement_id": "id",
};

const PAGE =
  "`calltally report` writes a page of charts and tables, which a browser can print or save as PDF.";
/** Formats that other commands write, or that have other names. */
const OTHER_FORMATS = {
  pdf: PAGE,
  html: PAGE,
  tsv: "use csv with --delimiter tab.",
  sheets: "for Google Sheets, use csv or xlsx.",
  ...Object.fromEntries(Object.entries(FORMAT_NAMES).map(([name, format]) => [name, `use ${format}.`])),
};

const { contents: _, by: __, range, ...others } = REQUEST_KEYS;
/** The order of two days is checked with their flags' names. */
const keys = { range: z.strictObject(range.unwrap().shape).optional(), ...others };
export const flaggedRequest = z.strictObject(keys);
/** The schemas of options with flags, by name, such as `filter.org_unit`. */
export const FLAGGED_OPTIONS: ReadonlyMap<string, z.core.$ZodType> = new Map(optionsIn(keys));

function optionsIn(shape: Readonly<Record<string, z.core.$ZodType>>): [string, z.core.$ZodType][] {
  return Object.entries(shape).flatMap(([key, optional]): [string, z.core.$ZodType][] => {
    const schema = optional instanceof z.ZodOptional ? optional.unwrap() : optional;
    if (!(schema instanceof z.ZodObject)) return [[key, schema]];
    return optionsIn(schema.shape).map(([part, inner]) => [`${key}.${part}`, inner]);
  });
}

export function callsCommand(name: string) {
  const command = new Command(name);
  const heading = "Which calls (a flag given more than once matches any of its values):";
  addRequestOptions(command, heading, (option) => /^(range|filter)\./.test(option));
  return command.option(...OPTION.timezone);
}

export function addRequestOptions(
  command: CommandUnknownOpts,
  heading: string,
  isMeant: (option: string) => boolean,
): void {
  command.optionsGroup(heading);
  for (const option of FLAGGED_OPTIONS.keys()) if (isMeant(option)) addRequestOption(command, option);
}

/** Adds the flag of a request's option. @param help @default from the schema */
export function addRequestOption(command: CommandUnknownOpts, name: string, help?: string): void {
  const schema = FLAGGED_OPTIONS.get(name);
  const option = toOption(name, schema, help ?? helpOf(schema));
  command.addOption(name === "range.last" ? option.conflicts(["from", "to"]) : option);
}

function toOption(name: string, schema: z.core.$ZodType | undefined, help: string): Option {
  const flag = FLAG_WORDING.spell(name);
  const flags = `${flag} <${VALUES[name] ?? flag.slice(2)}>`;
  if (schema instanceof z.ZodBoolean) return new Option(flag, help);
  if (schema instanceof z.ZodNumber)
    return new Option(flags, help).argParser(wholeNumber(schema.minValue ?? 0, schema.maxValue ?? undefined));
  if (name === "format") return choice(flags, FORMATS, help, OTHER_FORMATS);
  if (schema instanceof z.ZodEnum) return choice(flags, schema.options.map(String), help);
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodEnum)
    return severalOf(flags, schema.element.options.map(String), `${help}, separated by commas`);
  const [first, list] = schema instanceof z.ZodUnion ? schema.options : [];
  if (!(list instanceof z.ZodArray)) return new Option(flags, help).argParser(parserOf(schema));
  const parse = parserOf(first);
  return new Option(flags, help).argParser(eachOf((text) => parse(parseText(text))));
}

/** In the form for the middle of a sentence, with an example. */
function helpOf(schema: z.core.$ZodType | undefined): string {
  const { description = "", examples } = (schema && z.globalRegistry.get(schema)) ?? {};
  const [example] = Array.isArray(examples) ? examples : [];
  const text = description.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase()).replace(/\.$/, "");
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
