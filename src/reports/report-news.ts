import { readNewsUntil } from "../delivery/report-run-table.ts";
import type { Job } from "../export/job.ts";
import { readLastNews, readNewsAfter, readNotices } from "../notices/notice-table.ts";
import { describeNotice } from "../notices/notice-words.ts";
import type { NamedReport } from "./report.ts";

export interface ReportNews {
  /** In sentences. */
  notices: readonly string[];
  /** When the latest of all was new or over. */
  until: string;
}

/**
 * Reads what has gone silent or far off, or is over, since the last delivery of a report; before the first, what is now. A
 * report on some of the calls, or with small numbers folded, has none, since a notice is about all calls.
 */
export function readReportNews({ name, account }: NamedReport, job: Job): ReportNews | undefined {
  const { ask, lists, timeframe } = job;
  if (lists === undefined || ask.minCell !== undefined || Object.keys(ask.filter).length > 0)
    return undefined;
  const { reader } = lists;
  const reported = readNewsUntil(reader, { report: name, account });
  const found = reported === undefined ? readNotices(reader) : readNewsAfter(reader, reported);
  return {
    notices: found.map((notice) => `Notice: ${describeNotice(notice, timeframe.timezone)}.`),
    until: readLastNews(reader),
  };
}
