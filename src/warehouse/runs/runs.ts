import { and, desc, eq, inArray, isNotNull, or } from "drizzle-orm";
import { isFuture } from "../../base/clock.ts";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { SURE_VERDICTS } from "../../paging/verdict.ts";
import { sync_runs } from "../schema.ts";
import type { Tx } from "../transaction.ts";
import type { Warehouse } from "../warehouse.ts";

export type SyncRun = typeof sync_runs.$inferSelect;
export type RunChanges = Omit<Partial<SyncRun>, "run_id" | "started_at">;

/** Opens a run in the ledger; returns its id. */
export function startRun(
  { db }: Warehouse,
  run: Pick<SyncRun, "started_at" | "mode" | "plan_reason" | "pid">,
): number {
  const inserted = db
    .insert(sync_runs)
    .values({ ...run, status: "running" })
    .returning({ run_id: sync_runs.run_id })
    .get();
  return inserted.run_id;
}

/** What tells a run that is ours from one that another process has taken up, or closed. */
export interface RunHold {
  runId: number;
  pid: number;
}

/**
 * Makes sure that a run is still ours: whoever deletes the lock's file lets another process begin, which closes or takes up
 * this run.
 *
 * @throws CalltallyError (exit 6)
 */
export function assertHeld({ db, path }: Tx, { runId, pid }: RunHold): void {
  const run = db
    .select({ status: sync_runs.status, pid: sync_runs.pid })
    .from(sync_runs)
    .where(eq(sync_runs.run_id, runId))
    .get();
  if (run?.status === "running" && run.pid === pid) return;
  throw new CalltallyError(
    EXIT.locked,
    `Cannot go on with run ${runId} of ${path}: another process has taken over`,
    {
      hint: `Was ${path}.lock deleted while it ran? Leave it where it is. What this run had read is kept.`,
    },
  );
}

/** Writes what has become of a run; returns its row. */
export function updateRun({ db }: Warehouse, runId: number, changes: RunChanges): SyncRun {
  return db.update(sync_runs).set(changes).where(eq(sync_runs.run_id, runId)).returning().get();
}

/** What a run counts page by page, of those that it gave up as well. */
export interface RunCounts {
  calls_new: number;
  calls_changed: number;
  /** Calls that were missing, gone or unlisted. */
  calls_returned: number;
  /** Calls that came with different contents, of which it is unknown which are newer. */
  calls_conflicting: number;
}

/** Returns what a run has counted so far: it may have been cut short, and be taken up again. */
export function readCounts({ db }: Warehouse, runId: number): RunCounts {
  const { calls_new, calls_changed, calls_returned, calls_conflicting } = sync_runs;
  const counts = { calls_new, calls_changed, calls_returned, calls_conflicting };
  const run = db.select(counts).from(sync_runs).where(eq(sync_runs.run_id, runId)).get();
  return {
    calls_new: run?.calls_new ?? 0,
    calls_changed: run?.calls_changed ?? 0,
    calls_returned: run?.calls_returned ?? 0,
    calls_conflicting: run?.calls_conflicting ?? 0,
  };
}

/** Returns when a run last checked the whole file for damage, ISO 8601 UTC. */
export function readLastFileCheck({ db }: Warehouse): string | undefined {
  const run = db
    .select({ file_checked_at: sync_runs.file_checked_at })
    .from(sync_runs)
    .where(isNotNull(sync_runs.file_checked_at))
    .orderBy(desc(sync_runs.run_id))
    .limit(1)
    .get();
  return run?.file_checked_at ?? undefined;
}

/** Closes runs that were killed: nobody can be running while the lock is ours. */
export function closeKilledRuns({ db }: Warehouse): void {
  db.update(sync_runs)
    .set({ status: "interrupted", error: "The process was killed" })
    .where(eq(sync_runs.status, "running"))
    .run();
}

/** Returns the latest full pass that is known to be complete. */
export function readLastVerifiedPass({ db }: Warehouse): SyncRun | undefined {
  return db
    .select()
    .from(sync_runs)
    .where(and(eq(sync_runs.mode, "full"), inArray(sync_runs.verdict, SURE_VERDICTS)))
    .orderBy(desc(sync_runs.run_id))
    .limit(1)
    .get();
}

/** Returns the latest run whose verdict is better than unverified. */
export function readLastGoodRun({ db }: Warehouse): SyncRun | undefined {
  return db
    .select()
    .from(sync_runs)
    .where(and(eq(sync_runs.status, "done"), inArray(sync_runs.verdict, [...SURE_VERDICTS, "probable"])))
    .orderBy(desc(sync_runs.run_id))
    .limit(1)
    .get();
}

/**
 * Returns the latest run that has surely read what was new: a full pass that is sure, or an incremental one, which stands on
 * one.
 */
export function readLastTrustedRun({ db }: Warehouse): SyncRun | undefined {
  const isSure = and(eq(sync_runs.mode, "full"), inArray(sync_runs.verdict, SURE_VERDICTS));
  const isIncremental = and(eq(sync_runs.mode, "incremental"), eq(sync_runs.verdict, "probable"));
  return db
    .select()
    .from(sync_runs)
    .where(or(isSure, isIncremental))
    .orderBy(desc(sync_runs.run_id))
    .limit(1)
    .get();
}

/** Returns the latest runs, newest first. */
export function readRuns({ db }: Warehouse, limit: number): SyncRun[] {
  return db.select().from(sync_runs).orderBy(desc(sync_runs.run_id)).limit(limit).all();
}

/**
 * Returns until when the service asked for a pause, ISO 8601 UTC; undefined where that is over, or was said at a time in the
 * future.
 */
export function readPause(warehouse: Warehouse, nowMs: number): string | undefined {
  const [last] = readRuns(warehouse, 1);
  const until = last?.not_before ?? undefined;
  if (until === undefined || Date.parse(until) <= nowMs || isFuture(last?.finished_at, nowMs))
    return undefined;
  return until;
}

/** Returns the latest run that came to its end. */
export function readLastDoneRun({ db }: Warehouse): SyncRun | undefined {
  return db
    .select()
    .from(sync_runs)
    .where(eq(sync_runs.status, "done"))
    .orderBy(desc(sync_runs.run_id))
    .limit(1)
    .get();
}
