import { and, desc, eq, isNotNull, isNull, max } from "drizzle-orm";
import { hasEnded, markProcess } from "../base/process-mark.ts";
import { report_runs } from "../warehouse/schema.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

/** One run of a named report, as the ledger has it. */
export type ReportRun = typeof report_runs.$inferSelect;

/** What a run of a report is of. */
export interface ReportRunStart {
  report: string;
  /** Null for the only account. */
  account: string | null;
  /** When the schedule had it due, ISO 8601 UTC; null for a run by hand. */
  scheduledFor: string | null;
  /** ISO 8601 UTC. */
  startedAt: string;
}

/** What is known of a run once its files are written, or at its end. */
export type ReportRunResult = Partial<
  Pick<ReportRun, "verdict" | "range_from" | "range_to" | "is_stale" | "folder" | "files">
>;

/** Why a run was not started: another process is at it, or it was done before. */
export type ReportRunConflict = { conflict: "running" | "done"; run: ReportRun };

/**
 * Records that a run of a report starts. A run that the schedule has due is taken up again under the same number where a
 * process before was killed at it or failed, so that its recipients get it once; one that is done or under way is left.
 */
export function startReportRun(
  warehouse: Warehouse,
  { report, account, scheduledFor, startedAt }: ReportRunStart,
): { runId: number; isResumed: boolean } | ReportRunConflict {
  const begun = {
    started_at: startedAt,
    finished_at: null,
    status: "running",
    error: null,
    process: markProcess() ?? "",
  } as const;
  return writeTransaction(warehouse, () => {
    const { db } = warehouse;
    const before = scheduledFor === null ? undefined : readDueRun(warehouse, report, account, scheduledFor);
    if (before?.status === "running" || before?.status === "done") {
      return { conflict: before.status, run: before };
    }
    if (before !== undefined) {
      const runId = before.report_run_id;
      db.update(report_runs).set(begun).where(eq(report_runs.report_run_id, runId)).run();
      return { runId, isResumed: true };
    }
    const inserted = db
      .insert(report_runs)
      .values({ report, account, scheduled_for: scheduledFor, ...begun })
      .returning({ runId: report_runs.report_run_id })
      .get();
    return { runId: inserted.runId, isResumed: false };
  });
}

/** Records what a run has made, before it is delivered. */
export function updateReportRun({ db }: Warehouse, runId: number, result: ReportRunResult): void {
  db.update(report_runs).set(result).where(eq(report_runs.report_run_id, runId)).run();
}

/** Records how a run ended; its error in words that hold no secret. */
export function endReportRun(
  { db }: Warehouse,
  runId: number,
  end: { status: "done" | "failed" | "interrupted"; finishedAt: string; error: string | null },
): void {
  const { status, finishedAt, error } = end;
  db.update(report_runs)
    .set({ status, finished_at: finishedAt, error })
    .where(eq(report_runs.report_run_id, runId))
    .run();
}

/** Returns one run; undefined where there is none of that number. */
export function readReportRun({ db }: Pick<Warehouse, "db">, runId: number): ReportRun | undefined {
  return settle(db.select().from(report_runs).where(eq(report_runs.report_run_id, runId)).get());
}

/** Returns the last run of each report and account, by name. */
export function readLastReportRuns({ db }: Warehouse): ReportRun[] {
  const last = db
    .select({ id: max(report_runs.report_run_id).as("id") })
    .from(report_runs)
    .groupBy(report_runs.report, report_runs.account)
    .as("last");
  return db
    .select()
    .from(report_runs)
    .innerJoin(last, eq(report_runs.report_run_id, last.id))
    .orderBy(report_runs.report, report_runs.account)
    .all()
    .map((row) => settled(row.report_runs));
}

/**
 * Returns the last run of a report that the schedule had due.
 *
 * @param status leaves the others out @default each counts
 */
export function readLastDueRun(
  { db }: Warehouse,
  report: string,
  account: string | null,
  status?: ReportRun["status"],
): ReportRun | undefined {
  const isOfAccount = account === null ? isNull(report_runs.account) : eq(report_runs.account, account);
  const isMeant = status === undefined ? undefined : eq(report_runs.status, status);
  const isDue = isNotNull(report_runs.scheduled_for);
  const run = db
    .select()
    .from(report_runs)
    .where(and(eq(report_runs.report, report), isOfAccount, isDue, isMeant))
    .orderBy(desc(report_runs.report_run_id))
    .limit(1)
    .get();
  return settle(run);
}

function readDueRun(
  { db }: Warehouse,
  report: string,
  account: string | null,
  scheduledFor: string,
): ReportRun | undefined {
  const isOfAccount = account === null ? isNull(report_runs.account) : eq(report_runs.account, account);
  const isDue = and(eq(report_runs.report, report), isOfAccount, eq(report_runs.scheduled_for, scheduledFor));
  const row = db.select().from(report_runs).where(isDue).orderBy(desc(report_runs.report_run_id)).get();
  return settle(row);
}

function settle(run: ReportRun | undefined): ReportRun | undefined {
  return run && settled(run);
}

/** A run whose process was killed still stands as running. */
function settled(run: ReportRun): ReportRun {
  return run.status === "running" && hasEnded(run.process) ? { ...run, status: "interrupted" } : run;
}
