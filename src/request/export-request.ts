import { z } from "zod";
import { parseCurrency } from "../base/currency.ts";
import { parseFilePath } from "../base/path-text.ts";
import { parseDate } from "../calendar/dates.ts";
import { COMPARISONS, GRAINS } from "../calendar/grain.ts";
import { parseLast } from "../calendar/last.ts";
import { NO_OUTCOME, STAGES } from "../call/filter.ts";
import { DIMENSIONS } from "../figures/dimensions.ts";
import { FIGURES, REVENUE_BY } from "../figures/metrics.ts";
import { parseChangedSince } from "./changed-since.ts";
import { option, parsed } from "./issues.ts";
import {
  ADJUSTMENTS,
  AMOUNT,
  CONSENTS,
  CONTENTS,
  CONVERSIONS,
  DELIMITER_NAMES,
  FORMATS,
  MAX_TOP,
  MEASUREMENT_ID,
  MIN_CELL,
  OUTCOME_VALUE,
  PRIVATE_COLUMNS,
  PROFILES,
  QUALIFY,
} from "./option-values.ts";

const REQUEST_FORMATS = [...FORMATS, "html", "explore"] as const;

const flag = (help: string) => option(z.boolean(), help);
const OUTCOME_FILTERS = [...STAGES, NO_OUTCOME] as const;
const file = parsed(parseFilePath);
const oneOrMore = (help: string, example: string) =>
  option(z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]), help, example);

const range = z
  .strictObject({
    last: option(
      parsed((text) => parseLast(text, "2026-01-01")),
      "The last complete days, weeks or months, or a period to date: 7d, 4w, 3m, today, yesterday, mtd, ytd, last-month.",
      "4w",
      "mtd",
    ),
    from: option(parsed(parseDate), "First local day.", "2026-10-01"),
    to: option(parsed(parseDate), "Last local day.", "2026-10-31"),
  })
  .superRefine(({ last, from, to }, context) => {
    if (last !== undefined && (from ?? to) !== undefined)
      context.addIssue("has last and from or to: use one or the other");
    if (from !== undefined && to !== undefined && from > to)
      context.addIssue(`from ${from} is after to ${to}`);
  });

const filter = z.strictObject({
  org_unit: oneOrMore("Calls of these groups, by name or id.", "Northwind Austin"),
  channel: oneOrMore("Calls of these channels.", "Paid Search"),
  source: oneOrMore("Calls of these sources, as in the dimension source.", "google"),
  campaign: oneOrMore("Calls of these campaigns, by name or id.", "AC Repair – Texas"),
  disposition: oneOrMore("Calls with these dispositions, as the service names them.", "answered"),
  topic: oneOrMore("Calls about these topics, as in the dimension topic.", "emergency"),
  min_duration_seconds: option(z.int().nonnegative(), "Calls of at least this duration.", 30),
  first_time: flag("Only the first call of each caller."),
  has_gclid: flag("Only calls with a gclid."),
  tracking_number: oneOrMore("Calls to these numbers.", "+1 512 555 0117"),
  exclude_callers: option(
    z.union([file, z.array(file)]),
    "File of phone numbers whose calls are left out, one per line.",
    "test-numbers.txt",
  ),
  outcome: option(
    z.union([z.enum(OUTCOME_FILTERS), z.array(z.enum(OUTCOME_FILTERS)).min(1)]),
    "Calls whose job came so far at most; none for calls without one.",
    "sold",
  ),
  include_gone: flag("Include calls that are gone from the service."),
  allow_empty: flag("Accept values that no call in the warehouse has."),
});

const conversion = z.strictObject({
  name: option(
    z.string().trim().regex(/\S/, "must be the name of a conversion action in the ad platform"),
    "Name of the conversion action, by default Qualified call, Booked call or Sold call.",
    "Qualified call",
  ),
  value: option(
    z
      .union([z.number().nonnegative(), z.string()])
      .refine(
        (value) => value === OUTCOME_VALUE || AMOUNT.test(String(value)),
        "must be a number such as 149.50, or outcome",
      ),
    "Value of a conversion, or `outcome` for what its calls earned; blank by default.",
    40,
  ),
  currency: option(parsed(parseCurrency).toUpperCase(), "ISO 4217 code of the currency of the value.", "USD"),
  ad_user_data: option(z.enum(CONSENTS), "Consent to sending caller data to Google."),
  ad_personalization: option(z.enum(CONSENTS), "Consent to personalized ads."),
  qualify: option(
    z.enum(QUALIFY),
    "Which calls are conversions: qualified ones, by default, or those whose job was booked or sold.",
  ),
  every: flag("Include every qualified call, not only the first of each click or caller."),
  new: flag("Leave out conversions of earlier files, and give each an order id."),
  measurement_id: option(
    z.string().regex(MEASUREMENT_ID, "must be the id of a web data stream, such as G-1A2B3C4D5E"),
    "Data stream of ga4-events.",
    "G-1A2B3C4D5E",
  ),
});

export const FILTER_DESCRIPTION = "Which calls to include; a list matches any of its values.";

/** The keys of a request; a report in `calltally.yaml` has these and more. */
export const REQUEST_KEYS = {
  contents: option(
    z.array(z.enum(CONTENTS)).min(1),
    "Dimensions and lists, a file or sheet each, as `export` takes them.",
    ["channel", "utm_campaign"],
  ),
  by: option(z.array(z.enum(DIMENSIONS)).min(1), "Dimensions to group by in combination.", [
    "utm_source",
    "utm_medium",
  ]),
  range: option(range, "Which days; all calls by default.", { last: "4w" }),
  grain: option(z.enum(GRAINS), "Split the rows by period."),
  compare: option(z.enum(COMPARISONS), "Add the columns …_previous and …_change."),
  chance: flag("Add whether chance alone may explain each change, …_within_chance."),
  fill: flag("Add rows of zeros for periods without calls."),
  total: flag("Add a row of totals, in which each caller counts once."),
  raw: flag("Group by utm values exactly as stored, so that Google and google stay separate."),
  spend: flag("Add cost, clicks, impressions and costs per call, from what `spend import` read."),
  outcomes: flag("Add booked and sold calls and revenue, from what `outcome import` read."),
  revenue_by: option(
    z.enum(REVENUE_BY),
    "When booked and sold calls and revenue count: in the period of their call, by default, or by the date of the job.",
  ),
  columns: option(z.array(z.enum(FIGURES)).min(1), "Write these figures only, in this order.", [
    "calls",
    "answer_rate",
  ]),
  min_cell: option(
    z.int().min(MIN_CELL.least).max(MIN_CELL.most),
    "Share-safe files: rows of fewer calls are folded into the row (other), and no text like a phone number or mail address is written.",
    10,
  ),
  top: option(
    z.int().min(1).max(MAX_TOP),
    "Keep the keys with the most calls, and fold all others into one row, (other).",
    20,
  ),
  filter: option(filter, FILTER_DESCRIPTION),
  format: option(
    z.enum(REQUEST_FORMATS),
    "csv by default; xlsx is one workbook with a sheet for each, sqlite one database with a table for each; html is the page of charts, explore the page to explore.",
  ),
  profile: option(
    z.enum(PROFILES),
    "By default, texts that look like formulas are guarded; `machine` leaves every value unchanged, as in lists of changed calls; `excel` writes values for Excel.",
  ),
  delimiter: option(z.enum(DELIMITER_NAMES), "Delimiter of CSV files."),
  rows: flag(
    "In the page to explore, list the calls: id, time, duration, disposition, what decided the source.",
  ),
  with: option(z.array(z.enum(PRIVATE_COLUMNS)), "Private columns of calls."),
  changed_since: option(
    parsed(parseChangedSince),
    "Only calls that changed after a run, a time, or from a local day on: new ones, and others with another content or fact.",
    "2026-11-20T09:30:00.000Z",
  ),
  conversion: option(conversion, `Of the contents ${[...CONVERSIONS, ADJUSTMENTS].join(", ")}.`),
};

const exportRequest = z.strictObject(REQUEST_KEYS);

/** What may be asked, in the names of `calltally.yaml`. Flags, the file and the library are parsed into it. */
export type ExportRequest = z.infer<typeof exportRequest>;
export type RequestedContent = (typeof CONTENTS)[number];
