import { EXIT, type ExitCode } from "../errors.ts";
import type { Outcome } from "./child-process.ts";

/** What a line of the log says of how a job ended. */
export interface Ending {
  level: "info" | "warn" | "error";
  message: string;
}

/** Endings that are no failure of ours: the next slot is time enough. */
const CALM: Partial<Record<ExitCode, Ending>> = {
  [EXIT.done]: { level: "info", message: "done" },
  [EXIT.unverified]: { level: "warn", message: "done, but not clean: see calltally status" },
  [EXIT.unreachable]: { level: "warn", message: "the API is unreachable or failing: next slot" },
  [EXIT.locked]: { level: "warn", message: "another sync of the same warehouse is running: next slot" },
  [EXIT.sigint]: { level: "info", message: "stopped" },
  [EXIT.sigterm]: { level: "info", message: "stopped" },
};

/** Returns how loud the log is about a job that ends with an exit code. */
export function levelOf(exitCode: ExitCode): Ending["level"] {
  return CALM[exitCode]?.level ?? "error";
}

/** Returns what to say of a job's end; `isStopping` when the schedule itself was told to stop. */
export function describeOutcome({ exitCode, signal, isLate, error }: Outcome, isStopping: boolean): Ending {
  if (isLate && exitCode !== EXIT.done)
    return { level: "error", message: "stopped at its deadline, CALLTALLY_JOB_MINUTES" };
  if (error !== null) return { level: "error", message: `cannot be started: ${error.message}` };
  if (signal !== null) {
    return isStopping
      ? { level: "info", message: `stopped by ${signal}` }
      : { level: "error", message: `killed by ${signal}` };
  }
  const calm = Object.entries(CALM).find(([code]) => Number(code) === exitCode)?.[1];
  return calm ?? { level: "error", message: `failed with exit code ${exitCode}` };
}

/** Returns the exit code as a word: the number, the signal that took its place, or `none`. */
export function nameExit({ exitCode, signal }: Outcome): string {
  return String(exitCode ?? signal ?? "none");
}

/** Lock contention (exit 6) and shutdown are not reported as failures: the next run reports its own outcome. */
const UNREPORTED: ReadonlySet<ExitCode> = new Set([EXIT.locked, EXIT.sigint, EXIT.sigterm]);

/** Whether a job reports this exit code to the monitor. */
export function isReported(exitCode: ExitCode): boolean {
  return !UNREPORTED.has(exitCode);
}

/** Exit codes that a job has reported to the monitor itself. A crash of Node may exit with 1, a bad setting with 2. */
const TOLD = new Set<number>(
  Object.values(EXIT).filter((code) => code !== EXIT.failed && code !== EXIT.usage),
);

/** Whether the job may have ended without reporting to the monitor. */
export function isSilent({ exitCode }: Outcome): boolean {
  return exitCode === null || !TOLD.has(exitCode);
}
