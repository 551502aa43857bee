/// <reference lib="esnext.disposable" preserve="true" />
// What the library takes and returns, in terms of nothing else in the program: this file is its declarations.

/** How complete a pass was; only `exact` and `verified` prove that every call was read. */
export type Verdict = "exact" | "verified" | "probable" | "unverified";

/** Options of {@link syncWarehouse}. */
export interface SyncOptions {
  /** Path of the warehouse; created if it does not exist. */
  database: string;
  /** Address of the API, without `/v3`; https, or http on this machine. */
  baseUrl: string;
  /** Bearer token of the API. */
  token: string;
  /** The only organization unit whose calls are read. @default all */
  orgUnitId?: number | undefined;
  /** Whether all calls are read, or those since the last sync. @default whichever is due */
  mode?: "full" | "incremental" | undefined;
  /** Ends the run between two pages, with its reason as the error; what was read is kept. */
  signal?: AbortSignal | undefined;
  /**
   * Receives the calls read so far, and the service's count. The run waits for a returned promise, and ends with an
   * error that it throws; what was read is kept.
   */
  onProgress?: ((progress: { read: number; total: number }) => unknown) | undefined;
  /**
   * Other settings, by their names in docs/reference/settings.md, such as `{ CALLTALLY_LOOKBACK_HOURS: "48" }`. Only
   * settings of reading, keeping and attributing calls have an effect. Use the same as the program itself: with
   * different ones, all calls are attributed again. @default their defaults
   */
  settings?: Readonly<Record<string, string>> | undefined;
}

/** A run in the ledger. */
export interface SyncRun {
  run_id: number;
  mode: "full" | "incremental";
  verdict: Verdict;
  /** Why, in one sentence. */
  verdict_reason: string;
  /** ISO 8601 UTC. */
  started_at: string;
  /** ISO 8601 UTC. */
  finished_at: string;
  /** Calls on its pages, each counted once. */
  calls_read: number;
  /** Calls that were not in the warehouse. */
  calls_new: number;
  /** Calls whose content changed. */
  calls_changed: number;
  /** Rows that could not be parsed, and are in no figure. */
  calls_rejected: number;
  /** Calls marked as gone: the service no longer lists them, and they no longer count. */
  calls_gone: number;
  /** Calls that went missing at once, over the missing-call threshold: they still count. */
  calls_withheld: number;
}

/** A way to group calls; see docs/figures.md#dimensions. */
export type Dimension =
  | "utm_source"
  | "utm_medium"
  | "utm_campaign"
  | "utm_content"
  | "utm_term"
  | "source"
  | "medium"
  | "campaign"
  | "gclid"
  | "channel"
  | "insight_name"
  | "org_unit"
  | "tracking_number"
  | "disposition"
  | "topic"
  | "referring_host"
  | "weekday"
  | "hour";

/**
 * Which calls count. For lists, one matching value is enough. Case does not matter. `(not set)` matches calls without
 * a value.
 */
export interface CallFilter {
  /** Names or ids of org units. */
  org_unit?: readonly string[];
  channel?: readonly string[];
  source?: readonly string[];
  /** Names or ids of campaigns. */
  campaign?: readonly string[];
  disposition?: readonly string[];
  topic?: readonly string[];
  min_duration_seconds?: number;
  /** Only callers' first calls in the warehouse. */
  first_time?: true;
  has_gclid?: true;
  tracking_number?: readonly string[];
  /** Phone numbers whose calls are left out, with their country codes. */
  exclude_callers?: readonly string[];
  /** Also counts calls that the service no longer lists. */
  include_gone?: true;
}

/** A question about the calls of a warehouse, as for `calltally export`. */
export interface RollupQuestion {
  /** What to group by, combined; empty for one row of everything. */
  by: readonly Dimension[];
  /** First local day, such as `2026-10-01`. @default that of the first call */
  from?: string | undefined;
  /** Last local day. @default that of the last call */
  to?: string | undefined;
  /** IANA time zone of the days. @default UTC */
  timezone?: string | undefined;
  /** Splits the rows by period. */
  grain?: "day" | "week" | "month" | "quarter" | undefined;
  /** Adds the columns `…_previous` and `…_change`, for the time before or the same dates a year earlier. */
  compare?: "previous" | "year" | undefined;
  filter?: CallFilter | undefined;
  /** Keeps the keys with the most calls, and folds all others into one row, `(other)`; needs a dimension. @default all */
  top?: number | undefined;
  /** Adds rows of zeros for periods without calls. @default false */
  fill?: boolean | undefined;
  /** Adds cost, clicks, impressions and costs per call, from `calltally spend import`. @default false */
  spend?: boolean | undefined;
  /** Names of the figures to return, in this order. @default all */
  columns?: readonly string[] | undefined;
  /** Adds a row of totals, in which each caller counts once, unless there is only one row anyway. @default false */
  total?: boolean | undefined;
}

export interface RollupColumn {
  name: string;
  type: "text" | "integer" | "decimal" | "time";
  /** Digits after the point, of a decimal. */
  decimals?: number | undefined;
  /** ISO 4217, of an amount. */
  currency?: string | undefined;
  /** Whether it adds up across rows. */
  isAdditive?: boolean | undefined;
}

export interface Rollup {
  columns: readonly RollupColumn[];
  /** Values by column name; null for no value. Times are ISO 8601 UTC, durations seconds, shares 0 to 1. */
  rows: readonly Readonly<Record<string, string | number | null>>[];
}

/** What the figures of a warehouse are based on. */
export interface Basis {
  /** The last finished run; null before the first. */
  run: {
    run_id: number;
    finished_at: string | null;
    verdict: Verdict | null;
    verdict_reason: string | null;
  } | null;
  /** The last pass that proved that it read every call; null if none has. */
  verified: { run_id: number; finished_at: string | null } | null;
  /** The calls that count. */
  calls: number;
  /** How many of them are older than any that the service lists, and since when, ISO 8601 UTC; null for none. */
  unlisted: { calls: number; since: string } | null;
  /** The service's count at the last finished run; null before. */
  total: number | null;
  /** Start of the newest call, ISO 8601 UTC. */
  newest_call: string | null;
  /** Rows that could not be parsed, and are in no figure. */
  rejected: number;
}

/** An open warehouse, for reading; dispose of it to close the file. Its methods then throw CalltallyError (exit 2). */
export interface Warehouse extends Disposable {
  /** Absolute path of the file. */
  readonly path: string;
  /**
   * Answers a question at one moment of the warehouse. Concurrent questions are answered one at a time.
   * @throws CalltallyError (exit 2) for an invalid date or time zone, or a filter value that no call has
   */
  rollup(question: RollupQuestion): Promise<Rollup>;
  /** Returns what the figures are based on. */
  readBasis(): Basis;
}
