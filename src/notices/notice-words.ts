import { localTime } from "../calendar/local-time.ts";
import type { Notice } from "./notice-table.ts";

/** Says in one sentence, without a full stop, what is off and whether it is over; times are local. */
export function describeNotice(notice: Notice, zone: string): string {
  const { kind, since, judged_until, calls, expected, ended_at, end_reason } = notice;
  const show = (time: string) => localTime(zone)(time).local.slice(0, "YYYY-MM-DD HH:MM".length);
  const what = kind === "silent" ? "no call" : `${calls} ${calls === 1 ? "call" : "calls"}`;
  const by = `${expected} expected by ${show(judged_until)}`;
  const end = ended_at === null ? "" : `; ended ${show(ended_at)}: ${end_reason}`;
  return `${nameKey(notice)}: ${what} since ${show(since)}, ${by}${end}`;
}

function nameKey({ dimension, key }: Pick<Notice, "dimension" | "key">): string {
  if (dimension === "all") return "all calls";
  const { campaign, campaign_id, ...others } = key;
  const [other] = Object.values(others);
  return `${dimension.replace("_", " ")} ${other ?? campaign ?? campaign_id}`;
}
