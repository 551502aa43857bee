import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { about, describeTable } from "../described.ts";
import type { Tx } from "../transaction.ts";
import type { Reader, Warehouse } from "../warehouse.ts";

export const jobs = sqliteTable("jobs", {
  job: about(
    text().primaryKey(),
    "sync, export or insights; report:weekly of the report `weekly`, and restated:weekly if it is made again after figures changed.",
  ),
  started_at: about(text().notNull(), "When it last started, ISO 8601 UTC."),
  finished_at: about(text(), "End of that run, ISO 8601 UTC; null while it runs, or if it was killed."),
  exit_code: about(integer(), "Exit code of the last run that ended; 128 plus the number of a signal."),
  error: about(text(), "What went wrong in the last run that failed; null once a run has succeeded.", "text"),
  succeeded_at: about(text(), "End of the last run that did its work, exit code 0 or 3, ISO 8601 UTC."),
  failing_since: about(text(), "End of the first failed run since then, ISO 8601 UTC; null for none."),
  failed_runs: about(integer().notNull().default(0), "Runs that failed since then."),
});
export const JOBS = describeTable(
  jobs,
  "The jobs that `schedule`, cron or systemd run, one row per job; without `calltally sync` and `export` by hand.",
);

/** The jobs that every account has, besides those of features. Those of reports have the name of the report. */
export const JOB = { sync: "sync", export: "export" } as const;

export type JobRecord = typeof jobs.$inferSelect;

export interface JobEnd {
  job: string;
  /** ISO 8601 UTC. */
  startedAt: string;
  /** ISO 8601 UTC. */
  finishedAt: string;
  exitCode: number;
  /** `neither` for a run that was stopped, or that another one kept from starting. */
  result: "success" | "failure" | "neither";
  error: string | null;
}

export function insertJobStart({ db }: Warehouse, job: string, startedAt: string): void {
  upsertJob(db, { job, started_at: startedAt, finished_at: null });
}

function upsertJob(db: Warehouse["db"], record: typeof jobs.$inferInsert): void {
  db.insert(jobs).values(record).onConflictDoUpdate({ target: jobs.job, set: record }).run();
}

export function updateJobEnd(warehouse: Tx, end: JobEnd): void {
  const { job, startedAt, finishedAt } = end;
  const before = readJobs(warehouse).find((record) => record.job === job);
  const record = { job, ...applyEnd(before, end), started_at: startedAt, finished_at: finishedAt };
  upsertJob(warehouse.db, record);
}

/**
 * Ends the failure of a job whose work was done otherwise, by hand or by a program. A run that has not ended was killed,
 * or records its own end.
 * @param end.exitCode 0 or 3
 */
export function settleJob(tx: Tx, job: string, end: Pick<JobEnd, "exitCode" | "finishedAt">): void {
  const record = readJobs(tx).find((known) => known.job === job);
  if (record === undefined || (record.failing_since === null && record.finished_at !== null)) return;
  updateJobEnd(tx, { ...end, job, startedAt: record.started_at, result: "success", error: null });
}

export type JobOutcome = Pick<
  JobRecord,
  "exit_code" | "error" | "succeeded_at" | "failing_since" | "failed_runs"
>;

export function applyEnd(
  before: JobOutcome | undefined,
  { exitCode, result, error, finishedAt }: Omit<JobEnd, "job" | "startedAt">,
): JobOutcome {
  const none = { error: null, succeeded_at: null, failing_since: null, failed_runs: 0 };
  const last = { ...none, ...before, exit_code: exitCode };
  switch (result) {
    case "success":
      return { ...none, exit_code: exitCode, succeeded_at: finishedAt };
    case "failure":
      return {
        ...{ ...last, error, failing_since: last.failing_since ?? finishedAt },
        failed_runs: last.failed_runs + 1,
      };
    case "neither":
      return last;
  }
}

export function readJobs({ db }: Reader): JobRecord[] {
  return db.select().from(jobs).orderBy(jobs.job).all();
}

/** Returns when a job last succeeded, ISO 8601 UTC; null for never. */
export function readLastSuccess(reader: Reader, job: string): string | null {
  return readJobs(reader).find((record) => record.job === job)?.succeeded_at ?? null;
}
