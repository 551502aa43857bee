import { randomUUID } from "node:crypto";
import { type Clock, systemClock } from "../clock.ts";
import type { Settings } from "../config/load-settings.ts";
import { describeError } from "../errors.ts";
import type { Log } from "../log.ts";
import { runChild } from "./child-process.ts";
import { judgeHealth } from "./health.ts";
import { openHeartbeat } from "./heartbeat.ts";
import type { Job } from "./job-definition.ts";
import { describeOutcome, isSilent, nameExit } from "./job-outcome.ts";
import { emptyStatistics, type JobStatistics } from "./job-statistics.ts";
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
  const statistics = new Map(
    planned.filter(({ idle }) => !idle).map(({ name }) => [name, emptyStatistics(name)]),
  );
  const deadlineMs = settings.jobMinutes * 60_000;

  await using stack = new AsyncDisposableStack();
  const sync = planned.find(({ name }) => name === "sync");
  if (listen !== undefined && sync !== undefined) {
    const monitor = await startMonitor(listen, {
      health: () => {
        const lastGoodRun = readSnapshot()?.lastGoodRun;
        return judgeHealth({ lastGoodRun, cron: sync.cron, deadlineMs, nowMs: clock.now() });
      },
      metrics: () => formatMetrics(toMetrics([...statistics.values()], readSnapshot())),
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
  await keepSchedule(
    planned.filter(({ idle }) => idle === undefined),
    {
      clock,
      random,
      jitterMs: settings.jitterSeconds * 1000,
      log,
      signal,
      run: async (name) => {
        const seen = statistics.get(name);
        const job = jobs.find((known) => known.name === name);
        if (seen !== undefined && job !== undefined) await runJob(job, seen, deadlineMs, clock, options);
      },
      onNext: (name, nextMs) => {
        const seen = statistics.get(name);
        if (seen !== undefined) seen.nextMs = nextMs;
      },
    },
  );
  log.info("stopped");
}

async function runJob(
  { name, hasHeartbeat }: Job,
  seen: JobStatistics,
  deadlineMs: number,
  clock: Clock,
  { settings, program, signal, ...options }: DaemonOptions,
): Promise<void> {
  const run = newRunId();
  const log = options.log.child({ job: name, run });
  log.info("started");
  const startedMs = clock.now();
  seen.isRunning = true;
  const command = [...program, "job", name, "--run", run];
  const outcome = await runChild(command, {
    deadlineMs,
    graceMs: GRACE_MS,
    signal,
    stopMs: STOP_MS,
    // Its log lines go where ours go; its standard input stays open for as long as this process lives.
    stdio: ["pipe", "ignore", "inherit"],
  });
  seen.isRunning = false;
  seen.lastMs = clock.now() - startedMs;
  const exit = nameExit(outcome);
  seen.runs.set(exit, (seen.runs.get(exit) ?? 0) + 1);
  const { level, message } = describeOutcome(outcome, signal.aborted);
  const { exitCode, signal: killedBy } = outcome;
  log[level]({ exitCode, ...(killedBy && { killedBy }), seconds: seen.lastMs / 1000 }, message);
  if (hasHeartbeat && isSilent(outcome) && !signal.aborted) {
    await openHeartbeat({ url: settings.heartbeatUrl, log, signal }).end(false);
  }
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
