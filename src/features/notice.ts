import type { Reader } from "../warehouse/warehouse.ts";

/** What a feature noticed in the calls: something is off, or is so no more. */
export interface Notice {
  /** Counts starts and ends of notices: the number of its latest. */
  news: number;
  /** What is watched; `all` for all calls. */
  dimension: string;
  /** The value of the dimension. */
  name: string;
  kind: "silent" | "few" | "many";
  /** ISO 8601 UTC, as all times here. */
  since: string;
  /** Null while it is open. */
  ended_at: string | null;
  /** How many calls were expected until it was noticed. */
  expected: number;
  /** Returns what is off, in local times and the current locale. @param zone IANA */
  describe: (zone: string) => string;
  /** All members, for JSON. */
  data: object;
  /** Without numbers that have a meaning only in the warehouse. */
  shared: object;
  /** Without names of visitors. */
  logged: object;
}

export interface NoticeBook {
  /** The dimensions that are watched, in their order. */
  dimensions: readonly string[];
  /** Reads the open notices, the latest first. @param endedAfter reads notices that ended later as well; empty for all */
  read: (reader: Reader, endedAfter?: string) => readonly Notice[];
}
