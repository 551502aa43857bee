import { inLocale } from "../base/text/locale.ts";
import type { ExportJob } from "../export/job.ts";
import { loadNotices } from "../features/load-notices.ts";
import { readNewsSpan } from "./delivery/delivery-table.ts";
import type { NamedReport } from "./report.ts";

export interface ReportNews {
  /** In sentences. */
  notices: readonly string[];
  /** The number of the latest, for the next report. */
  until: number;
}

/**
 * Reads what has gone silent or far off, or is over, since the last report that somebody got; before the first, what is now.
 * A report on some of the calls, or with small numbers folded, has none, since a notice is about all calls.
 */
export async function readReportNews(
  { name, account }: NamedReport,
  runId: number,
  { ask, letterhead, lists, timeframe }: ExportJob,
): Promise<ReportNews | undefined> {
  if (lists === undefined || ask.minCell !== undefined || Object.keys(ask.filter).length > 0)
    return undefined;
  const { reader } = lists;
  const { after, upTo } = readNewsSpan(reader, { runId, report: name, account });
  const all = (await loadNotices()).read(reader, "");
  // A clock may be set back, a number not.
  const until = upTo ?? Math.max(0, ...all.map(({ news }) => news));
  const recent = all.filter(
    ({ news, ended_at }) => news <= until && (after === undefined ? ended_at === null : news > after),
  );
  const notices = inLocale(letterhead.locale, () =>
    recent.map(({ describe }) => `Notice: ${describe(timeframe.timezone)}.`),
  );
  return { notices, until };
}
