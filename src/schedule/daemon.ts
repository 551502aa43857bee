import { type Clock, systemClock } from "../base/clock.ts";
import { EXIT } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Doorbell } from "../config/doorbell.ts";
import { loadNotices } from "../features/load-notices.ts";
import type { Outcome } from "./child-process.ts";
import { ChildQueue, type Needs } from "./child-queue.ts";
import { startAccountMonitor, warnOfDoorbell } from "./daemon/account-monitor.ts";
import { type DaemonAccount, isUnfinished, logPlan, watchAccount } from "./daemon/account-watch.ts";
import { newRunId, runJobProcess } from "./daemon/job-process.ts";
import type { Job } from "./job-definition.ts";
import { keepSchedule } from "./keep-schedule.ts";
import type { Address } from "./monitor.ts";

export interface DaemonOptions {
  accounts: readonly DaemonAccount[];
  /** Concurrent requests to one host by the syncs of all accounts. @default only the limit of each account */
  hostRequests?: number;
  log: Log;
  signal: AbortSignal;
  /** Starts no more jobs once it aborts, and ends when running jobs have ended. @default never */
  replaced?: AbortSignal | undefined;
  /** Returns why an edited calltally.yaml is not in use; undefined if it is. @default it is */
  fileProblem?: (() => string | undefined) | undefined;
  /** Where to serve health and metrics; undefined for nowhere. */
  listen: Address | undefined;
  /** Lets deliveries start syncs; needs `listen`. @default syncs start on their slots only */
  doorbell?: Doorbell | undefined;
  program: readonly string[];
  clock?: Clock;
  random?: () => number;
}

/**
 * Runs each job in its own process, so that one that crashes or hangs does not affect the others.
 * @throws UsageError, before anything is started, for an unusable setting
 */
export async function runDaemon(jobs: readonly Job[], options: DaemonOptions): Promise<void> {
  const { accounts, hostRequests, signal, listen, clock = systemClock, random = Math.random } = options;
  const { replaced, fileProblem } = options;
  const log = options.log.child({ run: newRunId() });
  const doorbell = listen === undefined ? undefined : options.doorbell;
  const notices = await loadNotices();
  const watches = accounts.map((account) => watchAccount(jobs, account, { log, clock, doorbell, notices }));
  const queue = new ChildQueue(hostRequests ?? Number.POSITIVE_INFINITY);

  await using _monitor =
    listen === undefined
      ? undefined
      : await startAccountMonitor(listen, watches, { log, clock, doorbell, fileProblem });
  warnOfDoorbell(options, watches, log);
  for (const watch of watches) logPlan(watch, clock);
  // After an unexpected error of one account, the others must not continue as if all were well.
  const broken = new AbortController();
  const stoppable = { ...options, clock, signal: AbortSignal.any([signal, broken.signal]) };
  const schedules = watches.map((watch) =>
    keepSchedule(watch.active, {
      clock,
      random,
      jitterMs: watch.account.settings.jitterSeconds * 1000,
      log: watch.log,
      signal: replaced ? AbortSignal.any([stoppable.signal, replaced]) : stoppable.signal,
      run: async ({ job, seen, bell }) => {
        let outcome: Outcome | undefined;
        const work = async () => {
          const wasRung = bell?.answer(clock.now());
          outcome = await runJobProcess(seen, watch, stoppable);
          // The sync that was running may have read its last page before the ring.
          if (wasRung && outcome.exitCode === EXIT.locked) bell?.askForSync();
        };
        // A single account runs its jobs concurrently, on their slots.
        if (watch.account.name === undefined) await work();
        else await queue.run(toNeeds(job, watch.account, hostRequests), work, stoppable.signal);
        return !stoppable.signal.aborted && outcome !== undefined && isUnfinished(job, outcome, watch);
      },
      onNext: ({ seen }, nextMs) => {
        seen.nextMs = nextMs;
      },
    }),
  );
  try {
    await Promise.all(schedules);
  } finally {
    broken.abort();
    await Promise.allSettled(schedules);
  }
  log.info(signal.aborted ? "stopped" : "starting again with the edited file");
}

/** Only syncs and jobs that declare it count against the limit of their host. */
function toNeeds(
  { isSync, asksHost }: Job,
  { settings }: DaemonAccount,
  hostRequests = Number.POSITIVE_INFINITY,
): Needs {
  const { database, baseUrl, concurrency } = settings;
  return {
    database,
    host: isSync || asksHost ? baseUrl?.host : undefined,
    requests: Math.min(concurrency, hostRequests),
  };
}
