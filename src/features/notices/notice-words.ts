import { timeInWords } from "../../base/calendar/local-time.ts";
import { formatPlain } from "../../base/text/quantity-text.ts";
import { NAME_IN_TEXT, toShortName } from "../../base/text/short-name.ts";
import type { NoticeRow } from "./notice-table.ts";

/**
 * Says in local time what is off, and first whether it is over: `+15125550117: no call since 2 Nov 2026 08:47, 14.2 expected`.
 * The expected calls are those until it was noticed.
 */
export function describeNotice(notice: NoticeRow, zone: string): string {
  const { kind, since, calls, expected, ended_at, end_reason } = notice;
  const show = (time: string) => timeInWords(time, zone);
  const what = kind === "silent" ? "no call" : `${calls} ${calls === 1 ? "call" : "calls"}`;
  const end = ended_at === null ? "" : `${end_reason} since ${show(ended_at)}, after `;
  return `${nameKey(notice)}: ${end}${what} since ${show(since)}, ${formatPlain(expected)} expected`;
}

function nameKey({ dimension, key }: NoticeRow): string {
  if (dimension === "all") return "all calls";
  const name = toShortName(key[dimension] ?? `[${key.campaign_id}]`, NAME_IN_TEXT);
  return dimension === "tracking_number" ? name : `${dimension} ${name}`;
}
