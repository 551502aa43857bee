import { z } from "zod";
import { CHANNELS } from "../attribution/channel-rules.ts";
import { parseCurrency } from "../base/currency.ts";
import { parseFilePath } from "../base/path-text.ts";
import { parseDate } from "../calendar/dates.ts";
import { COMPARISONS, GRAINS } from "../calendar/grain.ts";
import { parseLast } from "../calendar/last.ts";
import { DIMENSIONS } from "../rollup/dimensions.ts";
import { FIGURES } from "../rollup/metrics.ts";
import { by } from "./issues.ts";
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
  PRIVATE_COLUMNS,
  PROFILES,
} from "./option-values.ts";

/** Formats of a request: those of tables, a workbook, and the page of charts. */
const REQUEST_FORMATS = [...FORMATS, "html"] as const;

const file = z.string().superRefine(by(parseFilePath));
const flag = (help: string) => z.boolean().meta({ description: help }).optional();
const oneOrMore = (help: string, example: string) =>
  z
    .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
    .meta({ description: help, examples: [example] })
    .optional();

const range = z
  .strictObject({
    last: z
      .string()
      .superRefine(by((text) => parseLast(text, "2026-01-01")))
      .meta({
        description: "The last complete days, weeks or months, or a period to date.",
        examples: ["4w", "mtd"],
      })
      .optional(),
    from: z
      .string()
      .superRefine(by(parseDate))
      .meta({ description: "First local day.", examples: ["2026-10-01"] })
      .optional(),
    to: z
      .string()
      .superRefine(by(parseDate))
      .meta({ description: "Last local day.", examples: ["2026-10-31"] })
      .optional(),
  })
  .superRefine(({ last, from, to }, context) => {
    if (last !== undefined && (from ?? to) !== undefined)
      context.addIssue("has last beside from or to: use one or the other");
    if (from !== undefined && to !== undefined && from > to)
      context.addIssue(`from ${from} is after to ${to}`);
  })
  .meta({ description: "Which days; all calls by default.", examples: [{ last: "4w" }] });

/** In the library and on the command line, case does not matter. */
const channel: z.ZodType<string | string[]> = z
  .union([z.enum(CHANNELS), z.array(z.enum(CHANNELS)).min(1)])
  .meta({ description: "Calls of these channels.", examples: ["Paid Search"] });

const filter = z
  .strictObject({
    org_unit: oneOrMore("Calls of these groups, by name or id.", "north"),
    channel: channel.optional(),
    source: oneOrMore("As in the dimension source.", "google"),
    campaign: oneOrMore("As in the dimension campaign, by name or id.", "brand"),
    disposition: oneOrMore("As the service names it.", "answered"),
    min_duration_seconds: z
      .int()
      .nonnegative()
      .meta({ description: "Calls of at least this duration.", examples: [30] })
      .optional(),
    first_time: flag("Only the first call of each caller."),
    has_gclid: flag("Only calls with a gclid."),
    tracking_number: oneOrMore("Calls to these numbers.", "+49 30 123456"),
    exclude_callers: z
      .union([file, z.array(file)])
      .meta({
        description: "File of phone numbers whose calls are left out, one per line.",
        examples: ["test-numbers.txt"],
      })
      .optional(),
    include_gone: flag("Include calls that are gone from the service."),
    allow_empty: flag("Accept values that no call in the warehouse has."),
  })
  .meta({ description: "Which calls; a list matches any of its values." });

const conversion = z
  .strictObject({
    name: z
      .string()
      .regex(/\S/, "must be the name of a conversion action in the ad platform")
      .meta({ description: "Name of the conversion action.", examples: ["Qualified call"] })
      .optional(),
    value: z
      .union([z.number().nonnegative(), z.string()])
      .refine((value) => AMOUNT.test(String(value)), "must be a number such as 149.50")
      .meta({ description: "Value of a conversion.", examples: [40] })
      .optional(),
    currency: z
      .string()
      .superRefine(by(parseCurrency))
      .meta({ description: "ISO 4217 code of the currency of the value.", examples: ["USD"] })
      .optional(),
    ad_user_data: z
      .enum(CONSENTS)
      .meta({ description: "Consent to sending caller data to Google." })
      .optional(),
    ad_personalization: z.enum(CONSENTS).meta({ description: "Consent to personalized ads." }).optional(),
    every: flag("Include every qualified call, not only the first of each click or caller."),
    new: flag("Leave out what an earlier file had, and give each conversion an order id."),
    measurement_id: z
      .string()
      .regex(MEASUREMENT_ID, "must be the id of a web data stream, such as G-1A2B3C4D5E")
      .meta({ description: "Data stream of ga4-events.", examples: ["G-1A2B3C4D5E"] })
      .optional(),
  })
  .meta({ description: `Of the contents ${[...CONVERSIONS, ADJUSTMENTS].join(", ")}.` });

/** The keys of a request; a report of `calltally.yaml` has these and others. */
export const REQUEST_KEYS = {
  contents: z
    .array(z.enum(CONTENTS))
    .min(1)
    .meta({
      description: "Dimensions and lists, a file or sheet each, as `export` takes them.",
      examples: [["channel", "utm_campaign"]],
    })
    .optional(),
  by: z
    .array(z.enum(DIMENSIONS))
    .min(1)
    .meta({
      description: "Dimensions that are grouped by together.",
      examples: [["utm_source", "utm_medium"]],
    })
    .optional(),
  range: range.optional(),
  grain: z.enum(GRAINS).meta({ description: "Split the rows by period." }).optional(),
  compare: z.enum(COMPARISONS).meta({ description: "Add the columns …_previous and …_change." }).optional(),
  fill: flag("Add rows of zeros for periods without calls."),
  total: flag("Add a row of totals, in which each caller counts once."),
  raw: flag("Group by utm values exactly as stored."),
  spend: flag("Add cost, clicks, impressions and costs per call."),
  columns: z
    .array(z.enum(FIGURES))
    .min(1)
    .meta({
      description: "Write these figures only, in this order.",
      examples: [["calls", "answer_rate"]],
    })
    .optional(),
  min_cell: z
    .int()
    .min(MIN_CELL.least)
    .max(MIN_CELL.most)
    .meta({
      description:
        "Share-safe files: rows of fewer calls are put into the row (other), and no text like a phone number or mail address is written.",
      examples: [10],
    })
    .optional(),
  top: z
    .int()
    .min(1)
    .max(MAX_TOP)
    .meta({
      description: "Keep the keys with the most calls, and put the others into one row.",
      examples: [20],
    })
    .optional(),
  filter: filter.optional(),
  format: z.enum(REQUEST_FORMATS).meta({ description: "csv by default." }).optional(),
  profile: z
    .enum(PROFILES)
    .meta({
      description:
        "By default, texts that a spreadsheet would take for a formula are guarded; `machine` leaves every value as it is; `excel` writes values that Excel reads from a CSV file.",
    })
    .optional(),
  delimiter: z.enum(DELIMITER_NAMES).meta({ description: "Delimiter of CSV files." }).optional(),
  with: z.array(z.enum(PRIVATE_COLUMNS)).meta({ description: "Private columns of calls." }).optional(),
  conversion: conversion.optional(),
};

const exportRequest = z.strictObject(REQUEST_KEYS);

/** What may be asked of calls, by the names of `calltally.yaml`. Flags, the file and the library are parsed into it. */
export type ExportRequest = z.infer<typeof exportRequest>;
/** What an export writes: a rollup by its dimension, or one of the lists. */
export type RequestedContent = (typeof CONTENTS)[number];
