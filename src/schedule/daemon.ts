import { randomUUID } from "node:crypto";
import { type Clock, isFuture, systemClock } from "../base/clock.ts";
import { describeError, EXIT } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Doorbell } from "../config/doorbell.ts";
import type { Settings } from "../config/load-settings.ts";
import type { JobEnd } from "../warehouse/runs/job-table.ts";
import { type Outcome, runChild } from "./child-process.ts";
import { ChildQueue, type Ticket } from "./child-queue.ts";
import { Bell } from "./doorbell/bell.ts";
import { DoorbellPage } from "./doorbell/doorbell-page.ts";
import { type Health, type JobHealth, judgeJob, summarizeAccounts, summarizeHealth } from "./health.ts";
import { openHeartbeat } from "./heartbeat.ts";
import type { Job } from "./job-definition.ts";
import { openJournal } from "./job-journal.ts";
import { describeOutcome, isSilent, judgeExit, nameExit, toExitCode } from "./job-outcome.ts";
import { toJobState } from "./job-state.ts";
import { emptyStatistics, type JobStatistics, noteEnd } from "./job-statistics.ts";
import { keepSchedule, type ScheduledJob } from "./keep-schedule.ts";
import { type Address, startMonitor } from "./monitor.ts";
import { type PlannedJob, planJobs } from "./plan-jobs.ts";
import { formatMetrics, type Metric, mergeMetrics, withLabel } from "./prometheus-format.ts";
import { toBellMetrics, toMetrics, toRefusalMetrics } from "./schedule-metrics.ts";
import { openSnapshots, type Snapshot } from "./warehouse-snapshot.ts";

/** Time a child has after SIGTERM at its deadline, milliseconds. */
const GRACE_MS = 5000;
/** Time a child has when we are told to stop, so that we are gone within five seconds. */
const STOP_MS = 4000;

/** An account whose jobs run. */
export interface DaemonAccount {
  /** Undefined for the one of the environment. */
  name: string | undefined;
  settings: Settings;
  /** Arguments that name it to a child process. */
  args: readonly string[];
  /** What it has beside the jobs of all accounts. @default nothing */
  jobs?: readonly Job[];
}

export interface DaemonOptions {
  /** Of the one account of the environment, where no others are given. */
  settings: Settings;
  /** @default the one of the environment */
  accounts?: readonly DaemonAccount[];
  /** Requests to one host at once, by the syncs of all accounts together. @default no limit but each account's own */
  hostRequests?: number;
  log: Log;
  /** Ends the schedule. */
  signal: AbortSignal;
  /** Where to serve health and metrics, if anywhere. */
  listen: Address | undefined;
  /** Lets deliveries start syncs, where it listens. @default nothing does but the slots */
  doorbell?: Doorbell | undefined;
  /** Arguments for this Node that start this program: its file. */
  program: readonly string[];
  clock?: Clock;
  random?: () => number;
}

/** What the schedule knows of an account. */
interface Watch {
  account: DaemonAccount;
  log: Log;
  jobs: readonly Job[];
  planned: readonly PlannedJob[];
  active: readonly PlannedJob[];
  statistics: ReadonlyMap<string, JobStatistics>;
  /** Undefined where nothing can ring for a sync of this account. */
  bell: Bell | undefined;
  deadlineMs: number;
  readSnapshot: () => Snapshot | undefined;
}

/**
 * Runs the jobs on their slots until the signal aborts, each in a process of its own, so that a job that crashes or
 * hangs takes nothing else with it. A job that fails is logged, and runs again at its next slot.
 *
 * @throws UsageError, before anything is started, for a setting that cannot be used
 */
export async function runDaemon(jobs: readonly Job[], options: DaemonOptions): Promise<void> {
  const { settings, signal, listen, clock = systemClock, random = Math.random } = options;
  const { accounts = [{ name: undefined, settings, args: [] }], hostRequests } = options;
  const log = options.log.child({ run: newRunId() });
  const doorbell = listen === undefined ? undefined : options.doorbell;
  const watches = accounts.map((account) => watchAccount(jobs, account, { log, clock, doorbell }));
  const queue = new ChildQueue(hostRequests ?? Number.POSITIVE_INFINITY);

  await using stack = new AsyncDisposableStack();
  if (listen !== undefined) {
    const page = doorbell && openDoorbell(doorbell, watches, { log, clock });
    const monitor = await startMonitor(listen, {
      health: () => {
        const healths = watches.map((watch) => [watch.account.name, judgeAccount(watch, clock)] as const);
        return summarizeAccounts(healths);
      },
      metrics: () => {
        const metrics = watches.map((watch) => metricsOf(watch, clock));
        return formatMetrics(mergeMetrics([...metrics, toRefusalMetrics(page?.refused ?? new Map())]));
      },
      doorbell: page && ((request) => page.answer(request)),
    });
    stack.use(monitor);
    const { url } = monitor;
    const addresses = { healthz: `${url}/healthz`, metrics: `${url}/metrics` };
    log.info({ ...addresses, ...(page && { doorbell: `${url}/doorbell` }) }, "listening");
  }
  warnOfDoorbell(options, watches, log);
  for (const watch of watches) logPlan(watch, clock);
  // What should not happen to one account must not leave the others running as if all were well.
  const broken = new AbortController();
  const stoppable = { ...options, signal: AbortSignal.any([signal, broken.signal]) };
  const kept = watches.map((watch) =>
    keepSchedule(withBell(watch), {
      clock,
      random,
      jitterMs: watch.account.settings.jitterSeconds * 1000,
      log: watch.log,
      signal: stoppable.signal,
      run: async (name) => {
        const seen = watch.statistics.get(name);
        const job = watch.jobs.find((known) => known.name === name);
        if (seen === undefined || job === undefined) return false;
        let outcome: Outcome | undefined;
        const work = async () => {
          const bell = job.isSync ? watch.bell : undefined;
          const wasRung = bell?.answer(clock.now());
          outcome = await runJob(seen, watch, clock, stoppable);
          // The sync that was running instead may have read its last page before the ring.
          if (wasRung && outcome.exitCode === EXIT.locked) bell?.askForSync();
        };
        // One account alone has its jobs side by side, as their slots come.
        if (watch.account.name === undefined) await work();
        else await queue.run(toTicket(job, watch.account, hostRequests), work, stoppable.signal);
        return !stoppable.signal.aborted && outcome !== undefined && isUnfinished(job, outcome, watch);
      },
      onNext: (name, nextMs) => {
        const seen = watch.statistics.get(name);
        if (seen !== undefined) seen.nextMs = nextMs;
      },
    }),
  );
  try {
    await Promise.all(kept);
  } finally {
    broken.abort();
    await Promise.allSettled(kept);
  }
  log.info("stopped");
}

function watchAccount(
  common: readonly Job[],
  account: DaemonAccount,
  { log: parent, clock, doorbell }: Pick<DaemonOptions, "log" | "doorbell"> & { clock: Clock },
): Watch {
  const { name, settings } = account;
  const jobs = [...common, ...(account.jobs ?? [])];
  const log = name === undefined ? parent : parent.child({ account: name });
  const readSnapshot = quietly(openSnapshots(jobs, settings), log);
  const planned = planJobs(jobs, settings, readSnapshot(), clock.now());
  const active = planned.filter(({ idle }) => idle === undefined);
  const statistics = new Map(active.map((job) => [job.name, emptyStatistics(job.name, clock.now())]));
  const isRung = doorbell !== undefined && (doorbell.account ?? name) === name;
  const bell = isRung ? new Bell(doorbell.minMs) : undefined;
  // Nobody knows who rang while the schedule was down.
  bell?.askForSync();
  return {
    account,
    bell,
    log,
    jobs,
    planned,
    active,
    statistics,
    deadlineMs: settings.jobMinutes * 60_000,
    readSnapshot,
  };
}

function withBell({ active, bell }: Watch): ScheduledJob[] {
  return active.map((planned) => (planned.job.isSync ? { ...planned, bell } : planned));
}

/** Opens a door for each account that can be rung for, and one without a name where there is one account. */
function openDoorbell(
  { secret, account }: Doorbell,
  watches: readonly Watch[],
  options: { log: Log; clock: Clock },
): DoorbellPage {
  const doors = watches.flatMap(({ account: { name }, bell, log }) => {
    if (bell === undefined) return [];
    const ring = () => {
      if (bell.ring()) log.info("rung: a sync follows");
    };
    const named = name === undefined ? [] : [[`/doorbell/${name}`, ring] as const];
    return name === account ? [...named, ["/doorbell", ring] as const] : named;
  });
  return new DoorbellPage({ secret, doors: new Map(doors), ...options });
}

function warnOfDoorbell(
  { doorbell, listen }: Pick<DaemonOptions, "doorbell" | "listen">,
  watches: readonly Watch[],
  log: Log,
): void {
  if (doorbell === undefined) return;
  if (listen === undefined) log.warn("nothing can ring the doorbell without --listen");
  else if (watches.every(({ bell }) => bell === undefined))
    log.warn({ account: doorbell.account }, "the doorbell is of an account that is not scheduled here");
}

function logPlan({ planned, log }: Watch, clock: Clock): void {
  for (const { name, cron, idle, lastDoneMs } of planned) {
    if (idle !== undefined) log.info({ job: name }, `left out: ${idle}`);
    else
      log.info(
        { job: name, cron: cron.expression, lastDone: iso(lastDoneMs), next: iso(cron.next(clock.now())) },
        "scheduled",
      );
  }
}

function judgeJobs(
  { active, statistics, deadlineMs }: Watch,
  snapshot: Snapshot | undefined,
  nowMs: number,
): JobHealth[] {
  return active.flatMap(({ job, cron }) => {
    const seen = statistics.get(job.name);
    return seen === undefined ? [] : [judgeJob(toJobState(job, seen, snapshot), { cron, deadlineMs, nowMs })];
  });
}

function judgeAccount(watch: Watch, clock: Clock): Health {
  const snapshot = watch.readSnapshot();
  return summarizeHealth(judgeJobs(watch, snapshot, clock.now()), snapshot?.lastGoodRun);
}

function metricsOf(watch: Watch, clock: Clock): Metric[] {
  const snapshot = watch.readSnapshot();
  const metrics = toMetrics(
    [...watch.statistics.values()],
    judgeJobs(watch, snapshot, clock.now()),
    snapshot,
  );
  if (watch.bell !== undefined) metrics.push(...toBellMetrics(watch.bell));
  const { name } = watch.account;
  return name === undefined ? metrics : withLabel(metrics, { account: name });
}

/** Whether a run left something undone that may be done before the next slot. At its deadline a job has had its time. */
function isUnfinished(job: Job, { signal, isLate }: Outcome, { readSnapshot }: Watch): boolean {
  if (job.isUnfinished === undefined || isLate) return false;
  return signal !== null || (readSnapshot()?.unfinished.has(job.name) ?? false);
}

/** A sync asks its host; what most other jobs ask is next to nothing. */
function toTicket(
  { isSync, asksHost }: Job,
  { settings }: DaemonAccount,
  hostRequests = Number.POSITIVE_INFINITY,
): Ticket {
  const { database, baseUrl, concurrency } = settings;
  return {
    database,
    host: isSync || asksHost ? baseUrl?.host : undefined,
    requests: Math.min(concurrency, hostRequests),
  };
}

async function runJob(
  seen: JobStatistics,
  { account, deadlineMs }: Watch,
  clock: Clock,
  { program, signal, ...options }: Pick<DaemonOptions, "program" | "signal" | "log">,
): Promise<Outcome> {
  const { name, settings, args } = account;
  const { job } = seen;
  const run = newRunId();
  const log = options.log.child({ ...(name !== undefined && { account: name }), job, run });
  log.info("started");
  const startedMs = clock.now();
  seen.isRunning = true;
  const command = [...program, "job", job, "--run", run, ...args];
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
  if (!isSilent(outcome) || signal.aborted) return outcome;
  const journal = openJournal(settings.database, log);
  const record = journal.read().find((known) => known.job === job);
  // A job that could say more of its end has done so.
  const recordedAt = record?.finished_at ?? "";
  const isRecorded = recordedAt >= end.startedAt && !isFuture(recordedAt, clock.now());
  if (outcome.isLate || !isRecorded) journal.end(end);
  await openHeartbeat({ url: settings.heartbeatUrl, log, signal }).end(false);
  return outcome;
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
