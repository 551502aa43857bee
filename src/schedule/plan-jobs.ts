import { isFuture } from "../base/clock.ts";
import { describeError, UsageError } from "../base/errors.ts";
import type { Settings } from "../config/load-settings.ts";
import { CRON_HINT, type Cron, parseCron } from "./cron.ts";
import type { Job } from "./job-definition.ts";
import { isForPerson } from "./job-outcome.ts";
import { readSnapshot, type Snapshot } from "./warehouse-snapshot.ts";

export type PlannedJob = ReturnType<typeof planJobs>[number];

/** @throws UsageError for an invalid cron expression */
export function planJobs(
  jobs: readonly Job[],
  settings: Settings,
  snapshot: Snapshot | undefined,
  nowMs: number,
) {
  return jobs.map((job) => {
    const cron = cronOf(job, settings);
    const idle = job.idle?.(settings);
    const lastDone = snapshot?.lastDone.get(job.name) ?? null;
    const isKnown = lastDone !== null && !isFuture(lastDone, nowMs);
    const lastDoneMs = isKnown ? Date.parse(lastDone) : undefined;
    // A job that began before, and was killed or failed, does not wait.
    const waits = job.waitsForFirstSlot && !snapshot?.jobs.has(job.name);
    const isMissed = lastDoneMs === undefined ? !waits : cron.next(lastDoneMs) <= nowMs;
    // The token or the setting may have been replaced before the schedule was started again.
    const isMended = isForPerson(snapshot?.jobs.get(job.name));
    const isBehind = idle === undefined && (isMissed || isMended);
    return { job, name: job.name, cron, idle, lastDoneMs, isBehind, judgedMs: nowMs };
  });
}

function cronOf(job: Job, settings: Settings): Cron {
  const expression = job.cron(settings);
  try {
    return parseCron(expression, settings.timezone);
  } catch (error) {
    throw new UsageError(
      `${job.cronSetting}: ${expression} is not a cron expression: ${describeError(error)}`,
      { hint: CRON_HINT },
    );
  }
}

const RUNS_LISTED = 3;

/** A job as `--list` shows it; times ISO 8601 UTC. */
export type ListedJob = ReturnType<typeof listJob>;

function listJob({ name, cron, lastDoneMs, isBehind, idle }: PlannedJob, nowMs: number) {
  const next: string[] = [];
  for (let slotMs = nowMs; idle === undefined && next.length < RUNS_LISTED; ) {
    slotMs = cron.next(slotMs);
    next.push(new Date(slotMs).toISOString());
  }
  return {
    job: name,
    cron: cron.expression,
    timezone: cron.timezone,
    /** Null for never. */
    last_done: lastDoneMs === undefined ? null : new Date(lastDoneMs).toISOString(),
    /** Whether it has missed a slot, so the schedule would start with it. */
    is_behind: isBehind,
    next,
    idle: idle ?? null,
  };
}

export function listJobs(settings: Settings, jobs: readonly Job[], nowMs: number): ListedJob[] {
  const snapshot = readSnapshot(jobs, settings);
  return planJobs(jobs, settings, snapshot, nowMs).map((planned) => listJob(planned, nowMs));
}
