import { CsvError } from "csv-parse/sync";
import { foldUtm, presentText } from "../attribution/call-text.ts";
import { type CsvLine, forEachLine, possibleHeaders } from "../base/csv-text.ts";
import { isCurrency, MICROS } from "../base/currency.ts";
import { describeError, UsageError } from "../base/errors.ts";
import {
  type DecimalSign,
  isAmbiguous,
  isNothing,
  type NumberText,
  signsOfAmount,
  signsOfWhole,
  toMicros,
  toNumberText,
} from "./spend-amount.ts";
import {
  findColumns,
  findUndated,
  type HeaderMap,
  isContradicted,
  type SpendColumns,
  type SpendField,
} from "./spend-columns.ts";
import { type DayOrder, type DayText, ordersOf, readDay, toDay } from "./spend-day.ts";

export interface SpendRow {
  /** From 1 on. */
  line: number;
  /** YYYY-MM-DD, as in the report. */
  day: string;
  /** Folded like utm values; so is the medium. */
  source: string;
  medium: string;
  campaign: string | null;
  campaign_id: string | null;
  cost_micros: number;
  /** ISO 4217, if the report names it. */
  currency: string | null;
  clicks: number | null;
  impressions: number | null;
}

/** Each line of the report is counted in one place. */
export interface ReadReport {
  report: string;
  /** The headers of the columns that are not used. */
  unused_columns: string[];
  /** Records; a quoted text of several lines is part of one. */
  lines: number;
  /** Line numbers: titles before the header, the header, totals, notes such as a copyright, and empty lines. */
  title_lines: number[];
  header_line: number;
  total_lines: number[];
  note_lines: number[];
  blank_lines: number[];
  rows: SpendRow[];
  left_out: { line: number; reason: string }[];
}

export interface ReadOptions {
  map: HeaderMap;
  source?: string | undefined;
  medium?: string | undefined;
  /** ISO 4217, of rows that name none. */
  currency?: string | undefined;
  dates?: DayOrder | undefined;
  decimal?: DecimalSign | undefined;
}

const MAX_TITLES = 60;
const TOTAL = /^(?:grand |overall )?totals?\b/i;
/** Not Total Wine, which is a campaign. */
const TOTAL_ALONE = /^(?:(?:grand |overall )?totals?|gesamt|summe|sum)(?:$|\s*[:(–—-]|\s+(?:for|of|per)\b)/i;
const MORE_DAYS = "more than one day";
const HALF_CENT = 5000n;
const BY_DAY = "Export the report by day.";
/** A number with decimals, or a text that a spreadsheet marks as one. */
const DAMAGED_ID = /^'?(\d+)(?:[.,]0+)?$/;
const SHORTENED_ID = /^'?\d(?:[.,]\d+)?e\+?\d+$/i;

/** A line of the table, parsed as far as possible without the others. */
type Candidate = Omit<SpendRow, "day" | "cost_micros" | "clicks" | "impressions"> & {
  day: DayText;
} & Record<"cost" | "clicks" | "impressions", NumberText | null>;

/** @throws UsageError for an unusable file; it does not name the file */
export function readReport(text: string, options: ReadOptions): ReadReport {
  const { delimiter, header, columns } = findHeader(text, options.map);
  assertNamed(columns, options);
  const calledTotal = new Set<number>();
  const report: ReadReport = {
    report: columns.report,
    unused_columns: columns.unused,
    lines: 0,
    title_lines: [],
    header_line: header,
    total_lines: [],
    note_lines: [],
    blank_lines: [],
    rows: [],
    left_out: [],
  };
  const candidates: Candidate[] = [];
  visitLines(text, delimiter, (line) => {
    report.lines++;
    if (line.line === header) return;
    const aside = kindOf(line, header, columns);
    if (aside !== undefined) {
      report[aside].push(line.line);
      return;
    }
    const candidate = toCandidate(line, columns, options);
    if (typeof candidate === "string") report.left_out.push({ line: line.line, reason: candidate });
    else candidates.push(candidate);
    if (isCalledTotal(line, columns)) calledTotal.add(line.line);
  });
  assertByDay(columns, report, candidates.length);
  const order = options.dates ?? decideOrder(candidates);
  const sign = options.decimal ?? decideSign(candidates.flatMap(askingOf(options.currency ?? null)));
  for (const candidate of candidates) {
    const row = toRow(candidate, { order, sign });
    if (typeof row === "string") report.left_out.push({ line: candidate.line, reason: row });
    else report.rows.push(row);
  }
  setTotalsAside(report, calledTotal);
  report.left_out.sort((a, b) => a.line - b.line);
  return report;
}

function findHeader(text: string, map: HeaderMap) {
  let widest: CsvLine | undefined;
  let undated: ReturnType<typeof findUndated>;
  for (const { delimiter, ...line } of possibleHeaders(text, MAX_TITLES)) {
    const columns = findColumns(line.cells, map);
    if (columns !== undefined) return { delimiter, header: line.line, columns };
    if (map.day === undefined) undated ??= findUndated(line.cells);
    if (line.cells.length > (widest?.cells.length ?? 1)) widest = line;
  }
  if (undated !== undefined)
    throw new UsageError(`it is a report of ${undated.name} without days`, { hint: undated.daily ?? BY_DAY });
  const sought = Object.values(map).map((name) => `"${name}"`);
  const shown =
    widest === undefined ? "" : `; line ${widest.line} has ${widest.cells.slice(0, 12).join(", ")}`;
  throw new UsageError(
    sought.length > 0
      ? `none of its first ${MAX_TITLES} lines is a header with the columns ${sought.join(", ")}${shown}`
      : `none of its first ${MAX_TITLES} lines is the header of a known report${shown}`,
    {
      hint: "Name the columns: --map day=Date,cost=Spend,campaign=Campaign. A day and a cost are needed.",
    },
  );
}

export function visitLines(text: string, delimiter: string, see: (line: CsvLine) => void): void {
  try {
    forEachLine(text, { delimiter }, see);
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw new UsageError(`it is not CSV: ${describeError(cause)}`, {
      hint: "Save it as CSV with a header line; --help lists the columns that are read.",
    });
  }
}

function assertNamed({ indexes, report, ...known }: SpendColumns, options: ReadOptions): void {
  for (const field of ["source", "medium"] as const) {
    if (options[field] !== undefined || known[field] !== null || indexes.has(field)) continue;
    throw new UsageError(`the report has no ${field} (${report})`, {
      hint: `Pass --${field}, such as ${field === "source" ? "--source google" : "--medium cpc"}, or --map ${field}=HEADER.`,
    });
  }
  const { source, map } = options;
  const isOwn = map.day !== undefined && map.cost !== undefined;
  if (source === undefined || isOwn || !isContradicted(report, foldUtm(source))) return;
  throw new UsageError(`it is a report of ${report}, and --source is ${source}`, {
    hint: `Leave out --source: the report has the source ${known.source}. If it is another platform's, name its columns: --map day=Day,cost=Cost.`,
  });
}

/** @throws UsageError if each row is of several days */
function assertByDay({ report, daily }: SpendColumns, { left_out }: ReadReport, candidates: number): void {
  if (candidates > 0 || !left_out.some(({ reason }) => reason === MORE_DAYS)) return;
  throw new UsageError(`it is a report of ${report} without days: its rows are of more than one`, {
    hint: daily ?? BY_DAY,
  });
}

/** Whether a row calls itself a total, as a campaign may. */
function isCalledTotal({ cells }: CsvLine, { indexes }: SpendColumns): boolean {
  const [campaign = "", id = ""] = (["campaign", "campaign_id"] as const).map(
    (field) => cells[indexes.get(field) ?? -1],
  );
  const names = isNothing(campaign) ? cells : [campaign];
  return isNothing(id) && names.some((name) => TOTAL_ALONE.test(name));
}

/** Takes rows called total for totals if their cost is that of all others: of the day and source, of the day, or of the file. */
function setTotalsAside(report: ReadReport, calledTotal: ReadonlySet<number>): void {
  if (calledTotal.size === 0) return;
  const [called, others] = [true, false].map((is) =>
    report.rows.filter(({ line }) => calledTotal.has(line) === is),
  );
  const scopesOf = ({ day, source }: SpendRow) => [JSON.stringify([day, source]), day, ""];
  const sums = new Map<string, { cost: bigint; rows: bigint }>();
  for (const row of others ?? []) {
    for (const scope of scopesOf(row)) {
      const { cost, rows } = sums.get(scope) ?? { cost: 0n, rows: 0n };
      sums.set(scope, { cost: cost + BigInt(row.cost_micros), rows: rows + 1n });
    }
  }
  const isTotal = (row: SpendRow) =>
    scopesOf(row).some((scope) => {
      const sum = sums.get(scope);
      if (sum === undefined) return false;
      const difference = BigInt(row.cost_micros) - sum.cost;
      // Each cost may have been rounded to cents.
      const most = (sum.rows + 1n) * HALF_CENT;
      return difference <= most && -difference <= most;
    });
  const isAllRead = report.left_out.length === 0;
  const aside = new Set<SpendRow>();
  for (const row of called ?? []) {
    if (isTotal(row)) report.total_lines.push(row.line);
    else if (isAllRead) continue;
    else report.left_out.push({ line: row.line, reason: "it may be the total of rows that were left out" });
    aside.add(row);
  }
  report.rows = report.rows.filter((row) => !aside.has(row));
  report.total_lines.sort((a, b) => a - b);
}

/** Classifies a line that is not a row of the table; undefined for a row. */
function kindOf({ line, cells }: CsvLine, header: number, { indexes }: SpendColumns) {
  if (cells.every((cell) => cell.trim() === "")) return "blank_lines";
  if (line < header) return "title_lines";
  const cellOf = (field: SpendField) => cells[indexes.get(field) ?? -1]?.trim() ?? "";
  // Meta's line of totals has no campaign, and instead of a day the range of the whole report.
  const hasCampaign = indexes.has("campaign") || indexes.has("campaign_id");
  const isOfNone = hasCampaign && [cellOf("campaign"), cellOf("campaign_id")].every(isNothing);
  const hasDay = !isNothing(cellOf("day"));
  if (isOfNone && (indexes.has("last_day") || !hasDay) && !isNothing(cellOf("cost"))) return "total_lines";
  if (readDay(cellOf("day")) !== undefined) return undefined;
  const filled = cells.filter((cell) => !isNothing(cell));
  const isTotal = TOTAL.test(filled[0]?.trim() ?? "");
  // A campaign may be called Total Wine: its row is excluded by day, and named.
  if (isTotal && (!hasDay || TOTAL.test(cellOf("day")))) return "total_lines";
  return filled.length === 1 && isNothing(cellOf("cost")) ? "note_lines" : undefined;
}

/** Parses a row, or says what is wrong with it. */
function toCandidate(
  { line, cells }: CsvLine,
  columns: SpendColumns,
  options: ReadOptions,
): Candidate | string {
  const { indexes } = columns;
  const cellOf = (field: SpendField | "last_day") => cells[indexes.get(field) ?? -1]?.trim() ?? "";
  // With misplaced quotes or thousands, the rest of the row would be misread.
  const isUnclosed = cells.some((cell) => cell.trimStart().startsWith('"') && /[\r\n]/.test(cell));
  if (isUnclosed) return "an unclosed quote";
  if (cells.slice(columns.width).some((cell) => cell.trim() !== "")) return "more cells than the header";
  const day = readDay(cellOf("day"));
  if (day === undefined) return isNothing(cellOf("day")) ? "no day" : `${quote(cellOf("day"))} is not a day`;
  if (indexes.has("last_day") && cellOf("last_day") !== cellOf("day")) return MORE_DAYS;
  const number = (field: SpendField): NumberText | null | undefined =>
    isNothing(cellOf(field)) ? null : toNumberText(cellOf(field));
  const [cost, clicks, impressions] = [number("cost"), number("clicks"), number("impressions")];
  if (cost === undefined) return `the cost ${quote(cellOf("cost"))} is not a number`;
  if (clicks === undefined) return `${quote(cellOf("clicks"))} is not a number of clicks`;
  if (impressions === undefined) return `${quote(cellOf("impressions"))} is not a number of impressions`;
  const source = foldUtm(cellOf("source") || (options.source ?? columns.source ?? ""));
  const medium = foldUtm(cellOf("medium") || (options.medium ?? columns.medium ?? ""));
  if (source === "") return "no source";
  if (medium === "") return "no medium";
  const code = isNothing(cellOf("currency")) ? null : cellOf("currency").toUpperCase();
  if (code !== null && !isCurrency(code)) return `${quote(cellOf("currency"))} is not a currency`;
  const named = [code, columns.currency, cost?.currency ?? null].filter((each) => each !== null);
  if (new Set(named).size > 1) return `the currencies ${[...new Set(named)].join(" and ")} in one row`;
  const present = (field: SpendField) => (isNothing(cellOf(field)) ? null : presentText(cellOf(field)));
  const campaign_id = present("campaign_id")?.replace(DAMAGED_ID, "$1") ?? null;
  if (campaign_id !== null && SHORTENED_ID.test(campaign_id))
    return `the campaign id ${campaign_id} was shortened by a spreadsheet: export the report again, and do not save it there`;
  return {
    line,
    day,
    cost,
    clicks,
    impressions,
    source,
    medium,
    currency: named[0] ?? null,
    campaign: present("campaign"),
    campaign_id,
  };
}

/** Returns what comes first in the file's dates; undefined if it does not matter. */
export function decideOrder(candidates: readonly Pick<Candidate, "line" | "day">[]): DayOrder | undefined {
  const asking = candidates.flatMap(({ day, line }) => ("day" in day ? [] : [{ ...day, line }]));
  const decided = decide(
    "--dates",
    [
      ["mdy", "has the month before the day"],
      ["dmy", "has the day before the month"],
    ],
    asking.map((day) => ({ line: day.line, readings: ordersOf(day) })),
  );
  const open = asking.find(({ first, second }) => first !== second);
  if (decided !== undefined || open === undefined) return decided;
  throw new UsageError(
    `its dates can be read in two ways: ${open.first}/${open.second}/${open.year} in line ${open.line}, and none has a number above 12 there`,
    { hint: "Say which comes first: --dates mdy (month) or --dates dmy (day)." },
  );
}

/** What a line says about the file's numbers. */
interface Asking<Reading> {
  line: number;
  readings: readonly Reading[];
}

const askingOf =
  (given: string | null) =>
  ({ line, cost, currency, clicks, impressions }: Candidate): Asking<DecimalSign>[] => [
    ...(cost === null ? [] : [{ line, readings: signsOfAmount(cost, currency ?? given) }]),
    // A comma in a number of clicks groups thousands, so it does not mark decimals in the cost either.
    ...[clicks, impressions].flatMap((whole) =>
      whole === null ? [] : [{ line, readings: signsOfWhole(whole) }],
    ),
  ];

/** Returns the sign before the file's decimals; undefined if no number shows it. */
export function decideSign(asking: readonly Asking<DecimalSign>[]): DecimalSign | undefined {
  return decide(
    "--decimal",
    [
      ["point", "has decimals after a point"],
      ["comma", "has them after a comma"],
    ],
    asking,
  );
}

/** Returns the reading that only some lines allow. @throws UsageError if lines contradict each other */
function decide<Reading extends string>(
  flag: string,
  says: readonly (readonly [Reading, string])[],
  asking: readonly Asking<Reading>[],
): Reading | undefined {
  const sure = says.flatMap(([reading, words]) => {
    const found = asking.find(({ readings }) => readings.length === 1 && readings[0] === reading);
    return found === undefined ? [] : [{ reading, text: `line ${found.line} ${words}` }];
  });
  if (sure.length > 1) {
    throw new UsageError(sure.map(({ text }) => text).join(", and "), {
      hint: `Give ${says.map(([reading]) => `${flag} ${reading}`).join(" or ")}: rows with the other one are left out.`,
    });
  }
  return sure[0]?.reading;
}

/** Reads a row by the file's rules, or says what is wrong with it. */
function toRow(
  { day: dayText, cost, clicks, impressions, ...rest }: Candidate,
  { order = "mdy", sign }: { order: DayOrder | undefined; sign: DecimalSign | undefined },
): SpendRow | string {
  const day = toDay(dayText, order);
  if (day === undefined) return `its date is invalid with the ${order === "mdy" ? "month" : "day"} first`;
  const numbers = [cost, clicks, impressions];
  const ambiguous = numbers.find((number) => number !== null && sign === undefined && isAmbiguous(number));
  if (ambiguous)
    return `${quote(ambiguous.body)} may be thousands or decimals: pass --decimal point or comma`;
  const microsOf = (number: NumberText | null) => number && toMicros(number, sign ?? "point");
  const cost_micros = microsOf(cost) ?? 0;
  if (Number.isNaN(cost_micros))
    return `the cost ${quote(cost?.body ?? "")} is not a number in this file's format, or too long`;
  const wholes = [clicks, impressions].map((number) => number && (microsOf(number) ?? 0) / MICROS);
  const [ofClicks = null, ofImpressions = null] = wholes;
  if (!wholes.every((whole) => whole === null || (Number.isInteger(whole) && whole >= 0)))
    return "clicks or impressions are not whole numbers";
  return { ...rest, day, cost_micros, clicks: ofClicks, impressions: ofImpressions };
}

export function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 39)}…` : text);
}
