import { toCaseless } from "../../attribution/call-text.ts";
import { remember } from "../../attribution/remember.ts";
import { type CsvLine, possibleHeaders } from "../../base/csv-text.ts";
import { isCurrency } from "../../base/currency.ts";
import { UsageError } from "../../base/errors.ts";
import { namesOf } from "../../base/records.ts";
import { STAGES, type Stage } from "../../call/filter.ts";
import { decideOrder, decideSign, quote, visitLines } from "../../spend/read-report.ts";
import {
  type DecimalSign,
  isAmbiguous,
  isNothing,
  type NumberText,
  signsOfAmount,
  toMicros,
  toNumberText,
} from "../../spend/spend-amount.ts";
import { assertOnce, indexOf, toHeader } from "../../spend/spend-columns.ts";
import { type DayOrder, type DayText, ordersOf, readDay, toDay } from "../../spend/spend-day.ts";

/** The headers by which a column is recognized, in any case. */
const HEADERS = {
  call_id: ["call_id", "call id", "callid"],
  phone: [
    ...["phone", "phone number", "phone_number", "caller", "caller_id", "caller id", "caller number"],
    ...["customer phone", "customer_phone", "mobile", "mobile phone", "telephone"],
  ],
  date: [
    ...["date", "day", "job date", "job_date", "booked on", "booked_at", "completed on", "completed_at"],
    ...[
      "completion date",
      "close date",
      "closed on",
      "appointment date",
      "created",
      "created on",
      "created_at",
    ],
  ],
  stage: ["stage", "status", "job status", "job_status", "outcome"],
  amount: ["amount", "revenue", "total", "job total", "job_total", "value", "price"],
  currency: ["currency", "currency code"],
  job_id: ["job_id", "job id", "job", "job #", "job number", "deal id", "invoice number", "id"],
} as const;
export type JobField = keyof typeof HEADERS;
export const JOB_FIELDS: readonly JobField[] = namesOf(HEADERS);
const NAMES: Readonly<Record<JobField, readonly string[]>> = HEADERS;

export interface Job {
  /** From 1 on. */
  line: number;
  call_id: number | null;
  phone: string;
  job_id: string | null;
  /** YYYY-MM-DD, as written; null for none. */
  day: string | null;
  /** What the file says of the time of day: milliseconds since midnight, and its offset from UTC. */
  time: { ms: number; offset: string | undefined } | undefined;
  stage: Stage;
  amount_micros: number | null;
}

export interface ReadJobsOptions {
  map: Partial<Record<JobField, string>>;
  /** Stages by other words, in lower case. */
  stages: Readonly<Record<string, Stage>>;
  /** Of jobs without a stage. */
  stage?: Stage | undefined;
  /** ISO 4217, of amounts that name none. */
  currency?: string | undefined;
  dates?: DayOrder | undefined;
  decimal?: DecimalSign | undefined;
}

/** A line with its parts, parsed as far as possible without the others. */
interface ParsedJob extends Omit<Job, "day" | "amount_micros"> {
  day: DayText | null;
  amount: NumberText | null;
  currency: string | null;
}

export interface JobFile {
  unused_columns: string[];
  /** The currencies that lines name, and the first such line. */
  currencies: ReadonlyMap<string, number>;
  /** Reads the jobs in order, without keeping them; `leave` receives lines that are not jobs, and why. */
  visit: (see: (job: Job) => void, leave: (line: number, reason: string) => void) => void;
}

const MAX_TITLES = 60;
const NUMBER = /^\d{1,15}$/;
const TIME =
  /^(.*\S)(?:T|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(?:([ap])\.?m\.?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/** Reads the text twice, so that a million jobs need not be held in memory. @throws UsageError for an unusable file */
export function readJobs(text: string, options: ReadJobsOptions): JobFile {
  const { delimiter, header, columns } = findHeader(text, options);
  const visitJobs = (see: (parsed: ParsedJob) => void, leave: (line: number, reason: string) => void) =>
    visitLines(text, delimiter, (line) => {
      if (line.line <= header || line.cells.every((cell) => cell.trim() === "")) return;
      const parsed = parseJob(line, columns, options);
      if (typeof parsed === "string") leave(line.line, parsed);
      else see(parsed);
    });
  // Of lines that say the same about the file, the first.
  const days = new Map<string, { line: number; day: DayText }>();
  const signs = new Map<string, { line: number; readings: DecimalSign[] }>();
  const currencies = new Map<string, number>();
  visitJobs(
    ({ line, day, amount, currency }) => {
      if (day !== null && !("day" in day)) {
        const key = `${ordersOf(day)} ${day.first === day.second}`;
        if (!days.has(key)) days.set(key, { line, day });
      }
      if (amount === null) return;
      const readings = signsOfAmount(amount, currency ?? options.currency ?? null);
      if (!signs.has(String(readings))) signs.set(String(readings), { line, readings });
      if (currency !== null && !currencies.has(currency)) currencies.set(currency, line);
    },
    () => {},
  );
  const order = options.dates ?? decideOrder([...days.values()]) ?? "mdy";
  const sign = options.decimal ?? decideSign([...signs.values()]);
  const visit: JobFile["visit"] = (see, leave) =>
    visitJobs((parsed) => {
      const job = toJob(parsed, order, sign);
      if (typeof job === "string") leave(parsed.line, job);
      else see(job);
    }, leave);
  return { unused_columns: columns.unused, currencies, visit };
}

function findHeader(text: string, { map, stage }: ReadJobsOptions) {
  let widest: CsvLine | undefined;
  for (const { delimiter, ...line } of possibleHeaders(text, MAX_TITLES)) {
    const columns = findColumns(line.cells, map);
    if (columns?.indexes.has("stage") || (columns && stage)) return { delimiter, header: line.line, columns };
    if (columns)
      throw new UsageError("it has no column with the stage of a job", {
        hint: "Name it, --map stage=HEADER, or pass --stage sold for jobs that all were sold.",
      });
    if (line.cells.length > (widest?.cells.length ?? 1)) widest = line;
  }
  const shown =
    widest === undefined ? "" : `; line ${widest.line} has ${widest.cells.slice(0, 12).join(", ")}`;
  throw new UsageError(`none of its first ${MAX_TITLES} lines is the header of a list of jobs${shown}`, {
    hint: "Name the columns: --map phone=Telephone,date=Done,stage=State. A call id is needed, or a phone number and a date.",
  });
}

function findColumns(record: readonly string[], map: ReadJobsOptions["map"]) {
  const headers = record.map(toHeader);
  const indexes = new Map<JobField, number>();
  const used = new Set<number>();
  for (const field of JOB_FIELDS.toSorted((a, b) => Number(b in map) - Number(a in map))) {
    const mapped = map[field];
    const names = mapped === undefined ? NAMES[field] : [toCaseless(mapped)];
    const index = names
      .map((name) => indexOf(headers, name))
      .find((found) => found !== undefined && !used.has(found));
    if (index === undefined && mapped !== undefined) return undefined;
    if (index === undefined) continue;
    indexes.set(field, index);
    used.add(index);
  }
  if (!indexes.has("call_id") && !(indexes.has("phone") && indexes.has("date"))) return undefined;
  assertOnce(headers, indexes, map.amount === undefined ? "amount" : undefined);
  const amount = indexes.get("amount");
  return {
    indexes,
    currency: amount === undefined ? null : (headers[amount]?.currency ?? null), // Amount (USD)
    width: headers.findLastIndex(({ full }) => full !== "") + 1,
    unused: record.filter((name, index) => name.trim() !== "" && !used.has(index)),
  };
}

/** Parses a line, or says what is wrong with it. */
function parseJob(
  { line, cells }: CsvLine,
  { indexes, width, currency: ofHeader }: NonNullable<ReturnType<typeof findColumns>>,
  { stages, stage: given }: ReadJobsOptions,
): ParsedJob | string {
  const cellOf = (field: JobField) => cells[indexes.get(field) ?? -1]?.trim() ?? "";
  if (cells.some((cell) => cell.startsWith('"') && /[\r\n]/.test(cell))) return "an unclosed quote";
  if (cells.slice(width).some((cell) => cell.trim() !== "")) return "more cells than the header";
  const [callId, written, word, amountText] = [
    cellOf("call_id"),
    cellOf("date"),
    cellOf("stage").toLowerCase(),
    cellOf("amount"),
  ];
  if (callId !== "" && !/^-?\d{1,15}$/.test(callId)) return `${quote(callId)} is not a call id`;
  const phone = cellOf("phone");
  if (callId === "" && phone === "") return "neither a call id nor a phone number";
  const when = readWhen(written);
  if (when === undefined) return `${quote(written)} is not a date`;
  const { day, time } = when;
  if (day === null && callId === "") return "no date";
  const stage = stages[word] ?? STAGES.find((each) => each === word) ?? (word === "" ? given : undefined);
  if (stage === undefined)
    return word === ""
      ? "no stage"
      : `the stage ${quote(word)} is none of ${STAGES.join(", ")}: translate it with --map-stage`;
  const amount = isNothing(amountText) ? null : readAmount(amountText);
  if (amount === undefined) return `the amount ${quote(amountText)} is not a number`;
  const code = isNothing(cellOf("currency")) ? null : cellOf("currency").toUpperCase();
  if (code !== null && !isCurrency(code)) return `${quote(cellOf("currency"))} is not a currency`;
  const named = [...new Set([code, ofHeader, amount?.currency].filter((each) => each != null))];
  if (named.length > 1) return `the currencies ${named.join(" and ")} in one row`;
  return {
    line,
    call_id: callId === "" ? null : Number(callId),
    phone,
    job_id: isNothing(cellOf("job_id")) ? null : cellOf("job_id"),
    day,
    time,
    stage,
    amount,
    currency: named[0] ?? null,
  };
}

const readAmount = remember(toNumberText);

/** Reads a day, perhaps with a time; undefined for other texts. */
const readWhen = remember((written: string): Pick<ParsedJob, "day" | "time"> | undefined => {
  if (isNothing(written)) return { day: null, time: undefined };
  const [, date = written, hour, minute, second = "0", half, offset] = TIME.exec(written) ?? [];
  const day = readDay(date);
  const ms = hour === undefined ? undefined : toTime([hour, minute, second], half);
  if (day === undefined || Number.isNaN(ms)) return undefined;
  return { day, time: ms === undefined ? undefined : { ms, offset } };
});

/** Returns milliseconds since midnight; NaN for no time. */
function toTime(parts: readonly (string | undefined)[], half: string | undefined): number {
  const [hour = 0, minute = 0, second = 0] = parts.map((part) =>
    NUMBER.test(part ?? "") ? Number(part) : Number.NaN,
  );
  const isHour = half === undefined ? hour < 24 : hour >= 1 && hour <= 12;
  if (!isHour || minute > 59 || second > 59) return Number.NaN;
  const hours = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  return ((hours * 60 + minute) * 60 + second) * 1000;
}

/** Reads a job by the file's rules, or says what is wrong with it. */
function toJob(
  { day: dayText, amount, currency: _, ...rest }: ParsedJob,
  order: DayOrder,
  sign: DecimalSign | undefined,
): Job | string {
  const day = dayText && toDay(dayText, order);
  if (day === undefined) return `its date is invalid with the ${order === "mdy" ? "month" : "day"} first`;
  if (amount !== null && sign === undefined && isAmbiguous(amount))
    return `${quote(amount.body)} may be thousands or decimals: pass --decimal point or comma`;
  const amount_micros = amount && toMicros(amount, sign ?? "point");
  if (Number.isNaN(amount_micros))
    return `the amount ${quote(amount?.body ?? "")} is not a number in this file's format, or too long`;
  return { ...rest, day, amount_micros };
}
