import * as z from "zod";
import { COMPARISONS, GRAINS } from "../../base/calendar/grain.ts";
import { DIMENSIONS } from "../../figures/dimensions.ts";
import { FIGURES, REVENUE_BY } from "../../figures/metrics.ts";
import { FILTER_OPTIONS, oneOrMore, RANGE_OPTIONS, range } from "./call-options.ts";
import { parseChangedSince } from "./changed-since.ts";
import { UPLOADS } from "./conversion-kinds.ts";
import { CONVERSION_OPTIONS } from "./conversion-options.ts";
import { parsed } from "./issues.ts";
import { keysOf, type OptionRow, type OptionRows } from "./option-row.ts";
import {
  CONTENTS,
  DELIMITER_NAMES,
  FORMATS,
  MAX_TOP,
  MIN_CELL,
  PAGE_FORMATS,
  PAGE_KINDS,
  PRIVATE_COLUMNS,
  PROFILES,
  TABLES,
} from "./option-values.ts";

export const FILTER_DESCRIPTION = "Which calls to include; a list matches any of its values.";

/** The keys of a request, in the order of the help; a report in `calltally.yaml` has these and more. */
export const OPTIONS = {
  contents: {
    value: z.array(z.enum(CONTENTS)).min(1),
    help: "Dimensions and lists, a file or sheet each, as `export` takes them.",
    examples: [["channel", "utm_campaign"]],
    flag: "the contents",
  },
  by: {
    value: z.array(z.enum(DIMENSIONS)).min(1),
    help: "Dimensions to group by in combination.",
    examples: [["utm_source", "utm_medium"]],
  },
  range: {
    value: range,
    help: "Which days; all calls by default.",
    examples: [{ last: "4w" }],
    library: "question",
  },
  grain: {
    value: z.enum(GRAINS),
    help: "Split the rows by period.",
    takenBy: ["rollup", "page"],
    library: "question",
  },
  compare: {
    value: z.union([z.enum(COMPARISONS), z.array(z.enum(COMPARISONS)).min(1)]),
    help: "Add what each figure was before, and its change: previous is the time just before the days, year the same dates a year earlier, 52-weeks the same weekdays, period-on-period for each period the one before it; one or several.",
    examples: ["previous", ["previous", "year"]],
    takenBy: ["rollup", "page"],
    library: "question",
    valueName: "with",
  },
  chance: {
    value: z.boolean(),
    help: "Add whether chance alone may explain each change, …_within_chance.",
    takenBy: ["rollup"],
    isPassed: true,
    library: "question",
  },
  versus: {
    value: z.string().min(1),
    help: "Compare the rates of each row with those of this one, and add whether chance alone may explain the difference.",
    examples: ["lp-old"],
    takenBy: ["rollup"],
    isPassed: true,
    library: "question",
    valueName: "row",
  },
  fill: {
    value: z.boolean(),
    help: "Add rows of zeros for periods without calls.",
    takenBy: ["rollup"],
    isPassed: true,
    library: "question",
  },
  total: {
    value: z.boolean(),
    help: "Add a row of totals, in which each caller counts once.",
    takenBy: ["rollup"],
    isPassed: true,
    library: "question",
  },
  raw: {
    value: z.boolean(),
    help: "Group by utm values exactly as stored, so that Google and google stay separate.",
    takenBy: ["rollup"],
    isPassed: true,
    library: "files",
  },
  spend: {
    value: z.boolean(),
    help: "Add cost, clicks, impressions and costs per call, from what `spend import` read.",
    takenBy: ["rollup", ...PAGE_KINDS],
    library: "question",
  },
  outcomes: {
    value: z.boolean(),
    help: "Add booked and sold calls and revenue, from what `outcome import` read.",
    takenBy: ["rollup", ...PAGE_KINDS],
    library: "question",
  },
  revenue_by: {
    value: z.enum(REVENUE_BY),
    help: "When booked and sold calls and revenue count: in the period of their call, by default, or by the date of the job.",
    default: "call",
    takenBy: ["rollup", ...PAGE_KINDS],
    library: "question",
    valueName: "date",
  },
  columns: {
    value: z.array(z.enum(FIGURES)).min(1),
    help: "Write these figures only, in this order.",
    examples: [["calls", "answer_rate"]],
    takenBy: ["rollup"],
    library: "question",
    valueName: "figures",
  },
  min_cell: {
    value: z.int().min(MIN_CELL.least).max(MIN_CELL.most),
    help: "Share-safe files: rows of fewer calls are folded into the row (other), and no text like a phone number or mail address is written.",
    examples: [10],
    takenBy: ["rollup", "explore"],
    library: "files",
    valueName: "n",
  },
  top: {
    value: z.int().min(1).max(MAX_TOP),
    help: "Keep the keys with the most calls, and fold all others into one row, (other).",
    examples: [20],
    takenBy: ["rollup"],
    isPassed: true,
    library: "question",
    valueName: "n",
  },
  filter: { value: z.strictObject(keysOf(FILTER_OPTIONS)), help: FILTER_DESCRIPTION, library: "question" },
  format: {
    value: z.enum([...FORMATS, ...PAGE_FORMATS]),
    help: "csv by default; xlsx is one workbook with a sheet for each, sqlite one database with a table for each; html is the page of charts, pdf the same printed by an installed browser, explore the page to explore.",
    default: "csv",
    takenBy: [...TABLES, ...PAGE_KINDS],
    isOfEveryFile: true,
    library: "files",
    shownIn: "files",
  },
  profile: {
    value: z.enum(PROFILES),
    help: "By default, texts that look like formulas are guarded; `machine` leaves every value unchanged, as in lists of changed calls; `excel` writes values for Excel.",
    takenBy: TABLES,
    isOfEveryFile: true,
    library: "files",
    shownIn: "files",
  },
  delimiter: {
    value: z.enum(DELIMITER_NAMES),
    help: "Delimiter of CSV files.",
    takenBy: TABLES,
    isOfEveryFile: true,
    valueName: "sign",
    shownIn: "files",
  },
  rows: {
    value: z.boolean(),
    help: "In the page to explore, list the calls: id, time, duration, disposition, what decided the source.",
    takenBy: ["explore"],
    isPassed: true,
    shownIn: "report",
  },
  with: {
    value: z.array(z.enum(PRIVATE_COLUMNS)),
    help: "Private columns of calls.",
    takenBy: ["explore", "calls", "callbacks"],
    isPassed: true,
    library: "files",
    valueName: "columns",
    shownIn: "files",
  },
  changed_since: {
    value: parsed(parseChangedSince),
    help: "Only calls that changed after a run, a time, or from a local day on: new ones, and others with another content or fact.",
    examples: ["2026-11-20T09:30:00.000Z"],
    takenBy: ["calls"],
    valueName: "run or time",
    shownIn: "files",
  },
  caller: {
    value: oneOrMore,
    help: "Only calls of these phone numbers, in any spelling; a number without a country code gets the one of nearly all callers.",
    examples: ["+1 512 555 0117"],
    takenBy: ["calls"],
    library: "files",
    valueName: "number",
    shownIn: "files",
  },
  conversion: {
    value: z.strictObject(keysOf(CONVERSION_OPTIONS)),
    help: `Of the contents ${UPLOADS.join(", ")}.`,
  },
} as const satisfies OptionRows;

type Options = typeof OPTIONS;
export type OptionThat<Has> = {
  [Name in keyof Options]: Options[Name] extends Has ? Name : never;
}[keyof Options];

/** As in a file: `grain`, `range`, `filter.org_unit`. */
export type OptionName =
  | keyof Options
  | `range.${keyof typeof RANGE_OPTIONS}`
  | `filter.${keyof typeof FILTER_OPTIONS}`
  | `conversion.${keyof typeof CONVERSION_OPTIONS}`;

/** Options that have rows of their own below them. */
const GROUPS: Readonly<Record<string, OptionRows>> = {
  range: RANGE_OPTIONS,
  filter: FILTER_OPTIONS,
  conversion: CONVERSION_OPTIONS,
};

/** All options by their names, such as `grain` and `filter.org_unit`. */
export const ALL_OPTIONS: ReadonlyMap<string, OptionRow> = new Map(
  Object.entries(OPTIONS).flatMap(([name, row]): [string, OptionRow][] => {
    const below = GROUPS[name];
    return below === undefined
      ? [[name, row]]
      : Object.entries(below).map(([part, each]) => [`${name}.${part}`, each]);
  }),
);

/** Returns the options that have a property, in the order of the table. */
export function optionsThat<const Has extends Partial<OptionRow>>(has: Has): OptionThat<Has>[];
export function optionsThat(has: object): string[] {
  return Object.entries(OPTIONS).flatMap(([name, row]) =>
    Object.entries(has).every(([property, value]) => Reflect.get(row, property) === value) ? name : [],
  );
}

/** Returns the flag of an option, such as `--tracking-number` for `filter.tracking_number`. */
export function flagOf(option: string): string {
  return ALL_OPTIONS.get(option)?.flag ?? `--${option.slice(option.indexOf(".") + 1).replaceAll("_", "-")}`;
}
