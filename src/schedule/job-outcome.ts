import { constants } from "node:os";
import { ageOf } from "../base/clock.ts";
import { EXIT, type ExitCode } from "../base/errors.ts";
import type { JobEnd, JobRecord } from "../warehouse/runs/job-table.ts";
import type { Outcome } from "./child-process.ts";

export interface Ending {
  level: "info" | "warn" | "error";
  message: string;
}

type Result = JobEnd["result"];
const calm = (level: Ending["level"], result: Result, message: string) => ({ level, result, message });

/** Outcomes that are not our failure: the next slot is soon enough. After `neither` the next run reports its own outcome. */
const HARMLESS: ReadonlyMap<number | null, Ending & { result: Result }> = new Map([
  [EXIT.done, calm("info", "success", "done")],
  [EXIT.unverified, calm("warn", "success", "done with problems: see calltally status")],
  [EXIT.unreachable, calm("warn", "failure", "the API is unreachable or failing: next slot")],
  [EXIT.locked, calm("warn", "neither", "another sync of the same warehouse is running: next slot")],
  [EXIT.sigint, calm("info", "neither", "stopped")],
  [EXIT.sigterm, calm("info", "neither", "stopped")],
]);

export function levelOf(exitCode: ExitCode): Ending["level"] {
  return HARMLESS.get(exitCode)?.level ?? "error";
}

/** @param isStopping whether the schedule itself was stopped */
export function describeOutcome({ exitCode, signal, isLate, error }: Outcome, isStopping: boolean): Ending {
  if (isLate && exitCode !== EXIT.done)
    return { level: "error", message: "stopped at its deadline (setting job_minutes)" };
  if (error !== null) return { level: "error", message: `cannot be started: ${error.message}` };
  if (signal !== null) {
    return isStopping
      ? { level: "info", message: `stopped by ${signal}` }
      : { level: "error", message: `killed by ${signal}` };
  }
  const { level, message } = HARMLESS.get(exitCode) ?? {
    level: "error",
    message: `failed with exit code ${exitCode}`,
  };
  return { level, message };
}

export function nameExit({ exitCode, signal }: Outcome): string {
  return String(exitCode ?? signal ?? "none");
}

/** How a shell writes a signal as an exit code, and a program that cannot be started. */
const SIGNALLED = 128;
const NOT_STARTED = 127;

/** Returns 128 plus the signal's number if a signal ended it, as shells do. */
export function toExitCode({ exitCode, signal }: Outcome): number {
  if (exitCode !== null) return exitCode;
  return signal === null ? NOT_STARTED : SIGNALLED + constants.signals[signal];
}

export function judgeExit(exitCode: number): Result {
  return HARMLESS.get(exitCode)?.result ?? "failure";
}

/** Whether a job's last run failed, or was killed, i.e. has not ended in its time. */
export function isFailing(
  { failing_since, finished_at, started_at }: JobRecord,
  { nowMs, deadlineMs }: { nowMs: number; deadlineMs: number },
): boolean {
  return failing_since !== null || (finished_at === null && ageOf(started_at, nowMs) > deadlineMs);
}

/**
 * Whether the monitor need not hear of the last failure yet: the API was unreachable, which the next slot may mend.
 * @param limit failed runs in a row that it hears of
 */
export function isTolerated(
  { finished_at, exit_code, succeeded_at, failed_runs }: JobRecord,
  limit: number,
): boolean {
  const hasEnded = finished_at !== null && exit_code === EXIT.unreachable;
  return hasEnded && succeeded_at !== null && failed_runs < limit;
}

/** Failures that no later slot mends: settings, the token, the warehouse or its disk. */
const FOR_PERSONS = new Set<number | null>([EXIT.usage, EXIT.refused, EXIT.storage]);

/** Whether a job's last run failed by what only a person can mend. */
export function isForPerson(last: Pick<JobRecord, "failing_since" | "exit_code"> | undefined): boolean {
  return last !== undefined && last.failing_since !== null && FOR_PERSONS.has(last.exit_code);
}

/** Exit codes that the job itself has reported and recorded. A crash of Node may exit with 1, a bad setting with 2. */
const RECORDED_BY_JOB = new Set<number>(
  Object.values(EXIT).filter((code) => code !== EXIT.failed && code !== EXIT.usage),
);

/** Whether the job may have ended without reporting it, or ended at its deadline, which it does not know. */
export function isSilent({ exitCode, isLate }: Outcome): boolean {
  return exitCode === null || !RECORDED_BY_JOB.has(exitCode) || (isLate && exitCode !== EXIT.done);
}
