import { isFuture } from "../base/clock.ts";
import { EXIT } from "../base/errors.ts";
import { doubtsOf, type Statement, say } from "../export/statements/statements.ts";
import type { SyncRun } from "../warehouse/runs/runs.ts";
import type { Cron } from "./cron.ts";
import type { JobState } from "./job-state.ts";

export interface Health {
  status: "ok" | "failing";
  reason?: string;
  last_good_sync?: { run_id: number; finished_at: string | null; verdict: SyncRun["verdict"] };
  jobs?: JobHealth[];
  /** By name, if there are several accounts. */
  accounts?: Record<string, Health>;
}

/** Times are ISO 8601 UTC. */
export interface JobHealth {
  job: string;
  status: Health["status"];
  reason?: string;
  /** For a sync, when its copy could last be trusted. */
  last_success: string | null;
  last_exit_code: number | null;
  /** From the last run that failed; null after a success. */
  last_error: string | null;
}

/**
 * Judges a job: it may fail for up to two slots, plus the time that the second may take. A sync is failing until its
 * first success; another job has that long for it. What no later slot mends is failing at once: an undelivered report,
 * settings that cannot be used, a refused token, and a warehouse that cannot be read or synced into.
 * @param problem why the warehouse cannot be read; undefined if it can
 */
export function judgeJob(
  { job, isSync, sinceMs, exitCode, error, succeededAt, failingSince, isUndelivered }: JobState,
  { cron, deadlineMs, nowMs, problem }: { cron: Cron; deadlineMs: number; nowMs: number; problem?: string },
): JobHealth {
  const state = { job, last_success: succeededAt, last_exit_code: exitCode, last_error: error };
  const lastError = error === null ? "" : `; its last error: ${error}`;
  const fail = (reason: string): JobHealth => ({ ...state, status: "failing", reason: reason + lastError });
  if (isSync && problem !== undefined) return fail(problem);
  if (isSync && succeededAt === null) return fail("no sync has succeeded yet");
  if (isSync && isFuture(succeededAt, nowMs)) return fail("the last good sync is dated in the future");
  if (isUndelivered) return fail(`the last ${job} was not ${error === null ? "delivered" : "made"}`);
  if (exitCode === EXIT.usage) return fail(`the last ${job} could not use its settings`);
  if (exitCode === EXIT.refused) return fail(`the last ${job} was refused`);
  if (isSync && exitCode === EXIT.storage)
    return fail("the last sync could not use the warehouse or the disk");
  const began = [succeededAt, failingSince].find((time) => time !== null && !isFuture(time, nowMs));
  const dueMs = cron.next(cron.next(began == null ? sinceMs : Date.parse(began))) + deadlineMs;
  if (nowMs <= dueMs) return { ...state, status: "ok" };
  return fail(`the next successful ${job} was due by ${new Date(dueMs).toISOString()}`);
}

/** @param statements doubts among them are failures */
export function summarizeHealth(
  jobs: JobHealth[],
  run: NonNullable<Health["last_good_sync"]> | undefined,
  statements: readonly Statement[] = [],
) {
  const reasons = jobs.flatMap(({ reason }) => reason ?? []);
  // A failing sync already says that none has finished.
  const isNew = ({ id }: Statement) => id !== "no_finished_sync" || reasons.length === 0;
  const doubts = doubtsOf(statements).filter(isNew);
  return {
    ...judge([...reasons, ...doubts.map((doubt) => say(doubt).text)]),
    ...(run && {
      last_good_sync: { run_id: run.run_id, finished_at: run.finished_at, verdict: run.verdict },
    }),
    jobs,
  };
}

/** The account of the environment, if any, is the only one. */
export function summarizeAccounts(healths: readonly (readonly [name: string | undefined, health: Health])[]) {
  const [only] = healths;
  if (only !== undefined && only[0] === undefined) return only[1];
  const reasons = healths.flatMap(([name, { reason }]) => (reason === undefined ? [] : `${name}: ${reason}`));
  return { ...judge(reasons), accounts: Object.fromEntries(healths) };
}

/** Adds a problem that no job has. */
export function withProblem(health: Health, problem: string | undefined): Health {
  if (problem === undefined) return health;
  return { ...health, ...judge([problem, ...(health.reason === undefined ? [] : [health.reason])]) };
}

function judge(reasons: readonly string[]): Pick<Health, "status" | "reason"> {
  return reasons.length === 0 ? { status: "ok" } : { status: "failing", reason: reasons.join("; ") };
}
