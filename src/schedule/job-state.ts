import { EXIT } from "../base/errors.ts";
import { applyEnd, type JobEnd, type JobOutcome } from "../warehouse/runs/job-table.ts";
import type { Job } from "./job-definition.ts";
import type { Snapshot } from "./warehouse-snapshot.ts";

export interface JobStatistics {
  job: string;
  /** When it was first watched, milliseconds since 1970-01-01 UTC. */
  sinceMs: number;
  /** By exit code, or the signal that ended them. */
  runs: Map<string, number>;
  isRunning: boolean;
  /** Duration of the last run. */
  lastMs?: number;
  /** The last finished run, its times in ISO 8601 UTC, and what is known since. */
  last?: JobOutcome & { started_at: string; finished_at: string };
  /** When the next run starts, milliseconds since 1970-01-01 UTC. */
  nextMs?: number;
}

export function emptyStatistics(job: string, sinceMs: number): JobStatistics {
  return { job, sinceMs, runs: new Map([[String(EXIT.done), 0]]), isRunning: false };
}

export function noteEnd(seen: JobStatistics, exit: string, end: JobEnd): void {
  seen.isRunning = false;
  seen.lastMs = Date.parse(end.finishedAt) - Date.parse(end.startedAt);
  seen.runs.set(exit, (seen.runs.get(exit) ?? 0) + 1);
  seen.last = { ...applyEnd(seen.last, end), started_at: end.startedAt, finished_at: end.finishedAt };
}

export type JobState = ReturnType<typeof toJobState>;

export function toJobState(
  { name, isSync }: Pick<Job, "name" | "isSync">,
  { last, sinceMs }: Pick<JobStatistics, "last" | "sinceMs">,
  snapshot: Snapshot | undefined,
) {
  const record = snapshot?.jobs.get(name);
  // By hand, its work may have been done since, into a warehouse that did not record its failure.
  const isDoneSince = (snapshot?.lastDone.get(name) ?? "") > (last?.finished_at ?? "");
  const isSeenLater = last !== undefined && (record?.finished_at ?? "") < last.started_at && !isDoneSince;
  const known: JobOutcome | undefined = isSeenLater ? last : record;
  const succeeded = [record?.succeeded_at, last?.succeeded_at].filter((at) => at != null);
  return {
    job: name,
    isSync,
    sinceMs,
    exitCode: known?.exit_code ?? null,
    /** From the last run that failed; null after a success. */
    error: known?.error ?? null,
    /** Last success, ISO 8601 UTC: for a sync, when its copy could last be trusted. */
    succeededAt: isSync ? (snapshot?.lastGoodRun?.finished_at ?? null) : (succeeded.sort().at(-1) ?? null),
    /** First failure since then, ISO 8601 UTC. */
    failingSince: known?.failing_since ?? null,
    /** Whether a report was not delivered to all, and is not resumed before the next slot. */
    isUndelivered: known?.exit_code === EXIT.undelivered && !snapshot?.unfinished.has(name),
  };
}
