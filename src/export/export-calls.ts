import { localTime } from "../base/calendar/local-time.ts";
import { weekOf } from "../base/calendar/periods.ts";
import type { AttributionRules } from "../calls/attribution/attribution-rules.ts";
import { DNI_FIELDS, type ListedMember } from "../calls/columns.ts";
import { type FactGroup, shownColumns } from "../calls/facts.ts";
import type { PrivateColumn } from "../config/request/option-values.ts";
import type { Ask } from "../config/request/resolve.ts";
import { WEEKDAYS } from "../figures/dimensions.ts";
import type { CallSource } from "../sources/session.ts";
import { findCallers, noCallsError } from "../warehouse/by-number/find-callers.ts";
import { readLastChange } from "../warehouse/call-moments.ts";
import type { Reader } from "../warehouse/warehouse.ts";
import { toMoment } from "./changed-calls.ts";
import { encodeTable } from "./formats/encode-table.ts";
import { type ExportJob, listsOf, pseudonymsOf } from "./job.ts";
import type { ManifestFile } from "./manifest.ts";
import { UNKNOWN_MONTH } from "./output/folder.ts";
import type { Column, NamedTable, Value } from "./table.ts";

export interface CallColumn extends Column {
  of: CallSource;
  derive?: (value: Value) => Value;
}

/** Length of ` HH:MM:SS`. */
const TIME = 9;

export async function writeCalls(job: ExportJob): Promise<ManifestFile[]> {
  const calls = callsTable(job);
  const { format, changedSince } = job.ask;
  const isByMonth = format.format === "parquet" && job.isPartitioned && changedSince === undefined;
  return isByMonth ? await writeCallsByMonth(job, calls) : await job.table(calls);
}

function callsTable(job: ExportJob): NamedTable {
  const { timeframe } = job;
  const { with: privateColumns = [], changedSince, callers: numbers, spell } = job.ask;
  const { session, reader } = listsOf(job);
  const toLocal = localTime(timeframe.timezone);
  const callers = pseudonymsOf(job);
  const columns = callColumns(session.rules, toLocal, callers.toPseudonym, privateColumns);
  const sources = columns.map(({ of }) => of);
  const untilMs = readLastChange(reader);
  const afterMs = changedSince && toMoment(reader, changedSince, { untilMs, nowMs: job.nowMs, spell });
  const { count: rowCount, read } =
    afterMs === undefined
      ? session.calls(sources, timeframe.span, numbers && callersOf(job.ask, numbers, reader))
      : session.changedCalls(sources, afterMs);
  job.manifest.changes = {
    ...(afterMs !== undefined && { after: new Date(afterMs).toISOString() }),
    until: new Date(untilMs).toISOString(),
  };
  return {
    name: "calls",
    columns,
    rows: derive(read(), columns),
    // A pseudonym is useless without the key; a number, transcript or recording link is personal.
    audience: privateColumns.length > 0 ? "owner" : "shared",
    entry: {
      contents: "calls",
      caller_key: callers.fingerprint,
      rows: rowCount,
      ...(numbers && { of_numbers: numbers.length }),
    },
  };
}

/** @throws UsageError for a number without calls, unless that is allowed; it does not have the number */
function callersOf({ isEmptyAllowed, spell }: Ask, numbers: readonly string[], reader: Reader): number[] {
  return numbers.flatMap((number, index) => {
    const as =
      numbers.length === 1 ? `the number of ${spell("caller")}` : `number ${index + 1} of ${spell("caller")}`;
    const { ids, ...spelling } = findCallers(reader, number, { as });
    if (ids.length === 0 && !isEmptyAllowed) throw noCallsError(spelling, as);
    return ids;
  });
}

async function writeCallsByMonth(job: ExportJob, calls: NamedTable): Promise<ManifestFile[]> {
  const { columns, rows, audience, entry } = calls;
  const toLocal = localTime(job.timeframe.timezone);
  const started = columns.findIndex(({ name }) => name === "call_started");
  let latest = "";
  const monthOf = (row: readonly Value[]) => {
    const time = row[started];
    const month =
      typeof time === "string" ? toLocal(time).local.slice(0, -"-DD HH:MM:SS".length) : UNKNOWN_MONTH;
    // If clocks go back at midnight, the previous month returns for an hour; no file may be written twice.
    if (month > latest) latest = month;
    return latest;
  };
  const unread = Iterator.from(rows);
  const written: ManifestFile[] = [];
  try {
    let next = unread.next();
    do {
      const month = next.done ? UNKNOWN_MONTH : monthOf(next.value);
      let count = 0;
      const ofMonth = function* () {
        for (; !next.done && monthOf(next.value) === month; next = unread.next()) {
          count++;
          yield next.value;
        }
      };
      const content = await encodeTable({ columns, rows: ofMonth() }, { format: "parquet" });
      const file = await job.write(`calls/month=${month}/calls.parquet`, content, audience);
      written.push({ ...entry, ...file, rows: count });
    } while (!next.done);
  } finally {
    unread.return?.();
  }
  return written;
}

export function callColumns(
  rules: AttributionRules,
  toLocal: ReturnType<typeof localTime>,
  toPseudonym: (caller: string) => string,
  privateColumns: readonly PrivateColumn[],
): CallColumn[] {
  return [
    {
      name: "call_id",
      type: "integer",
      isId: true,
      of: { fact: "call_id" },
      help: "Identifier of the call.",
    },
    ...timeColumns(toLocal),
    ...factsIn("attribution"),
    member("insight_name"),
    member("tracking_number"),
    {
      ...text("caller_hash", { fact: "caller" }),
      derive: fromText(toPseudonym),
    },
    durationColumn(rules),
    member("disposition"),
    ...factsIn("conversation"),
    { ...member("org_unit_id"), type: "integer", isId: true },
    member("org_unit_name"),
    ...factsIn("visit"),
    ...factsIn("tags"),
    ...DNI_FIELDS.map(member),
    { name: "gone_at", type: "time", of: { stored: "gone_at" } },
    {
      name: "changed_at",
      type: "time",
      of: { moment: "changed_at" },
      help: "When its content or a fact last changed, or it went or came back, UTC.",
    },
    ...privateColumns.map(member),
  ];
}

const text = (name: string, of: CallSource): CallColumn => ({ name, type: "text", of });

const member = (name: ListedMember) => text(name, { member: name });

function factsIn(group: FactGroup): CallColumn[] {
  return shownColumns(group).map(({ name, type, fact, help, isCommon }): CallColumn => {
    const of: CallSource = isCommon ? { common: "campaign" } : { fact };
    return { name, type: type === "flag" ? "boolean" : "text", of, help };
  });
}

/** When the call started, in UTC and as clocks showed it. */
function timeColumns(toLocal: ReturnType<typeof localTime>): CallColumn[] {
  const started = { fact: "call_started" } as const;
  const weeks = new Map<string, string>();
  const toWeek = (day: string) => weeks.get(day) ?? weeks.set(day, weekOf(day)).get(day) ?? null;
  const weekdayOf = (day: string) => WEEKDAYS[(new Date(day).getUTCDay() + 6) % 7] ?? null;
  const ofLocal = (make: (local: string) => Value) => ({
    of: started,
    derive: fromText((time) => make(toLocal(time).local)),
  });
  return [
    { name: "call_started", type: "time", of: started, help: "Start of the call, UTC." },
    {
      name: "call_started_local",
      type: "local time",
      ...ofLocal((local) => local),
      help: "Start, local time.",
    },
    {
      ...text("utc_offset", started),
      derive: fromText((time) => toLocal(time).offset),
      help: "How far the local time is ahead of UTC then.",
    },
    {
      name: "local_day",
      type: "date",
      ...ofLocal((local) => local.slice(0, -TIME)),
      help: "Local day of the start.",
    },
    {
      name: "local_week",
      type: "text",
      ...ofLocal((local) => toWeek(local.slice(0, -TIME))),
      help: "ISO 8601 week of the local day.",
    },
    {
      ...text("local_weekday", started),
      ...ofLocal((local) => weekdayOf(local.slice(0, -TIME))),
      help: "Weekday of the local day.",
    },
    {
      name: "local_hour",
      type: "integer",
      ...ofLocal((local) => Number(local.slice(1 - TIME, 3 - TIME))),
      help: "Local hour of the start, 0 to 23.",
    },
  ];
}

function durationColumn({ duration_unit }: AttributionRules): CallColumn {
  const unit: Pick<CallColumn, "type" | "decimals" | "derive"> =
    duration_unit === "seconds" ? { type: "integer" } : { type: "decimal", decimals: 3, derive: toSeconds };
  return {
    name: "duration_seconds",
    of: { fact: "duration" },
    ...unit,
    help: "Length of the call, in seconds.",
  };
}

export const fromText =
  (make: (text: string) => Value) =>
  (value: Value): Value =>
    typeof value === "string" ? make(value) : null;

function toSeconds(milliseconds: Value): Value {
  return typeof milliseconds === "number" ? milliseconds / 1000 : null;
}

export function* derive(rows: Iterable<Value[]>, columns: readonly CallColumn[]): Generator<Value[]> {
  for (const row of rows) {
    yield row.map((value, index) => {
      const make = columns[index]?.derive;
      return make === undefined ? value : make(value);
    });
  }
}
