import { closedRange, countDays, type DateRange, parseDate } from "../../base/calendar/dates.ts";
import type { Comparison, ComparisonName, Grain } from "../../base/calendar/grain.ts";
import { comparisonOfLast, parseLast } from "../../base/calendar/last.ts";
import { localDate } from "../../base/calendar/local-time.ts";
import { parseFrom, UsageError } from "../../base/errors.ts";
import { pick } from "../../base/records.ts";
import type { CallFilter } from "../../calls/filter.ts";
import type { OutcomeForm } from "../../figures/metrics.ts";
import { type ChangedSince, parseChangedSince } from "./changed-since.ts";
import { AS_WRITTEN, type Wording } from "./check.ts";
import { type Content, toContents } from "./contents.ts";
import { CONVERSION_OPTIONS } from "./conversion-options.ts";
import type { ExportRequest } from "./export-request.ts";
import {
  DEFAULT_NAMES,
  type Delimiter,
  isChartFormat,
  isOneFile,
  isPageFormat,
  isPrinted,
  ONE_FILE,
  type OneFileFormat,
  type Profile,
  type TableFormat,
} from "./option-values.ts";
import { OPTIONS, type OptionThat, optionsThat } from "./options.ts";

export interface FormatOptions {
  format: TableFormat;
  /** For `csv`. By default texts are guarded against spreadsheet formulas. */
  profile?: Profile | undefined;
  /** For `csv`. @default "," */
  delimiter?: Delimiter | undefined;
}

/** One file per table, or one of all tables. */
export type ExportFormat = FormatOptions | { format: OneFileFormat };

export function isOfOneFile(format: ExportFormat): format is { format: OneFileFormat } {
  return isOneFile(format.format);
}

/** Returns the name of the file that a table is in. */
export function nameFile(table: string, format: ExportFormat): string {
  return isOfOneFile(format) ? ONE_FILE[format.format] : `${table}.${format.format}`;
}

/** Values for every conversion in a file. An unknown value is blank, since 0 would be a value. */
export interface ConversionOptions extends Omit<NonNullable<ExportRequest["conversion"]>, "name" | "value"> {
  name: string;
  /** An amount, or `outcome` for what the calls of a conversion earned. */
  value?: string | undefined;
}

export interface Ask extends Pick<ExportRequest, "grain" | "columns" | OptionThat<{ isPassed: true }>> {
  contents: readonly Content[];
  /** IANA zone that defines days. */
  timezone: string;
  /** Local dates, both inclusive; a missing end is open. Undefined for all calls. */
  range: DateRange | undefined;
  filter: CallFilter;
  /** Whether the filter may have values that no call has. */
  isEmptyAllowed: boolean;
  compare: readonly AskedComparison[];
  /** Share-safe files: no row of fewer calls, and no text that looks like a phone number or mail address. */
  minCell: number | undefined;
  /** Lists only calls that changed since. */
  changedSince: ChangedSince | undefined;
  /** Lists only calls of these phone numbers, as written. */
  callers: readonly string[] | undefined;
  /** Whether spend is shown; `if any` if any was imported for the days. */
  spend: boolean | "if any";
  /** Whether outcomes are shown; `if any` if any were imported. */
  outcomes: boolean | "if any";
  revenueBy: OutcomeForm["by"];
  format: ExportFormat;
  /** Whether an installed browser prints the page of charts. */
  isPrinted: boolean;
  conversion: ConversionOptions;
  /** How errors spell an option. */
  spell: Wording["spell"];
}

/** A comparison by its name, and what it is for the range asked for. */
interface AskedComparison {
  as: ComparisonName;
  kind: Comparison;
}

export const DEFAULT_STRETCH = "4w";

export interface ResolveOptions {
  /** Milliseconds since 1970-01-01 UTC. */
  nowMs: number;
  /** IANA zone that defines days. */
  timezone: string;
  /** Returns the phone numbers for an item of `filter.exclude_callers`. @default the number itself */
  readCallers?: (item: string) => readonly string[];
  /** Whether click ids are readable. @default true */
  clickIds?: boolean;
  /** @default as in a request */
  spell?: Wording["spell"];
}

/** @throws UsageError for an impossible range */
export function resolve(request: ExportRequest, options: ResolveOptions): Ask {
  const { spell = AS_WRITTEN.spell, timezone, clickIds = true } = options;
  const isReport = isChartFormat(request.format);
  /** What is shown if there is any; in a file to share, costs and outcomes would count small groups. */
  const usual = isPageFormat(request.format) && request.min_cell === undefined ? "if any" : false;
  const days = request.range ?? (isReport ? { last: DEFAULT_STRETCH } : {});
  const range = toRange(days, { ...options, spell });
  const compare = new Set([request.compare ?? (isReport ? "previous" : [])].flat());
  const closed = closedRange(range);
  const { columns, min_cell: minCell, changed_since: since } = request;
  return {
    ...pick(request, optionsThat({ isPassed: true })),
    ...{ minCell, timezone, range, spell },
    contents: toContents(request, { clickIds }),
    filter: toFilter(request, options.readCallers),
    isEmptyAllowed: request.filter?.allow_empty ?? false,
    grain: request.grain ?? (isReport && closed ? grainOf(closed) : sharedGrain(request)),
    compare: [...compare].map((as) => ({
      as,
      kind: days.last === undefined ? as : comparisonOfLast(days.last, as),
    })),
    spend: request.spend ?? usual,
    outcomes: request.outcomes ?? usual,
    revenueBy: request.revenue_by ?? OPTIONS.revenue_by.default,
    columns: columns && [...new Set(columns)],
    changedSince: since === undefined ? undefined : parseChangedSince(since, timezone),
    callers: request.caller === undefined ? undefined : [request.caller].flat(),
    format: toFormat(request),
    isPrinted: isPrinted(request.format),
    conversion: toConversion(request),
  };
}

/** Groups of a page to explore are by day: a headline of days that are left out would reveal them. */
function sharedGrain({ format, min_cell }: ExportRequest): Grain | undefined {
  return format === "explore" && min_cell !== undefined ? "day" : undefined;
}

const DAYS_HINT = "Write days as 2026-06-30, and periods as 4w, 30d or last-month.";

function toRange(
  { from, to, last }: NonNullable<ExportRequest["range"]>,
  { timezone, nowMs, spell }: Pick<Ask, "spell"> & Pick<ResolveOptions, "timezone" | "nowMs">,
): DateRange | undefined {
  if (last !== undefined) {
    const today = localDate(new Date(nowMs).toISOString(), timezone);
    return parseFrom(spell("range.last"), () => parseLast(last, today), DAYS_HINT);
  }
  if (from === undefined && to === undefined) return undefined;
  const range = {
    ...(from !== undefined && { from: parseFrom(spell("range.from"), () => parseDate(from), DAYS_HINT) }),
    ...(to !== undefined && { to: parseFrom(spell("range.to"), () => parseDate(to), DAYS_HINT) }),
  };
  if (range.from !== undefined && range.to !== undefined && range.from > range.to) {
    const [first, second] = [spell("range.from"), spell("range.to")];
    throw new UsageError(`${first} ${range.from} is after ${second} ${range.to}`, {
      hint: `Did you mean ${first} ${range.to} ${second} ${range.from}?`,
    });
  }
  return range;
}

/** Charts with more bars are unreadable. */
const MAX_DAYS = 35;
const MAX_DAYS_IN_WEEKS = 7 * 30;
const MAX_DAYS_IN_MONTHS = 31 * 36;

export function grainOf(range: Required<DateRange>): Grain {
  const days = countDays(range);
  if (days <= MAX_DAYS) return "day";
  if (days <= MAX_DAYS_IN_WEEKS) return "week";
  return days <= MAX_DAYS_IN_MONTHS ? "month" : "quarter";
}

function toFilter(
  { filter = {} }: ExportRequest,
  readCallers: (item: string) => readonly string[] = (number) => [number],
): CallFilter {
  const { org_unit, channel, source, campaign, disposition, topic, tracking_number } = filter;
  const { exclude_callers, min_duration_seconds } = filter;
  return {
    ...(org_unit && { org_unit: [org_unit].flat() }),
    ...(channel && { channel: [channel].flat() }),
    ...(source && { source: [source].flat() }),
    ...(campaign && { campaign: [campaign].flat() }),
    ...(disposition && { disposition: [disposition].flat() }),
    ...(topic && { topic: [topic].flat() }),
    ...(filter.outcome && { outcome: [filter.outcome].flat() }),
    ...(min_duration_seconds !== undefined && { min_duration_seconds }),
    ...(filter.first_time && { first_time: true }),
    ...(filter.has_gclid && { has_gclid: true }),
    ...(tracking_number && { tracking_number: [tracking_number].flat() }),
    ...(exclude_callers && { exclude_callers: [exclude_callers].flat().flatMap(readCallers) }),
    ...(filter.include_gone && { include_gone: true }),
  };
}

function toFormat({
  format = OPTIONS.format.default,
  profile,
  delimiter,
  changed_since,
}: ExportRequest): ExportFormat {
  if (isOneFile(format)) return { format };
  // A program reads lists of changes, and would store a guard with the text.
  const usual = changed_since === undefined ? undefined : "machine";
  return {
    format: isPageFormat(format) ? "csv" : format,
    profile: profile ?? usual,
    delimiter: delimiter === "tab" ? "\t" : delimiter,
  };
}

function toConversion({ conversion = {} }: ExportRequest): ConversionOptions {
  return {
    ...conversion,
    name: conversion.name ?? DEFAULT_NAMES[conversion.qualify ?? CONVERSION_OPTIONS.qualify.default],
    value: conversion.value?.toString(),
  };
}
