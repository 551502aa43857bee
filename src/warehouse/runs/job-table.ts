import { jobs } from "../schema.ts";
import type { Tx } from "../transaction.ts";
import type { Warehouse } from "../warehouse.ts";

/** What is known of a job. */
export type JobRecord = typeof jobs.$inferSelect;

/** How a run of a job ended. */
export interface JobEnd {
  job: string;
  /** ISO 8601 UTC. */
  startedAt: string;
  /** ISO 8601 UTC. */
  finishedAt: string;
  exitCode: number;
  /** `neither` for a run that was stopped, or that another one kept out. */
  result: "success" | "failure" | "neither";
  /** What went wrong, without secrets and personal data. */
  error: string | null;
}

/** Records that a job starts. */
export function insertJobStart({ db }: Warehouse, job: string, startedAt: string): void {
  const begun = { started_at: startedAt, finished_at: null };
  db.insert(jobs)
    .values({ job, ...begun })
    .onConflictDoUpdate({ target: jobs.job, set: begun })
    .run();
}

/** Records how a run of a job ended. */
export function updateJobEnd(warehouse: Tx, end: JobEnd): void {
  const before = readJobs(warehouse).find(({ job }) => job === end.job);
  const row = { ...applyEnd(before, end), started_at: end.startedAt, finished_at: end.finishedAt };
  warehouse.db
    .insert(jobs)
    .values({ job: end.job, ...row })
    .onConflictDoUpdate({ target: jobs.job, set: row })
    .run();
}

/** What a run's end changes in what is known of its job. */
export type JobOutcome = Pick<JobRecord, "exit_code" | "error" | "succeeded_at" | "failing_since">;

/** Returns what is known of a job after a run of it has ended. */
export function applyEnd(
  before: JobOutcome | undefined,
  { exitCode, result, error, finishedAt }: Omit<JobEnd, "job" | "startedAt">,
): JobOutcome {
  const kept = { error: null, succeeded_at: null, failing_since: null, ...before, exit_code: exitCode };
  switch (result) {
    case "success":
      return { exit_code: exitCode, error: null, succeeded_at: finishedAt, failing_since: null };
    case "failure":
      return { ...kept, error, failing_since: kept.failing_since ?? finishedAt };
    case "neither":
      return kept;
  }
}

/** Returns what is known of the jobs. */
export function readJobs({ db }: Warehouse): JobRecord[] {
  return db.select().from(jobs).orderBy(jobs.job).all();
}
