/// <reference lib="esnext.disposable" preserve="true" />
// What the library takes and returns, in terms of nothing else in the program: this file is its declarations.

/** How complete a pass was; only `exact` and `verified` are known to have read every call. */
export type Verdict = "exact" | "verified" | "probable" | "unverified";

/** Options of {@link syncWarehouse}. */
export interface SyncOptions {
  /** Path of the warehouse; it is made if there is none. */
  database: string;
  /** Address of the API, without `/v3`; https, or http on this machine. */
  baseUrl: string;
  /** Bearer token of the API. */
  token: string;
  /** The only group (organization unit) whose calls are read. @default all */
  orgUnitId?: number | undefined;
  /** Whether all calls are read, or those since the last sync. @default whichever is due */
  mode?: "full" | "incremental" | undefined;
  /** Ends the run between two pages, with its reason as the error; what was read is kept. */
  signal?: AbortSignal | undefined;
  /**
   * Receives the calls read so far, and all of them as the service counts them. The run waits for a promise that it returns,
   * and ends with the error that it throws or rejects with; what was read is kept.
   */
  onProgress?: ((progress: { read: number; total: number }) => unknown) | undefined;
  /**
   * Other settings, by their names in docs/reference/settings.md, such as `{ CALLTALLY_LOOKBACK_HOURS: "48" }`. Those that
   * say how calls are read, kept and attributed count; those of exports, the schedule, the log and publishing do nothing here.
   * Give those that the program itself has: with others, all calls are attributed again. @default their defaults
   */
  settings?: Readonly<Record<string, string>> | undefined;
}

/** A run as the ledger has it. */
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
  /** Calls that its pages brought, each counted once. */
  calls_read: number;
  /** Calls that the warehouse did not have before. */
  calls_new: number;
  /** Calls whose content was another before. */
  calls_changed: number;
  /** Rows of the service that could not be read, and are in no figure. */
  calls_rejected: number;
  /** Calls that this run marked as gone: the service does not list them any more, and they count no longer. */
  calls_gone: number;
  /** Calls that went missing at once, more than the missing-call threshold: they still count. */
  calls_withheld: number;
}

/** A way to group calls; docs/figures.md#dimensions says what each is. */
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
  | "referring_host"
  | "weekday"
  | "hour";

/** Which calls count; of a list, one that fits is enough, and case does not matter. `(not set)` stands for calls without a value. */
export interface CallFilter {
  /** Names or ids of org units. */
  org_unit?: readonly string[];
  channel?: readonly string[];
  source?: readonly string[];
  /** Names or ids of campaigns. */
  campaign?: readonly string[];
  disposition?: readonly string[];
  min_duration_seconds?: number;
  /** Callers' first calls in the warehouse alone. */
  first_time?: true;
  has_gclid?: true;
  tracking_number?: readonly string[];
  /** Phone numbers whose calls are left out, each with its country code. */
  exclude_callers?: readonly string[];
  /** Counts calls that the service does not show any more. */
  include_gone?: true;
}

/** A question to the calls of a warehouse, as `calltally export` answers it. */
export interface RollupQuestion {
  /** What to group by, together; none for one row of everything. */
  by: readonly Dimension[];
  /** First local day, such as `2026-10-01`. @default that of the first call */
  from?: string | undefined;
  /** Last local day. @default that of the last call */
  to?: string | undefined;
  /** IANA time zone of the days. @default UTC */
  timezone?: string | undefined;
  /** Splits the rows by period. */
  grain?: "day" | "week" | "month" | "quarter" | undefined;
  /** Adds the columns `…_previous` and `…_change`, of the stretch before or of the same dates a year before. */
  compare?: "previous" | "year" | undefined;
  filter?: CallFilter | undefined;
  /** Keeps the keys with the most calls, and puts all others into one row, `(other)`; needs a dimension. @default all */
  top?: number | undefined;
  /** Adds rows of zeros for periods without calls. @default false */
  fill?: boolean | undefined;
  /** Adds cost, clicks, impressions and costs per call, from what `spend import` read. @default false */
  spend?: boolean | undefined;
  /** Names of the figures to return, in this order. @default all */
  columns?: readonly string[] | undefined;
  /** Adds a row of totals, in which each caller counts once; none where there is but the one row of everything. @default false */
  total?: boolean | undefined;
}

/** A column of a rollup. */
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

/** The answer to a question. */
export interface Rollup {
  columns: readonly RollupColumn[];
  /** Values by the names of the columns; null where there is none. Times are ISO 8601 UTC, durations seconds, shares 0 to 1. */
  rows: readonly Readonly<Record<string, string | number | null>>[];
}

/** What the figures of a warehouse stand on. */
export interface Standing {
  /** The last finished run; null before the first. */
  run: {
    run_id: number;
    finished_at: string | null;
    verdict: Verdict | null;
    verdict_reason: string | null;
  } | null;
  /** The last pass that proved that it read every call; null where there is none. */
  verified: { run_id: number; finished_at: string | null } | null;
  /** The calls that count. */
  calls: number;
  /** Of these, how many are older than any that the service lists, and since when, ISO 8601 UTC; null where there are none. */
  unlisted: { calls: number; since: string } | null;
  /** How many the service counted at the last run that ended; null before. */
  total: number | null;
  /** When the newest call started, ISO 8601 UTC. */
  newest_call: string | null;
  /** Rows of the service that could not be read, and are in no figure. */
  rejected: number;
}

/** An open warehouse, to read from; dispose of it to close the file. Once it is disposed of, its methods throw CalltallyError (exit 2). */
export interface Warehouse extends Disposable {
  /** Absolute path of the file. */
  readonly path: string;
  /**
   * Answers a question, from one moment of the warehouse. Several that are asked at once are answered one after the other.
   *
   * @throws CalltallyError (exit 2) for a date, a time zone or a value of the filter that cannot be, or that no call has
   */
  rollup(question: RollupQuestion): Promise<Rollup>;
  /** Says what the figures stand on. */
  readStanding(): Standing;
}
