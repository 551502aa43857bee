import { readNewsUntil } from "../delivery/report-run-table.ts";
import type { Job } from "../export/job.ts";
import { type Notice, newsAt, readAllNotices } from "../notices/notice-table.ts";
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
  const all = readAllNotices(reader);
  const isNew = (notice: Notice) =>
    reported === undefined ? notice.ended_at === null : newsAt(notice) > reported;
  const until = all.map(newsAt).reduce((a, b) => (a > b ? a : b), "");
  const notices = all.filter(isNew).map((notice) => `Notice: ${describeNotice(notice, timeframe.timezone)}.`);
  return { notices, until };
}
