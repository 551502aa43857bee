import { minutesOf } from "../base/calendar/local-time.ts";
import { toPrintable } from "../base/text/printable.ts";
import type { ExportJob } from "../export/job.ts";
import { NOT_SET } from "../figures/reserved-keys.ts";
import type { CallerToRingBack, ReportSummary } from "./delivery/report-summary.ts";
import type { NamedReport } from "./report.ts";

const MAX_CALLERS = 10;

/** Reads the newest callers to ring back since the report's first day, if it lists them: also those missed after its last day. */
export function readRingBack(
  { content: { ring_back } }: NamedReport,
  { lists, timeframe: { span, timezone } }: ExportJob,
): ReportSummary["ring_back"] {
  if (ring_back === undefined || lists === undefined) return undefined;
  const minuteOf = minutesOf(timezone);
  const { count, read } = lists.session.callbacks(
    [
      { fact: "call_started" },
      { missed: "missed_calls" },
      { fact: "source" },
      { fact: "in_hours" },
      { member: "caller_id" },
    ],
    span.startsAt === undefined ? {} : { startsAt: span.startsAt },
  );
  const callers = Iterator.from(read())
    .take(MAX_CALLERS)
    .map(
      ([started, missed, source, inHours, number]): CallerToRingBack => ({
        missed_at: minuteOf(String(started)),
        missed_calls: Number(missed),
        source: toPrintable(String(source ?? NOT_SET)),
        in_hours: inHours === null ? null : inHours === "yes",
        number: ring_back === "numbers" && number !== null ? toPrintable(String(number)) : null,
      }),
    );
  return { callers: [...callers], all: count };
}
