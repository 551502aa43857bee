import type { Span } from "../../base/calendar/dates.ts";
import { namesOf } from "../../base/records.ts";
import type { Channel } from "../../calls/attribution/channel-rules.ts";
import type { CallSelection } from "../engine.ts";
import { commonNameText } from "./campaign-names-sql.ts";
import { selectionText } from "./sqlite-calls-sql.ts";

/**
 * A summary of one caller's calls. First and last are by start, then id; calls without a start count only if there
 * are no others.
 */
export interface CallerSummary {
  /** As `+` and digits. */
  caller: string;
  /** Starts are ISO 8601 UTC. */
  first_call_at: string | null;
  last_call_at: string | null;
  first_source: string | null;
  last_source: string | null;
  first_channel: Channel;
  last_channel: Channel;
  first_campaign: string | null;
  last_campaign: string | null;
  first_campaign_as_tagged: string | null;
  last_campaign_as_tagged: string | null;
  calls: number;
  answered_calls: number;
  missed_calls: number;
  /** Start of the first missed call. */
  missed_at: string | null;
  /** Start of the first answered call after that. */
  answered_at: string | null;
}

/** What the first and the last call have. */
const ENDS = {
  source: "f.source",
  channel: "f.channel",
  campaign: commonNameText(),
  campaign_as_tagged: "f.campaign",
};
type End = keyof typeof ENDS;

export function callersText(span: Span, selection: CallSelection): string {
  const columns: Record<keyof CallerSummary, string> = {
    caller: "(SELECT caller FROM callers WHERE callers.caller_id = listed.caller_id)",
    first_call_at: "min(call_started)",
    last_call_at: "max(call_started)",
    first_source: first("source"),
    last_source: last("source"),
    first_channel: first("channel"),
    last_channel: last("channel"),
    first_campaign: first("campaign"),
    last_campaign: last("campaign"),
    first_campaign_as_tagged: first("campaign_as_tagged"),
    last_campaign_as_tagged: last("campaign_as_tagged"),
    calls: "count(*)",
    answered_calls: "count(*) FILTER (WHERE outcome = 'answered')",
    missed_calls: "count(*) FILTER (WHERE outcome = 'missed')",
    missed_at: "min(missed_at)",
    answered_at: "min(call_started) FILTER (WHERE outcome = 'answered' AND call_started > missed_at)",
  };
  const list = Object.entries(columns).map(([name, text]) => `${text} AS ${name}`);
  // One order for all, so that the calls are sorted once: those without a start first.
  return `SELECT ${list.join(",\n  ")}
FROM (
  SELECT f.caller_id, f.call_id, f.call_started, f.outcome, ${namesOf(ENDS)
    .map((end) => `${ENDS[end]} AS ${end}`)
    .join(", ")},
    row_number() OVER by_caller AS rank,
    count(*) OVER by_caller AS calls,
    count(f.call_started) OVER by_caller AS calls_of_known_time,
    min(f.call_started) FILTER (WHERE f.outcome = 'missed') OVER by_caller AS missed_at
  ${selectionText(span, selection, { also: ["f.caller_id IS NOT NULL"] })}
  WINDOW by_caller AS (
    PARTITION BY f.caller_id ORDER BY f.call_started NULLS FIRST, f.call_id
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
  )
) AS listed
GROUP BY caller_id
ORDER BY min(call_started) NULLS LAST, ${first("call_id")}`;
}

function first(end: End | "call_id"): string {
  return `max(${end}) FILTER (WHERE rank = 1 + iif(calls_of_known_time = 0, 0, calls - calls_of_known_time))`;
}

function last(end: End): string {
  return `max(${end}) FILTER (WHERE rank = calls)`;
}
