import { and, desc, eq, isNotNull, max, sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { CalltallyError, EXIT } from "../../base/errors.ts";
import { hasEnded, markProcess } from "../../base/process-mark.ts";
import { VERDICTS } from "../../service/paging/verdict.ts";
import { about, describeTable } from "../../warehouse/described.ts";
import { writeTransaction } from "../../warehouse/transaction.ts";
import type { Reader, Warehouse } from "../../warehouse/warehouse.ts";

const columns = {
  report_run_id: about(integer().primaryKey({ autoIncrement: true }), "Id of the report run."),
  report: about(text().notNull(), "Name of the report."),
  account: about(text(), "Name of the account; null for the only one."),
  scheduled_for: about(text(), "When the schedule had it due, ISO 8601 UTC; null for a run by hand."),
  started_at: about(text().notNull(), "When it last started, ISO 8601 UTC."),
  finished_at: about(text(), "End of the run, ISO 8601 UTC; null while it runs, or if it was killed."),
  status: about(
    text({ enum: ["running", "done", "failed", "interrupted"] }).notNull(),
    "running, done, failed, or interrupted: its process ended before it did.",
  ),
  verdict: about(
    text({ enum: VERDICTS }),
    "Verdict of the sync behind its figures: exact, verified, probable or unverified; null if there was none.",
  ),
  range_from: about(text(), "First day of its range, YYYY-MM-DD in the report's zone; null if open."),
  range_to: about(text(), "Last day of its range, YYYY-MM-DD in the report's zone; null if open."),
  is_stale: about(
    integer({ mode: "boolean" }).notNull().default(false),
    "1 if its figures are older than required.",
  ),
  news_until: about(
    integer(),
    "Number of the latest start or end of a notice that it could report; null unless it was to be delivered.",
  ),
  folder: about(text(), "Absolute path of its files' folder; null before they are written."),
  files: about(text(), "JSON array of {name, path, bytes, sha256, is_personal}; null until written."),
  error: about(text(), "The error, without secrets and personal data; null for none.", "text"),
  process: about(text().notNull(), "The process of the run: its id and, where known, `@` and its start."),
};

export const report_runs = sqliteTable("report_runs", columns, (table) => [
  index("report_runs_by_report").on(table.report, table.report_run_id),
]);
export const REPORT_RUNS = describeTable(report_runs, "The runs of named reports.");

export type ReportRun = typeof report_runs.$inferSelect;

export interface ReportRunStart extends Pick<ReportRun, "report" | "account"> {
  /** When the schedule had it due; null for a run by hand. */
  scheduledFor: string | null;
  startedAt: string;
}

/**
 * Records the start of a report run. A due run that was killed or failed is resumed under the same id, so that its
 * recipients get it once. Returns undefined for a due run that is done.
 * @throws CalltallyError (exit 6) while another process makes the same due run
 */
export function startReportRun(
  warehouse: Warehouse,
  { report, account, scheduledFor, startedAt }: ReportRunStart,
): { runId: number; isResumed: boolean } | undefined {
  const begun = {
    started_at: startedAt,
    finished_at: null,
    status: "running",
    error: null,
    process: markProcess() ?? "",
  } as const;
  return writeTransaction(warehouse, () => {
    const { db } = warehouse;
    const before =
      scheduledFor === null ? undefined : readLastDueRun(warehouse, { report, account }, { scheduledFor });
    if (before?.status === "done") return undefined;
    if (before?.status === "running")
      throw new CalltallyError(EXIT.locked, `Cannot run the report ${report}: another process is making it`, {
        hint: "Wait until it ends; `calltally status` shows reports and deliveries.",
      });
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

/** Records what a run has made, before it is delivered, or how it ended. */
export function updateReportRun(
  { db }: Warehouse,
  runId: number,
  result: Partial<Omit<ReportRun, "report_run_id" | "process">>,
): void {
  db.update(report_runs).set(result).where(eq(report_runs.report_run_id, runId)).run();
}

export function readLastReportRuns({ db }: Reader): ReportRun[] {
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

/** @param only omits runs for another time, or with another status */
export function readLastDueRun(
  { db }: Reader,
  { report, account }: Pick<ReportRun, "report" | "account">,
  only: { scheduledFor?: string; status?: ReportRun["status"] } = {},
): ReportRun | undefined {
  const { scheduledFor, status } = only;
  const isMeant = [
    eq(report_runs.report, report),
    sql`${report_runs.account} IS ${account}`,
    isNotNull(report_runs.scheduled_for),
    scheduledFor === undefined ? undefined : eq(report_runs.scheduled_for, scheduledFor),
    status === undefined ? undefined : eq(report_runs.status, status),
  ];
  const select = db
    .select()
    .from(report_runs)
    .where(and(...isMeant));
  const run = select.orderBy(desc(report_runs.report_run_id)).get();
  return run && settled(run);
}

/** A run whose process was killed is still stored as running. */
function settled(run: ReportRun): ReportRun {
  return run.status === "running" && hasEnded(run.process) ? { ...run, status: "interrupted" } : run;
}
