import { applyEnd, type JobEnd, type JobOutcome } from "../warehouse/runs/job-table.ts";

export interface JobStatistics {
  job: string;
  /** When it was first watched, milliseconds since 1970-01-01 UTC. */
  sinceMs: number;
  runs: Map<string, number>;
  isRunning: boolean;
  /** How long the last run took, milliseconds. */
  lastMs: number | undefined;
  /** Start of the last run that ended, ISO 8601 UTC, and what is known since. */
  last: (JobOutcome & { started_at: string }) | undefined;
  /** When the next run starts, milliseconds since 1970-01-01 UTC. */
  nextMs: number | undefined;
}

export function emptyStatistics(job: string, sinceMs: number): JobStatistics {
  return {
    job,
    sinceMs,
    runs: new Map(),
    isRunning: false,
    lastMs: undefined,
    last: undefined,
    nextMs: undefined,
  };
}

export function noteEnd(seen: JobStatistics, exit: string, end: JobEnd): void {
  seen.isRunning = false;
  seen.lastMs = Date.parse(end.finishedAt) - Date.parse(end.startedAt);
  seen.runs.set(exit, (seen.runs.get(exit) ?? 0) + 1);
  seen.last = { ...applyEnd(seen.last, end), started_at: end.startedAt };
}
