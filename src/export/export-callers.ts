import { recordOf } from "../base/records.ts";
import type { CallerSummary } from "../sources/sqlite/sqlite-callers-sql.ts";
import { type ExportJob, listsOf, pseudonymsOf } from "./job.ts";
import type { ManifestFile } from "./manifest.ts";
import type { Column, Value } from "./table.ts";

interface CallerColumn extends Column {
  of: (caller: CallerSummary) => Value;
}

/** These add up to the rollups' figures, except for calls without a caller. */
const SUMS = ["calls", "answered_calls", "missed_calls"] as const;

/** Writes one line per caller, by first call. Calls without a caller's number are only counted. */
export async function writeCallers(job: ExportJob): Promise<ManifestFile[]> {
  const { session } = listsOf(job);
  const callers = pseudonymsOf(job);
  const columns = callerColumns(callers.toPseudonym);
  const { callsWithoutCaller, read } = session.callers(job.timeframe.span);
  const entry = {
    contents: "callers",
    caller_key: callers.fingerprint,
    rows: 0,
    sums: recordOf(SUMS, () => 0),
    excluded: { "no caller": callsWithoutCaller },
  };
  const rows = function* () {
    for (const caller of read()) {
      entry.rows++;
      for (const name of SUMS) entry.sums[name] += caller[name];
      yield columns.map(({ of }) => of(caller));
    }
  };
  return await job.table({ name: "callers", columns, rows: rows(), audience: "shared", entry });
}

function callerColumns(toPseudonym: (caller: string) => string): CallerColumn[] {
  const members = (type: Column["type"], ...names: Exclude<keyof CallerSummary, "caller">[]) =>
    names.map((name): CallerColumn => ({ name, type, of: (caller) => caller[name] }));
  /** Of the first and of the last call of a caller. */
  const ofCalls = (
    type: Column["type"],
    member: "call_at" | "source" | "channel" | "campaign" | "campaign_as_tagged",
    what: string,
  ) =>
    (["first", "last"] as const).map((which): CallerColumn => {
      const name = `${which}_${member}` as const;
      return { name, type, of: (caller) => caller[name], help: `${what}, of the caller's ${which} call.` };
    });
  return [
    { name: "caller_hash", type: "text", of: ({ caller }) => toPseudonym(caller) },
    ...ofCalls("time", "call_at", "Start, UTC"),
    ...ofCalls("text", "source", "Source"),
    ...ofCalls("text", "channel", "Channel"),
    ...ofCalls("text", "campaign", "Campaign as in rollups"),
    ...ofCalls("text", "campaign_as_tagged", "Campaign as tagged"),
    ...members("integer", ...SUMS),
    { name: "recovered", type: "boolean", of: isRecovered },
    { name: "recovered_after_seconds", type: "integer", of: secondsUntilAnswered },
  ];
}

/** Whether a missed caller was answered later, 1 or 0; null for a caller who was not missed at a known time. */
function isRecovered({ missed_at, answered_at }: CallerSummary): Value {
  return missed_at === null ? null : Number(answered_at !== null);
}

function secondsUntilAnswered({ missed_at, answered_at }: CallerSummary): Value {
  if (missed_at === null || answered_at === null) return null;
  return Math.floor((Date.parse(answered_at) - Date.parse(missed_at)) / 1000);
}
