import { hash } from "node:crypto";
import { and, desc, eq, inArray, isNotNull, or, type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { isFuture } from "../../base/clock.ts";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { recordOf } from "../../base/records.ts";
import { hashId } from "../../service/paging/id-sketch.ts";
import { SORTS } from "../../service/paging/order-key.ts";
import { SURE_VERDICTS, VERDICTS } from "../../service/paging/verdict.ts";
import { about, describeTable } from "../described.ts";
import { isLocked } from "../file/holder.ts";
import { readMoment, type Tx } from "../transaction.ts";
import type { Reader, Warehouse } from "../warehouse.ts";

export const sync_runs = sqliteTable("sync_runs", {
  run_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the run."),
  started_at: about(text().notNull(), "Start of the run, ISO 8601 UTC."),
  finished_at: about(text(), "End of the run, ISO 8601 UTC; null while it runs."),
  mode: about(text({ enum: ["full", "incremental"] }).notNull(), "full or incremental."),
  status: about(
    text({ enum: ["running", "done", "interrupted", "failed"] }).notNull(),
    "running, done, interrupted or failed.",
  ),
  plan_reason: about(text(), "Why it ran in this mode, one sentence.", "text"),
  pid: about(integer(), "The process that ran it."),
  file_checked_at: about(text(), "Check of the whole file before the run, ISO 8601 UTC; null if none."),
  resumed: about(integer(), "How often it was resumed after an interruption."),
  verdict: about(text({ enum: VERDICTS }), "exact, verified, probable or unverified; null unless done."),
  verdict_reason: about(text(), "Why this verdict, one sentence.", "text"),
  advice: about(text(), "What the operator can do about the verdict, one sentence; null if nothing.", "text"),
  call_order: about(
    text({ enum: ["newest", "oldest", "unknown"] }),
    "Which calls came first by the order key: newest, oldest or unknown.",
  ),
  order_key: about(text(), "Keys that sorted all rows, e.g. `call_started desc`, by commas; null for none."),
  sort: about(text({ enum: SORTS }), "Requested order: `own` (the service's), `source_name asc` or `desc`."),
  first_total: about(integer(), "`total` of the first response."),
  last_total: about(integer(), "`total` of the last response."),
  calls_read: about(integer(), "Different calls read."),
  calls_new: about(integer(), "Calls that were not in the warehouse."),
  calls_changed: about(integer(), "Calls whose content changed."),
  calls_unchanged: about(integer(), "Calls that were unchanged."),
  calls_rejected: about(integer(), "Rows that could not be parsed."),
  calls_missing: about(integer(), "Calls that this full pass was the first to miss."),
  calls_gone: about(integer(), "Calls marked as gone from the service."),
  calls_unlisted: about(integer(), "Calls that became unlisted: older than any that the service lists."),
  calls_returned: about(integer(), "Calls that were missing, gone or unlisted and came back."),
  calls_withheld: about(integer(), "Calls not marked as missing: more than the missing-call threshold."),
  gone_after_hours: about(
    integer(),
    "How long passes must miss a call before this one or a later one marks it as gone; null unless a full pass is done.",
  ),
  calls_conflicting: about(
    integer(),
    "Calls served with different contents in one response, or in two of unknown order, and again when requested again.",
  ),
  calls_other_unit: about(integer(), "New and changed calls with another `org_unit_id` than requested."),
  pages: about(integer(), "Pages of the walk."),
  page_rows: about(integer(), "Rows asked for on a page, because larger pages failed; null if none did."),
  seams_mended: about(integer(), "Seams between pages that did not join at first."),
  seams_broken: about(integer(), "Seams between pages that do not join."),
  retries: about(integer(), "Attempts that were repeated."),
  failed_request_ids: about(text(), "JSON array of the service's request ids of failed attempts."),
  clock_ahead_ms: about(
    integer(),
    "Minimum milliseconds that the service's clock was ahead; null if unknown.",
  ),
  judged_until: about(text(), "Until when calls were judged for `notices`, ISO 8601 UTC; null if not."),
  not_before: about(text(), "Until when the service asked for a pause, ISO 8601 UTC."),
  error: about(text(), "What ended the run early.", "text"),
  elapsed_ms: about(integer(), "Milliseconds from start to finish."),
  first_page_at: about(
    text(),
    "When the first page was complete, ISO 8601 UTC: full passes mark the calls that they did not meet with it. Null unless done.",
  ),
  moment_ms: about(
    integer(),
    "The moment of its last transaction, in milliseconds since 1970: calls that changed later have a later `changed_ms` in `call_facts`. Null unless done.",
  ),
  new_ids_hash: about(integer(), "Sum of the hashed ids of the new calls, modulo 2^32."),
  row_hash: about(text(), "BLAKE2b hash of this row without its texts; null unless done."),
});
export const SYNC_RUNS = describeTable(sync_runs, "The ledger: one row per run of `sync`.");

export type SyncRun = typeof sync_runs.$inferSelect;
export type RunChanges = Omit<Partial<SyncRun>, "run_id" | "started_at">;

export function startRun(
  { db }: Warehouse,
  run: Pick<SyncRun, "started_at" | "mode" | "plan_reason" | "pid">,
): number {
  return db
    .insert(sync_runs)
    .values({ ...run, status: "running" })
    .returning()
    .get().run_id;
}

/** Distinguishes our run from one that another process has resumed or closed. */
export interface RunHold {
  runId: number;
  pid: number;
}

/** @throws CalltallyError (exit 6) if the lock file was deleted, and another process has closed or resumed the run */
export function assertHeld({ db, path }: Tx, { runId, pid }: RunHold): void {
  const run = db.select().from(sync_runs).where(eq(sync_runs.run_id, runId)).get();
  if (run?.status === "running" && run.pid === pid) return;
  throw new CalltallyError(
    EXIT.locked,
    `Cannot continue run ${runId} of ${path}: another process has taken over`,
    { hint: `Run it again: what this run had read is kept. Do not delete ${path}.lock during a run.` },
  );
}

export function updateRun({ db }: Warehouse, runId: number, changes: RunChanges): SyncRun {
  return db.update(sync_runs).set(changes).where(eq(sync_runs.run_id, runId)).returning().get();
}

/** Adds the id of a new call, in any order. */
export function addToIdsHash(sum: number, id: number): number {
  return (sum + hashId(id)) % 2 ** 32;
}

/** What no later command changes of a run that is done; `forget` masks texts. */
const SEALED = SYNC_RUNS.columns.filter(({ name, personal }) => {
  return personal === undefined && !["advice", "judged_until", "row_hash"].includes(name);
});

/** Returns the hash that a run has when it is done. */
export function hashRun(run: SyncRun): string {
  return hash("blake2b512", JSON.stringify(SEALED.map(({ name }) => Reflect.get(run, name))), "base64url");
}

/** Ends a run, so that `verify` finds any later change. */
export function sealRun(tx: Tx, runId: number, changes: RunChanges): SyncRun {
  const row_hash = hashRun(updateRun(tx, runId, { ...changes, status: "done", moment_ms: readMoment(tx) }));
  return updateRun(tx, runId, { row_hash });
}

/** Records a check of the file that ended after the run. */
export function recordFileCheck(tx: Tx, runId: number, file_checked_at: string): SyncRun {
  const run = updateRun(tx, runId, { file_checked_at });
  return run.status === "done" ? updateRun(tx, runId, { row_hash: hashRun(run) }) : run;
}

/**
 * Takes back that a run is done, because what follows it failed. Its certificate goes with it, because it proves a run
 * that is done. Its marks stay, and so does the time that explains them.
 */
export function failSealed(tx: Tx, runId: number, error: string): void {
  tx.db.run(sql`DELETE FROM certificates WHERE run_id = ${runId}`);
  const undone = { verdict: null, verdict_reason: null, advice: null, moment_ms: null, row_hash: null };
  updateRun(tx, runId, { ...undone, status: "failed", error });
}

/** Counted page by page, including discarded pages. */
const COUNTS = ["calls_new", "calls_changed", "calls_returned", "calls_conflicting", "new_ids_hash"] as const;
export type RunCounts = Record<(typeof COUNTS)[number], number>;

/** Returns what a run has counted so far; it may have been interrupted, and be resumed. */
export function readCounts({ db }: Reader, runId: number): RunCounts {
  const run = db.select().from(sync_runs).where(eq(sync_runs.run_id, runId)).get();
  return recordOf(COUNTS, (name) => run?.[name] ?? 0);
}

function readLatest({ db }: Reader, where: SQL | undefined): SyncRun | undefined {
  return db.select().from(sync_runs).where(where).orderBy(desc(sync_runs.run_id)).limit(1).get();
}

export function readLastFileCheck(warehouse: Reader): string | undefined {
  return readLatest(warehouse, isNotNull(sync_runs.file_checked_at))?.file_checked_at ?? undefined;
}

const KILLED = { status: "interrupted", error: "The process was killed" } as const;

/** Closes runs that were killed: while we hold the lock, none can be running. */
export function closeKilledRuns({ db }: Warehouse): void {
  db.update(sync_runs).set(KILLED).where(eq(sync_runs.status, "running")).run();
}

const IS_GOOD = inArray(sync_runs.verdict, [...SURE_VERDICTS, "probable"]);
const IS_SURE_PASS = and(eq(sync_runs.mode, "full"), inArray(sync_runs.verdict, SURE_VERDICTS));

export function readLastVerifiedPass(warehouse: Reader): SyncRun | undefined {
  return readLatest(warehouse, IS_SURE_PASS);
}

export function readLastGoodRun(warehouse: Reader): SyncRun | undefined {
  return readLatest(warehouse, and(eq(sync_runs.status, "done"), IS_GOOD));
}

/** Returns the latest run that surely read everything new: a sure full pass, or an incremental sync that continues one. */
export function readLastTrustedRun(warehouse: Reader): SyncRun | undefined {
  const isIncremental = and(eq(sync_runs.mode, "incremental"), eq(sync_runs.verdict, "probable"));
  return readLatest(warehouse, or(IS_SURE_PASS, isIncremental));
}

/** Returns until when calls have been judged for notices, ISO 8601 UTC. */
export function readLastJudged(warehouse: Reader): string | undefined {
  return readLatest(warehouse, isNotNull(sync_runs.judged_until))?.judged_until ?? undefined;
}

/** Returns the latest full pass that could find missing calls. */
export function readLastUsablePass(warehouse: Reader): SyncRun | undefined {
  return readLatest(warehouse, and(eq(sync_runs.mode, "full"), IS_GOOD));
}

export function readLastDoneRun(warehouse: Reader): SyncRun | undefined {
  return readLatest(warehouse, eq(sync_runs.status, "done"));
}

export function readRun(warehouse: Reader, runId: number): SyncRun | undefined {
  return readLatest(warehouse, eq(sync_runs.run_id, runId));
}

/** Returns the highest id that a run ever had. */
export function readLastRunId({ sqlite }: Reader): number {
  const read = sqlite.prepare<[], number>("SELECT seq FROM sqlite_sequence WHERE name = 'sync_runs'");
  return read.pluck().get() ?? 0;
}

export function readRuns({ db }: Reader, limit: number): SyncRun[] {
  return db.select().from(sync_runs).orderBy(desc(sync_runs.run_id)).limit(limit).all();
}

/** Returns the latest runs; a run that was killed is interrupted, as the next sync will record it. */
export function readRunsAsEnded(warehouse: Reader, limit: number): SyncRun[] {
  const [last] = readRuns(warehouse, 1);
  const isKilled = last?.status === "running" && isLocked(warehouse.path) === false;
  // Read again, because the run may have ended before the lock was looked at.
  return readRuns(warehouse, limit).map((run) =>
    isKilled && run.status === "running" ? { ...run, ...KILLED } : run,
  );
}

/**
 * Returns until when the service asked for a pause, ISO 8601 UTC; undefined if that has passed, or was stored by a
 * wrong clock.
 */
export function readPause(warehouse: Reader, nowMs: number): string | undefined {
  const [last] = readRuns(warehouse, 1);
  const until = last?.not_before ?? undefined;
  if (until === undefined || Date.parse(until) <= nowMs || isFuture(last?.finished_at, nowMs))
    return undefined;
  return until;
}
