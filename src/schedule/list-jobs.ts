import type { Settings } from "../config/load-settings.ts";
import type { Job } from "./job-definition.ts";
import { type PlannedJob, planJobs } from "./plan-jobs.ts";
import { openSnapshots } from "./warehouse-snapshot.ts";

const RUNS_LISTED = 3;

/** A job as `--list` shows it; times ISO 8601 UTC. */
export interface ListedJob {
  job: string;
  cron: string;
  timezone: string;
  /** Null for never. */
  last_done: string | null;
  /** Whether it has missed a slot, so that the schedule would start with it. */
  is_behind: boolean;
  /** None where the job is left out. */
  next: string[];
  /** Why it is left out, if it is. */
  idle: string | null;
}

function listJob({ name, cron, lastDoneMs, isBehind, idle }: PlannedJob, nowMs: number): ListedJob {
  const next: string[] = [];
  for (let slotMs = nowMs; idle === undefined && next.length < RUNS_LISTED; ) {
    slotMs = cron.next(slotMs);
    next.push(new Date(slotMs).toISOString());
  }
  return {
    job: name,
    cron: cron.expression,
    timezone: cron.timezone,
    last_done: lastDoneMs === undefined ? null : new Date(lastDoneMs).toISOString(),
    is_behind: isBehind,
    next,
    idle: idle ?? null,
  };
}

export function listJobs(settings: Settings, jobs: readonly Job[], nowMs: number): ListedJob[] {
  const snapshot = openSnapshots(jobs, settings)();
  return planJobs(jobs, settings, snapshot, nowMs).map((planned) => listJob(planned, nowMs));
}
