import { randomUUID } from "node:crypto";
import { type Clock, systemClock } from "../clock.ts";
import type { Settings } from "../config/load-settings.ts";
import { describeError, EXIT } from "../errors.ts";
import type { Log } from "../log.ts";
import type { JobEnd } from "../warehouse/job-table.ts";
import { type Outcome, runChild } from "./child-process.ts";
import { type JobHealth, judgeJob, summarizeHealth } from "./health.ts";
import { openHeartbeat } from "./heartbeat.ts";
import type { Job } from "./job-definition.ts";
import { openJournal } from "./job-journal.ts";
import { describeOutcome, isSilent, judgeExit, nameExit, toExitCode } from "./job-outcome.ts";
import { toJobState } from "./job-state.ts";
import { emptyStatistics, type JobStatistics, noteEnd } from "./job-statistics.ts";
import { keepSchedule } from "./keep-schedule.ts";
import { type Address, startMonitor } from "./monitor.ts";
import { planJobs } from "./plan-jobs.ts";
import { formatMetrics } from "./prometheus-format.ts";
import { toMetrics } from "./schedule-metrics.ts";
import { openSnapshots, type Snapshot } from "./warehouse-snapshot.ts";

/** Time a child has after SIGTERM at its deadline, milliseconds. */
const GRACE_MS = 5000;
/** Time a child has when we are told to stop, so that we are gone within five seconds. */
const STOP_MS = 4000;

export interface DaemonOptions {
  settings: Settings;
  log: Log;
  /** Ends the schedule. */
  signal: AbortSignal;
  /** Where to serve health and metrics, if anywhere. */
  listen: Address | undefined;
  /** Arguments for this Node that start this program: its file. */
  program: readonly string[];
  clock?: Clock;
  random?: () => number;
}

/**
 * Runs the jobs on their slots until the signal aborts, each in a process of its own, so that a job that crashes or
 * hangs takes nothing else with it. A job that fails is logged, and runs again at its next slot.
 *
 * @throws UsageError, before anything is started, for a setting that cannot be used
 */
export async function runDaemon(jobs: readonly Job[], options: DaemonOptions): Promise<void> {
  const { settings, signal, listen, clock = systemClock, random = Math.random } = options;
  const log = options.log.child({ run: newRunId() });
  const readSnapshot = quietly(openSnapshots(jobs, settings), log);
  const planned = planJobs(jobs, settings, readSnapshot(), clock.now());
  const active = planned.filter(({ idle }) => idle === undefined);
  const statistics = new Map(active.map(({ name }) => [name, emptyStatistics(name, clock.now())]));
  const deadlineMs = settings.jobMinutes * 60_000;
  const judgeJobs = (snapshot: Snapshot | undefined): JobHealth[] =>
    active.flatMap(({ job, cron }) => {
      const seen = statistics.get(job.name);
      const limits = { cron, deadlineMs, nowMs: clock.now() };
      return seen === undefined ? [] : [judgeJob(toJobState(job, seen, snapshot), limits)];
    });

  await using stack = new AsyncDisposableStack();
  if (listen !== undefined) {
    const monitor = await startMonitor(listen, {
      health: () => {
        const snapshot = readSnapshot();
        return summarizeHealth(judgeJobs(snapshot), snapshot?.lastGoodRun);
      },
      metrics: () => {
        const snapshot = readSnapshot();
        return formatMetrics(toMetrics([...statistics.values()], judgeJobs(snapshot), snapshot));
      },
    });
    stack.use(monitor);
    log.info({ healthz: `${monitor.url}/healthz`, metrics: `${monitor.url}/metrics` }, "listening");
  }
  for (const { name, cron, idle, lastDoneMs } of planned) {
    if (idle !== undefined) log.info({ job: name }, `left out: ${idle}`);
    else
      log.info(
        { job: name, cron: cron.expression, lastDone: iso(lastDoneMs), next: iso(cron.next(clock.now())) },
        "scheduled",
      );
  }
  await keepSchedule(active, {
    clock,
    random,
    jitterMs: settings.jitterSeconds * 1000,
    log,
    signal,
    run: async (name) => {
      const seen = statistics.get(name);
      if (seen !== undefined) await runJob(seen, deadlineMs, clock, options);
    },
    onNext: (name, nextMs) => {
      const seen = statistics.get(name);
      if (seen !== undefined) seen.nextMs = nextMs;
    },
  });
  log.info("stopped");
}

async function runJob(
  seen: JobStatistics,
  deadlineMs: number,
  clock: Clock,
  { settings, program, signal, ...options }: DaemonOptions,
): Promise<void> {
  const { job } = seen;
  const run = newRunId();
  const log = options.log.child({ job, run });
  log.info("started");
  const startedMs = clock.now();
  seen.isRunning = true;
  const command = [...program, "job", job, "--run", run];
  const outcome = await runChild(command, {
    deadlineMs,
    graceMs: GRACE_MS,
    signal,
    stopMs: STOP_MS,
    // Its log lines go where ours go; its standard input stays open for as long as this process lives.
    stdio: ["pipe", "ignore", "inherit"],
  });
  const { level, message } = describeOutcome(outcome, signal.aborted);
  const { exitCode, signal: killedBy } = outcome;
  const end = toJobEnd(job, outcome, { startedMs, endedMs: clock.now(), isStopping: signal.aborted });
  noteEnd(seen, nameExit(outcome), end);
  log[level]({ exitCode, ...(killedBy && { killedBy }), seconds: (seen.lastMs ?? 0) / 1000 }, message);
  if (!isSilent(outcome) || signal.aborted) return;
  const journal = openJournal(settings.database, log);
  const record = journal.read().find((known) => known.job === job);
  // A job that could say more of its end has done so.
  const isRecorded = record?.finished_at != null && record.finished_at >= end.startedAt;
  if (outcome.isLate || !isRecorded) journal.end(end);
  await openHeartbeat({ url: settings.heartbeatUrl, log, signal }).end(false);
}

function toJobEnd(
  job: string,
  outcome: Outcome,
  { startedMs, endedMs, isStopping }: { startedMs: number; endedMs: number; isStopping: boolean },
): JobEnd {
  const exitCode = toExitCode(outcome);
  const isLate = outcome.isLate && exitCode !== EXIT.done;
  const result = isStopping ? "neither" : isLate ? "failure" : judgeExit(exitCode);
  const error = result === "failure" ? describeOutcome(outcome, isStopping).message : null;
  const [startedAt, finishedAt] = [new Date(startedMs).toISOString(), new Date(endedMs).toISOString()];
  return { job, startedAt, finishedAt, exitCode, result, error };
}

/** A warehouse that cannot be read is no reason to stop: the jobs say more of it. */
function quietly(read: () => Snapshot | undefined, log: Log): () => Snapshot | undefined {
  return () => {
    try {
      return read();
    } catch (error) {
      log.warn(`cannot read the warehouse: ${describeError(error)}`);
      return undefined;
    }
  };
}

/** Marks the lines that belong together: those of a job's run, and those of the schedule's own. */
function newRunId(): string {
  return randomUUID().slice(0, 8);
}

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
