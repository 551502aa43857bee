import type { Channel } from "../attribution/channel-rules.ts";

/** What some calls of one caller are together. First and last are by start, then by id; calls of unknown time count for neither where others are known. */
export interface CallerSummary {
  /** The number as `+` and its digits. */
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
  calls: number;
  answered_calls: number;
  missed_calls: number;
  /** Start of the first missed call. */
  missed_at: string | null;
  /** Start of the first answered call after that. */
  answered_at: string | null;
}
