import { UsageError } from "../../base/errors.ts";
import { namesOf } from "../../base/records.ts";
import type { Cells } from "../../intake/cells.ts";
import type { Form, FoundColumns, ReadOptions } from "../../intake/columns.ts";
import type { Intake } from "../../intake/intake.ts";
import { readMoment } from "../../intake/moment-text.ts";
import { quote, Unreadable } from "../../intake/unreadable.ts";
import { type ListedLength, readLength } from "./length-text.ts";

/** The columns of a list of calls, with what they hold. */
export const LISTED_COLUMNS = {
  call_id: "id",
  call_started: "moment",
  time: "text",
  duration: "text",
  duration_seconds: "text",
  org_unit_id: "id",
  org_unit_name: "text",
} as const;
export type ListedField = keyof typeof LISTED_COLUMNS;
export const LISTED_FIELDS: readonly ListedField[] = namesOf(LISTED_COLUMNS);

/** The headers by which a column is recognized, in any case; the more precise come first. */
const FORM: Form<ListedField> = {
  name: "a list of calls",
  headers: {
    call_id: ["call_id", "call id", "callid", "call-id", "call #", "call no.", "call", "id"],
    call_started: [
      ...["call_started", "call started", "started at", "started", "call start", "call start time"],
      ...[
        "date/time",
        "date & time",
        "date and time",
        "date time",
        "datetime",
        "call date/time",
        "timestamp",
      ],
      ...["call date", "start date", "date", "day", "start time", "start_time", "start", "call time"],
    ],
    time: ["time", "time of day", "call time", "start time"],
    duration: ["duration", "call duration", "call length", "length"],
    duration_seconds: [
      ...["duration_seconds", "duration (seconds)", "duration (sec)", "duration (s)", "duration seconds"],
      ...["call duration (seconds)", "call duration (sec)", "call duration (s)", "duration in seconds"],
    ],
    org_unit_id: ["org_unit_id", "org unit id", "group_id", "group id"],
    org_unit_name: ["org_unit_name", "org unit name", "org unit", "group_name", "group name", "group"],
  },
};

/** When a call started, as clocks show it. */
export interface ListedStart {
  /** The digits of the clock, as milliseconds since 1970; in UTC if `isUtc`. */
  ms: number;
  isUtc: boolean;
  /** How precise it is: a second, a minute or a day. */
  lengthMs: number;
}

/** A call of a list. */
export interface ListedCall {
  /** From 1 on. */
  line: number;
  call_id: number;
  start: ListedStart | undefined;
  length: ListedLength | undefined;
  org_unit_id: string | null;
  org_unit_name: string | null;
  /** What cannot be read of it. */
  unread: readonly string[];
}

type ListedCells = Cells<typeof LISTED_COLUMNS>;

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Call ids are at most 2^53 − 1. */
const CALL_ID = /^-?\d{1,20}$/;

/** A list of calls, such as the platform's own download. Cells are never quoted: a mapped column may hold anything. */
export const CALLS_INTAKE: Intake<
  typeof LISTED_COLUMNS,
  Form<ListedField>,
  ReadOptions<ListedField>,
  ListedCall
> = {
  what: "a list of calls",
  columns: LISTED_COLUMNS,
  several: [],
  forms: [FORM],
  isHeader: (has) => has("call_id"),
  hint: "--map call_id=Reference,call_started=Date,duration=Length. A call id is needed.",
  assertUsable: ({ indexes }: FoundColumns<ListedField>) => {
    if (!indexes.has("time") || indexes.has("call_started")) return;
    throw new UsageError("it has a column with the time of a call, and none with its day", {
      hint: "Name it: --map call_started=HEADER.",
    });
  },
  keys: ["call_id"],
  // A note has several words.
  isRow: (cells) => /\d/.test(cells.text("call_id")) && !/\p{L}.*\s|\s.*\p{L}/u.test(cells.text("call_id")),
  isTotal: () => false,
  toRow,
};

function toRow(cells: ListedCells): ListedCall {
  const unread: string[] = [];
  return {
    line: cells.line,
    call_id: readCallId(cells),
    start: attemptRead(() => readStart(cells), unread),
    length: attemptRead(() => readDuration(cells), unread),
    org_unit_id: cells.text("org_unit_id") || null,
    org_unit_name: cells.text("org_unit_name") || null,
    unread,
  };
}

/** @throws UsageError for an id whose digits are lost: what a list lacks cannot be known then */
function readCallId(cells: ListedCells): number {
  const id = attemptRead(() => cells.id("call_id", "call id"), []);
  if (id === undefined)
    throw new UsageError(
      `line ${cells.line} has a call id that a spreadsheet has rounded, ${quote(cells.text("call_id"))}`,
      { hint: "Download the list again, and do not save it in a spreadsheet." },
    );
  if (id === null) throw new Unreadable("no call id");
  const number = Number(id);
  if (!CALL_ID.test(id) || !Number.isSafeInteger(number))
    throw new Unreadable("its call id is not a whole number");
  return number;
}

function attemptRead<Value>(read: () => Value, unread: string[]): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    unread.push(error.message);
    return undefined;
  }
}

function readStart(cells: ListedCells): ListedStart | undefined {
  const moment = cells.hasColumn("call_started") ? readDayAndTime(cells) : null;
  if (moment === null) return undefined;
  const { day, time } = moment;
  const ms = Date.parse(`${day}T00:00:00Z`);
  if (time === undefined) return { ms, isUtc: false, lengthMs: DAY_MS };
  const { offsetMinutes, lengthMs } = time;
  return {
    ms: ms + time.ms - (offsetMinutes ?? 0) * MINUTE_MS,
    isUtc: offsetMinutes !== undefined,
    lengthMs,
  };
}

function readDayAndTime(cells: ListedCells) {
  const moment = attemptRead(() => cells.moment("call_started"), []);
  if (moment === undefined) throw new Unreadable("its start is not a date");
  const clock = cells.text("time");
  if (moment === null || moment.time !== undefined || clock === "") return moment;
  const time = readMoment(`2000-01-01 ${clock}`)?.time;
  if (time === undefined) throw new Unreadable("its time is not a time of day");
  return { ...moment, time };
}

function readDuration(cells: ListedCells): ListedLength | undefined {
  const text = cells.text("duration_seconds");
  const length = cells.isNothing("duration_seconds")
    ? cells.isNothing("duration")
      ? null
      : readLength(cells.text("duration"))
    : readLength(text, "seconds");
  if (length === undefined) throw new Unreadable("its duration is not a length of time");
  return length ?? undefined;
}
