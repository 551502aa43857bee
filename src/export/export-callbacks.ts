import { localTime } from "../base/calendar/local-time.ts";
import { COMMON_NAME } from "../calls/facts.ts";
import type { CallSource } from "../sources/session.ts";
import { type CallColumn, derive, fromText } from "./export-calls.ts";
import { type ExportJob, listsOf, pseudonymsOf } from "./job.ts";
import type { ManifestFile } from "./manifest.ts";
import { helpOf } from "./meanings.ts";

/** Writes one line for each caller whose last call was missed and who was not answered since, the latest first. */
export async function writeCallbacks(job: ExportJob): Promise<ManifestFile[]> {
  const { timeframe, ask } = job;
  const { with: privateColumns = [] } = ask;
  const { session } = listsOf(job);
  const callers = pseudonymsOf(job);
  const toLocal = localTime(timeframe.timezone);
  const started = { fact: "call_started" } as const;
  const ofLast = (name: string, of: CallSource, help: string): CallColumn => ({
    name,
    type: "text",
    of,
    help: `${help} Of the last missed call.`,
  });
  const fact = (name: "source" | "channel" | "in_hours") => ofLast(name, { fact: name }, helpOf(name));
  const columns: CallColumn[] = [
    {
      name: "caller_hash",
      type: "text",
      of: { fact: "caller" },
      derive: fromText(callers.toPseudonym),
    },
    { name: "last_missed_at", type: "time", of: started, help: "Start of the last missed call, UTC." },
    {
      name: "last_missed_at_local",
      type: "local time",
      of: started,
      derive: fromText((time) => toLocal(time).local),
      help: "Start of the last missed call, local time.",
    },
    {
      name: "missed_calls",
      type: "integer",
      of: { missed: "missed_calls" },
      help: "Missed calls since the caller was last answered.",
    },
    {
      name: "first_missed_at",
      type: "time",
      of: { missed: "first_missed_at" },
      help: "Start of the first of them, UTC.",
    },
    fact("channel"),
    fact("source"),
    ofLast("campaign", { common: "campaign" }, COMMON_NAME),
    ofLast("campaign_as_tagged", { fact: "campaign" }, helpOf("campaign")),
    fact("in_hours"),
    { name: "tracking_number", type: "text", of: { member: "tracking_number" } },
    { name: "call_id", type: "integer", isId: true, of: { fact: "call_id" }, help: "The last missed call." },
    ...privateColumns.map((name): CallColumn => ({ name, type: "text", of: { member: name } })),
  ];
  const { count, read } = session.callbacks(
    columns.map(({ of }) => of),
    timeframe.span,
  );
  return await job.table({
    name: "callbacks",
    columns,
    rows: derive(read(), columns),
    audience: privateColumns.length > 0 ? "owner" : "shared",
    entry: { contents: "callbacks", caller_key: callers.fingerprint, rows: count },
  });
}
