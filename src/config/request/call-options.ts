import * as z from "zod";
import { parseDate } from "../../base/calendar/dates.ts";
import { parseLast } from "../../base/calendar/last.ts";
import { parseFilePath } from "../../base/text/path-text.ts";
import { NO_OUTCOME, STAGES } from "../../calls/filter.ts";
import { parsed } from "./issues.ts";
import { keysOf, type OptionRows } from "./option-row.ts";

const OUTCOMES = [...STAGES, NO_OUTCOME] as const;
const file = parsed(parseFilePath);
/** Texts, of which one is enough. */
export const oneOrMore = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

/** Below `range`. */
export const RANGE_OPTIONS = {
  last: {
    value: parsed((text) => parseLast(text, "2026-01-01")),
    help: "The last complete days, weeks or months, or a period to date: 7d, 4w, 3m, today, yesterday, mtd, ytd, last-month.",
    examples: ["4w", "mtd"],
    valueName: "period",
  },
  from: { value: parsed(parseDate), help: "First local day.", examples: ["2026-10-01"], valueName: "date" },
  to: { value: parsed(parseDate), help: "Last local day.", examples: ["2026-10-31"], valueName: "date" },
} as const satisfies OptionRows;

export const range = z.strictObject(keysOf(RANGE_OPTIONS)).superRefine(({ last, from, to }, context) => {
  if (last !== undefined && (from ?? to) !== undefined)
    context.addIssue("has last and from or to: use one or the other");
  if (from !== undefined && to !== undefined && from > to) context.addIssue(`from ${from} is after to ${to}`);
});

/** Below `filter`. */
export const FILTER_OPTIONS = {
  org_unit: {
    value: oneOrMore,
    help: "Calls of these groups, by name or id.",
    examples: ["Northwind Austin"],
    valueName: "name or id",
  },
  channel: { value: oneOrMore, help: "Calls of these channels.", examples: ["Paid Search"] },
  source: {
    value: oneOrMore,
    help: "Calls of these sources, as in the dimension source.",
    examples: ["google"],
  },
  campaign: {
    value: oneOrMore,
    help: "Calls of these campaigns, by name or id.",
    examples: ["AC Repair – Texas"],
    valueName: "name or id",
  },
  disposition: {
    value: oneOrMore,
    help: "Calls with these dispositions, as the service names them.",
    examples: ["answered"],
  },
  topic: {
    value: oneOrMore,
    help: "Calls about these topics, as in the dimension topic.",
    examples: ["emergency"],
  },
  min_duration_seconds: {
    value: z.int().nonnegative(),
    help: "Calls of at least this duration.",
    examples: [30],
    flag: "--min-duration",
    valueName: "seconds",
  },
  first_time: { value: z.boolean(), help: "Only the first call of each caller." },
  has_gclid: { value: z.boolean(), help: "Only calls with a gclid." },
  tracking_number: {
    value: oneOrMore,
    help: "Calls to these numbers.",
    examples: ["+1 512 555 0117"],
    valueName: "number",
  },
  exclude_callers: {
    value: z.union([file, z.array(file)]),
    help: "File of phone numbers whose calls are left out, one per line.",
    examples: ["test-numbers.txt"],
    valueName: "file",
  },
  outcome: {
    value: z.union([z.enum(OUTCOMES), z.array(z.enum(OUTCOMES)).min(1)]),
    help: "Calls whose job came so far at most; none for calls without one.",
    examples: ["sold"],
  },
  include_gone: { value: z.boolean(), help: "Include calls that are gone from the service." },
  allow_empty: { value: z.boolean(), help: "Accept values that no call in the warehouse has." },
} as const satisfies OptionRows;
