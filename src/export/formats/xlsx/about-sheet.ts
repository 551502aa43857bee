import { hoursInWords } from "../../../base/calendar/opening-hours.ts";
import { daysInWords } from "../../../base/calendar/period-text.ts";
import { inLocale } from "../../../base/text/locale.ts";
import { formatQuantity } from "../../../base/text/quantity-text.ts";
import { sentencesOnSpend } from "../../described-spend.ts";
import type { ExportJob } from "../../job.ts";
import type { Manifest, SheetEntry } from "../../manifest.ts";
import { meaningOf } from "../../meanings.ts";
import { judgeCompleteness, verdictInWords } from "../../statements/completeness.ts";
import type { Level } from "../../statements/rule.ts";
import { doubtsOf, say } from "../../statements/statements.ts";
import type { Column, Value } from "../../table.ts";
import { headingOf } from "./cells.ts";

export interface AboutRow {
  cells: readonly { value: Value; column: Column; isFaint?: boolean }[];
  /** A sentence is as wide as the sheet. */
  look?: "title" | "header" | "sentence";
}

/** `readCoverage` is undefined in an overview, where a sheet has each account's last sync. */
export type BasisJob = Pick<ExportJob, "manifest" | "letterhead"> & Partial<Pick<ExportJob, "readCoverage">>;

const LEVEL_NAMES: Record<Level, string> = { doubt: "Doubt", caution: "Caution", note: "Note" };
const GREY = "within chance: as large a change would come by chance in one case of twenty or more";
const ABOUT_CUTS =
  "Cut texts are marked at their end: a cell holds 32,767 characters. CSV and Parquet files have the full text.";

/** Shows what `manifest.json` says, for readers who only have the workbook. */
export function describeWorkbook(
  job: BasisJob,
  sheets: readonly SheetEntry[],
  columns: readonly Column[],
): AboutRow[] {
  const zone = `${job.manifest.timezone}: days, dates and times of all sheets, also of columns that are UTC in CSV`;
  return [
    ...describeBasis(job, zone),
    ...(columns.some(({ comparison }) => comparison) ? [line("Changes in grey", GREY)] : []),
    { cells: [] },
    title("Sheets"),
    ...listSheets(sheets, columns),
    ...describeColumns(columns),
  ];
}

/** Says in pairs what the figures are based on. @param zone what is in the zone */
export function describeBasis(job: BasisJob, zone: string): AboutRow[] {
  const { manifest, letterhead } = job;
  const coverage = job.readCoverage?.();
  const { run, origin, statements, timezone, rules, compared_with = [] } = manifest;
  return [
    title("What these figures are based on"),
    ...(coverage === undefined
      ? []
      : [
          line(
            "Completeness",
            inLocale(letterhead.locale, () => verdictInWords(judgeCompleteness(manifest, coverage))),
          ),
        ]),
    ...(letterhead.name === undefined ? [] : [line("Whose calls", letterhead.name)]),
    ...(doubtsOf(statements).length > 0 ? [] : [line("Doubt", "none known")]),
    ...statements.map((each) => line(LEVEL_NAMES[each.level], say(each).text)),
    line("Service", origin.base_url ?? "not known"),
    line("Organization unit", origin.org_unit_id ?? "none was requested"),
    line("Warehouse", origin.warehouse_id),
    ...(run === null
      ? [line("Sync", "none finished")]
      : [
          line("Sync", `run ${run.run_id}`),
          line("Finished", run.finished_at, "time"),
          line("Verdict", run.verdict),
          line("Reason", run.verdict_reason),
        ]),
    line("Time zone", zone),
    ...describeRange("Calls", manifest.range),
    ...compared_with.flatMap((before) => describeRange("Compared with", before)),
    ...describePeriods(manifest),
    ...(manifest.spend ? sentencesOnSpend(manifest.spend, timezone) : []).map((sentence) =>
      line("Spend", sentence),
    ),
    ...Object.entries(manifest.filter).map(([name, value]) => line(`Filter: ${inWords(name)}`, list(value))),
    line("Counted as answered", rules.answered.join(", ")),
    line("Counted as missed", rules.missed.join(", ")),
    line("Qualified", `answered, and at least ${rules.qualified_seconds} seconds long`),
    ...(rules.topics === 0
      ? []
      : [
          line(
            "Topics",
            `by ${formatQuantity(rules.topics, "line")}; a topic may decide whether an answered call is qualified`,
          ),
        ]),
    ...(rules.hours === undefined ? [] : [line("Opening hours", hoursInWords(rules.hours))]),
    line("Durations", `served in ${rules.duration_unit}, shown in seconds`),
    line("Channel rules", rules.channels),
    line(
      "utm values",
      rules.utm_values === "folded"
        ? `folded, ${formatQuantity(rules.aliases, "alias", "aliases")}`
        : rules.utm_values,
    ),
  ];
}

/** 1 Oct 2026 to 31 Oct 2026, compared with 1 Sep 2026 to 30 Sep 2026 */
export function describeDays({
  range,
  compared_with = [],
}: Pick<Manifest, "range" | "compared_with">): string {
  const before = compared_with.map(daysInWords).join(" and ");
  return `${daysInWords(range)}${before === "" ? "" : `, compared with ${before}`}`;
}

function describeRange(name: string, { from, to, until }: Manifest["range"]): AboutRow[] {
  const end = (which: string, date: string | undefined) =>
    line(`${name}, ${which} day`, date ?? "open", date === undefined ? "text" : "date");
  return [
    ...(from === undefined && to === undefined
      ? [line(name, "all, whenever they started")]
      : [end("first", from), end("last", to)]),
    ...(until === undefined ? [] : [line(`${name}, until`, until)]),
  ];
}

function describePeriods({ periods = [] }: Manifest): AboutRow[] {
  const provisional = periods.filter((period) => period.provisional).map(({ period }) => period);
  const [first, last] = [provisional[0], provisional.at(-1)];
  if (first === undefined) return [];
  return [line("Provisional periods", first === last ? first : `${first} to ${last}`)];
}

function listSheets(sheets: readonly SheetEntry[], columns: readonly Column[]): AboutRow[] {
  const compared = new Set(columns.flatMap(({ name, comparison }) => (comparison ? [name] : [])));
  const summed = new Set(sheets.flatMap((entry) => Object.keys(entry.sums ?? {})));
  const sums = [...summed].filter((name) => !compared.has(name));
  const isCut = sheets.some((sheet) => sheet.cut_texts !== undefined);
  const keys = new Set(sheets.flatMap(({ caller_key }) => (caller_key === undefined ? [] : [caller_key])));
  return [
    {
      cells: [
        ...["Sheet", "Contents", "Rows", ...(isCut ? ["Cut texts"] : [])],
        ...sums.map((name) => headingOf({ name })),
      ].map((heading) => cell(heading)),
      look: "header",
    },
    ...sheets.map((entry) => ({
      cells: [
        cell(entry.sheet),
        cell(describeContents(entry)),
        cell(entry.rows, "integer"),
        ...(isCut ? [cell(entry.cut_texts ?? 0, "integer")] : []),
        ...sums.map((name) => sum(entry.sums?.[name])),
      ],
    })),
    ...(isCut ? [{ cells: [cell(ABOUT_CUTS)] }] : []),
    ...[...keys].map((key) => line("Key of caller_hash", key)),
  ];
}

export function describeColumns(columns: readonly Column[]): AboutRow[] {
  return [
    { cells: [] },
    title("Columns"),
    { cells: ["Heading", "Meaning", "Name in CSV"].map((heading) => cell(heading)), look: "header" },
    ...[...Map.groupBy(columns, ({ name }) => name).values()].flatMap(([column]) =>
      column === undefined
        ? []
        : [
            {
              cells: [
                headingOf(column),
                column.type === "time" ? null : meaningOf(column), // UTC elsewhere
                column.name,
              ].map((value) => cell(value)),
            },
          ],
    ),
  ];
}

function describeContents({
  contents,
  total_line,
  with_spend_line,
  keys_in_other,
  min_cell,
  rows_in_other,
  excluded = {},
}: SheetEntry): string {
  const left = Object.entries(excluded).filter(([, count]) => count > 0);
  return [
    contents,
    ...(total_line ? ["and a line of totals"] : []),
    ...(with_spend_line ? ["and one of the rows with spend"] : []),
    ...(keys_in_other ? [`keys in the row (other): ${keys_in_other}`] : []),
    ...(min_cell ? [`no row of fewer than ${min_cell} calls, rows in (other): ${rows_in_other}`] : []),
    ...left.map(([reason, count]) => `calls left out, ${reason}: ${count}`),
  ].join(", ");
}

const inWords = (name: string) => name.replaceAll("_", " ");

function list(value: string | number | boolean | readonly string[]): string {
  if (typeof value === "object") return value.join(", ");
  return value === true ? "yes" : String(value);
}

const cell = (value: Value, type: Column["type"] = "text") => ({ value, column: { name: "", type } });
const sum = (value: number | undefined) =>
  cell(value ?? null, Number.isInteger(value) ? "integer" : "decimal");
const title = (words: string): AboutRow => ({ cells: [cell(words)], look: "title" });
const line = (name: string, value: Value, type?: Column["type"]): AboutRow => ({
  cells: [cell(name), cell(value, type)],
});
