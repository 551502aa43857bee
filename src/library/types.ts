/// <reference lib="esnext.disposable" preserve="true" />
// What the library takes and returns. The package has the declarations of this file and of its imports.

import type { COMPARISON_COLUMNS, ComparisonName, Grain } from "../base/calendar/grain.ts";
import type { Call, ListedMember } from "../calls/columns.ts";
import type { FactValue, ShownFact, ShownName } from "../calls/facts.ts";
import type { CallFilter } from "../calls/filter.ts";
import type { Format, PrivateColumn, Profile } from "../config/request/option-values.ts";
import type { Dimension } from "../figures/dimensions.ts";
import type { Figure, OutcomeFigure, SpendFigure, TimeFigure } from "../figures/metrics.ts";

export type { CallFilter, Dimension, Figure };

/** How complete a pass was; only `exact` and `verified` prove that every call was read. */
export type Verdict = "exact" | "verified" | "probable" | "unverified";

/** Options of {@link syncWarehouse}. */
export interface SyncOptions {
  /** Path of the warehouse; created if it does not exist, in a folder that does. */
  database: string;
  /** Address of the API, without `/v3`; https, or http on this machine. */
  baseUrl: string;
  /** Bearer token of the API. */
  token: string;
  /** The only organization unit whose calls are read. @default all */
  orgUnitId?: number | string | undefined;
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
  /**
   * Sends the requests: a `Dispatcher` of undici, such as `ProxyAgent` or `MockAgent`. The sync then runs in this thread,
   * and blocks it for moments. @default connections of its own, through the proxy that the environment names
   */
  dispatcher?: { dispatch(options: never, handler: never): boolean } | undefined;
  /** Whether missing folders of `database` are made. @default false */
  createFolders?: boolean | undefined;
  /** Whether to begin a warehouse if there is none. On a schedule, pass `false`: its disk may be lost. @default true */
  begin?: boolean | undefined;
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

/** Local days, the first and the last, such as `2026-10-01`; or the last complete ones, such as `4w` or `last-month`. */
export type DayRange =
  | { from?: string | undefined; to?: string | undefined; last?: undefined }
  | { last: string; from?: undefined; to?: undefined };

/** A question about the calls of a warehouse, in the names of a report in `calltally.yaml`. */
export interface RollupQuestion {
  /** What to group by, combined; empty for one row of everything. */
  by: readonly Dimension[];
  /** Which days. @default all calls */
  range?: DayRange | undefined;
  /** IANA time zone of the days. @default UTC */
  timezone?: string | undefined;
  /** Splits the rows by period. */
  grain?: Grain | undefined;
  /**
   * Adds each figure before, and its change: `previous` with the time before (`…_previous`, `…_change`), `year` with the
   * same dates a year earlier (`…_year_ago`, `…_year_change`), `52-weeks` with the same weekdays (`…_52_weeks_ago`,
   * `…_52_weeks_change`), `period-on-period` each period with the one before (`…_period_before`, `…_period_change`).
   */
  compare?: ComparisonName | readonly ComparisonName[] | undefined;
  /** Adds `…_within_chance`: whether chance alone may explain a change. @default false */
  chance?: boolean | undefined;
  /**
   * Compares the rates of each row with those of this one, a value of the only dimension: adds `…_versus`, the difference,
   * and `…_versus_chance`, whether chance alone may explain it.
   */
  versus?: string | undefined;
  filter?: CallFilter | undefined;
  /** Keeps the keys with the most calls, and folds all others into one row, `(other)`; needs a dimension. @default all */
  top?: number | undefined;
  /** Adds rows of zeros for periods without calls. @default false */
  fill?: boolean | undefined;
  /** Adds cost, clicks, impressions and costs per call, from `calltally spend import`. @default false */
  spend?: boolean | undefined;
  /** Adds booked and sold calls and revenue, from `calltally outcome import`. @default false */
  outcomes?: boolean | undefined;
  /** Whether these are of the period of their call, or of the date of their job. @default call */
  revenue_by?: "call" | "job-date" | undefined;
  /** Names of the figures to return, in this order. @default all */
  columns?: readonly Figure[] | undefined;
  /** Adds a row of totals, in which each caller counts once, unless there is only one row anyway; with `spend`, also a row `(with spend)`. @default false */
  total?: boolean | undefined;
}

/** Files to write, in the names of a report in `calltally.yaml`. */
export interface ExportRequest extends Omit<RollupQuestion, "by"> {
  /** Dimensions and lists, a file each. @default the three rollups of `calltally export`, unless `by` is given */
  contents?: readonly (Dimension | "calls" | "callers" | "callbacks")[] | undefined;
  /** Dimensions of one file, combined. */
  by?: readonly Dimension[] | undefined;
  /** @default csv */
  format?: Format | undefined;
  /** @default texts that look like formulas are guarded */
  profile?: Profile | undefined;
  /** Private columns of calls. @default none */
  with?: readonly PrivateColumn[] | undefined;
  /** Limits the list `calls` to these phone numbers, in any spelling. @default calls of everybody */
  caller?: string | readonly string[] | undefined;
  /** Folds rows of fewer calls, for files to share. @default none */
  min_cell?: number | undefined;
  /** Whether utm values are grouped as stored. @default false */
  raw?: boolean | undefined;
}

export interface ExportedFile {
  /** Path in the folder. */
  file: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
  /** Dimensions, or the name of a list. */
  contents: string;
  /** Without header and total; those of all tables together. */
  rows: number;
  /** Of a workbook or database: its sheets or tables. */
  sheets?: readonly { sheet: string; contents: string; rows: number }[];
}

/** What was written, together with `manifest.json`. */
export interface ExportResult {
  /** Absolute path. */
  folder: string;
  files: readonly ExportedFile[];
  /** The run that the figures are of. */
  run: Basis["run"];
  /** Doubts first. */
  statements: readonly Statement[];
  /** Path of the key of `caller_hash`, if it was created: keep it with backups of the warehouse. */
  newKey?: string;
}

export type Value = string | number | null;

type ReturnFigure = Extract<OutcomeFigure, "return_on_ad_spend" | "cost_per_booked_call">;

type FiguresOf<Q extends RollupQuestion> = Q["columns"] extends readonly (infer Name extends Figure)[]
  ? Name
  : Exclude<
      Figure,
      | (Q["spend"] extends true ? never : SpendFigure | ReturnFigure)
      | (Q["outcomes"] extends true ? never : OutcomeFigure)
      | (Q["revenue_by"] extends "job-date" ? "revenue_per_call" : never)
    >;
/** The columns that name what periods are compared with. */
type PeriodName<Compare> = Compare extends ComparisonName
  ? (typeof COMPARISON_COLUMNS)[Compare]["period"]
  : Compare extends readonly (infer Name extends ComparisonName)[]
    ? (typeof COMPARISON_COLUMNS)[Name]["period"]
    : never;
type KeysOf<Q extends RollupQuestion> =
  | Q["by"][number]
  | ("campaign" extends Q["by"][number] ? "campaign_id" : never)
  | (Q["grain"] extends Grain ? "period" | "period_start" | PeriodName<Q["compare"]> : never);
type IdsOf<Q extends RollupQuestion> = "org_unit" extends Q["by"][number] ? "org_unit_id" : never;

/** Values by column name, typed by the question; null for no value. Shares are 0 to 1. */
export type RollupRow<Q extends RollupQuestion = RollupQuestion> = Readonly<Record<string, Value>> & {
  readonly [Key in KeysOf<Q>]: string | null;
} & { readonly [Id in IdsOf<Q>]: number | null } & {
  readonly [Name in FiguresOf<Q>]: Name extends TimeFigure ? string | null : number | null;
};

/** A row of SQL: an integer beyond 2^53 is a bigint. */
export type SqlRow = Readonly<Record<string, string | number | bigint | Uint8Array | null>>;

type SqlOf<Value> = Value extends boolean ? number : Value;

/** A row of the view `attributed_calls`; docs/reference/schema.md has its columns. Flags are 1 or 0. */
export type AttributedCall = SqlRow & {
  readonly [Name in Exclude<ListedMember, "duration">]: Call[Name];
} & {
  readonly [Name in ShownFact as ShownName<Name>]: SqlOf<FactValue<Name>>;
} & {
  /** The common name of its `campaign_id`, as in rollups. */
  readonly campaign: string | null;
  readonly duration_seconds: number | null;
  readonly job_stage: string | null;
  readonly revenue: number | null;
  /** ISO 8601 UTC. */
  readonly changed_at: string;
} & {
  /** In the zone of the last sync; null without a start. */
  readonly [Name in "call_started_local" | "local_day" | "local_weekday"]: string | null;
} & { readonly local_hour: number | null };

export interface RollupColumn {
  name: string;
  /** Booleans are 1 or 0, a date is a local day, `2026-11-20`. */
  type: "text" | "integer" | "decimal" | "boolean" | "time" | "date";
  /** Digits after the point, of a decimal. */
  decimals?: number | undefined;
  /** ISO 4217, of an amount. */
  currency?: string | undefined;
  /** Whether it is a dimension or a period, rather than a figure. */
  isKey?: boolean | undefined;
  /** Whether it identifies something, such as a campaign. */
  isId?: boolean | undefined;
  /** Whether it is a part of a whole: 0.25 for a quarter. */
  isShare?: boolean | undefined;
  /** Whether it adds up across rows. */
  isAdditive?: boolean | undefined;
  /** The figure that it compares, with what, and what it shows of it. */
  comparison?:
    | { of: string; as: ComparisonName; shows: "previous" | "change" | "points" | "within chance" }
    | undefined;
  /** What it means. */
  help?: string | undefined;
}

/** What a reader of figures must know; see docs/figures.md#statements. */
export interface Statement {
  /** Such as `rejected_rows`. */
  id: string;
  /** doubt: figures may be wrong or incomplete. caution: they are right, and can mislead. note: good to know. */
  level: "doubt" | "caution" | "note";
  values: Readonly<Record<string, string | number | null>>;
  /** In one sentence. */
  text: string;
  /** What to do about it. */
  hint?: string;
}

export interface Rollup<Q extends RollupQuestion = RollupQuestion> {
  columns: readonly RollupColumn[];
  rows: readonly RollupRow<Q>[];
  /** The run that the figures are of. */
  run: Basis["run"];
  /** Doubts first. */
  statements: readonly Statement[];
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
  /** How many of them the service no longer lists, and from when on a full pass can mark the last as gone, ISO 8601 UTC; null for none. */
  missing: { calls: number; until: string } | null;
  /** How many of them are older than any that the service lists, and since when, ISO 8601 UTC; null for none. */
  unlisted: { calls: number; since: string } | null;
  /** The service's count at the last finished run; null before. */
  total: number | null;
  /** Start of the newest call, ISO 8601 UTC. */
  newest_call: string | null;
  /** Rows that could not be parsed, and are in no figure. */
  rejected: number;
  /** Doubts first. */
  statements: readonly Statement[];
}

/** Options of what an open warehouse is asked. */
export interface ReadOptions {
  /** Ends it, with its reason as the error. */
  signal?: AbortSignal | undefined;
}

/** A value for a parameter of SQL: a whole number or a bigint is bound as INTEGER, any other number as REAL. */
export type SqlParameter = string | number | bigint | Uint8Array | null;

/** In order for `?`, or by name for `:name`, `@name` or `$name`. */
export type SqlParameters = readonly SqlParameter[] | Readonly<Record<string, SqlParameter>>;

/** Which calls to read, as in {@link RollupQuestion}. */
export interface CallQuestion extends Pick<RollupQuestion, "range" | "timezone"> {
  filter?: Omit<CallFilter, "include_gone"> | undefined;
}

/**
 * An open warehouse, for reading, in a thread of its own; dispose of it to end that. Its methods then throw
 * CalltallyError (exit 2).
 */
export interface Warehouse extends Disposable, AsyncDisposable {
  /** Absolute path of the file. */
  readonly path: string;
  /**
   * Answers a question at one moment of the warehouse. Concurrent questions are answered one at a time.
   * @throws CalltallyError (exit 2) for an invalid date or time zone, or a filter value that no call has
   */
  rollup<const Q extends RollupQuestion>(question: Q, options?: ReadOptions): Promise<Rollup<Q>>;
  /**
   * Writes files into a folder, with `manifest.json`, as `calltally export` does; it does not record them, so later
   * exports have no restatements of them, and `calltally forget` does not know them. Aborted, it leaves the folder as it
   * was, and then throws the signal's reason.
   * @throws CalltallyError (exit 2) for an impossible request, or a folder with the files of another warehouse
   */
  export(folder: string, request: ExportRequest, options?: ReadOptions): Promise<ExportResult>;
  /**
   * Reads the calls that count, by id, from one moment of the warehouse. The next are read while these are iterated.
   * @throws CalltallyError (exit 2) for an invalid date or time zone, or a filter value that no call has
   */
  calls(question?: CallQuestion, options?: ReadOptions): AsyncGenerator<AttributedCall, void, undefined>;
  /**
   * Runs one SQL statement that reads, from one moment of the warehouse; rows are read while they are iterated.
   * @param parameters values for the parameters of the SQL. @default none
   * @throws CalltallyError (exit 2) for any other SQL, and for a parameter that is missing, superfluous or of another type
   */
  query(
    sql: string,
    parameters?: SqlParameters,
    options?: ReadOptions,
  ): AsyncGenerator<SqlRow, void, undefined>;
  /** Returns what the figures are based on. */
  readBasis(): Promise<Basis>;
}
