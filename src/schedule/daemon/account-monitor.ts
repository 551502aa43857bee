import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Doorbell } from "../../config/doorbell.ts";
import { DoorbellPage } from "../doorbell/doorbell-page.ts";
import { judgeJob, summarizeAccounts, summarizeHealth, withProblem } from "../health.ts";
import { toJobState } from "../job-state.ts";
import { type Address, startMonitor } from "../monitor.ts";
import {
  formatMetrics,
  type Metric,
  mergeMetrics,
  toBellMetrics,
  toConfigMetrics,
  toMetrics,
  toRefusalMetrics,
  withLabel,
} from "../schedule-metrics.ts";
import type { AccountWatch, Look } from "./account-watch.ts";

interface MonitorOptions {
  log: Log;
  clock: Clock;
  doorbell: Doorbell | undefined;
  /** Returns why an edited calltally.yaml is not in use; undefined if it is. */
  fileProblem?: (() => string | undefined) | undefined;
}

export async function startAccountMonitor(
  listen: Address,
  watches: readonly AccountWatch[],
  { log, clock, doorbell, fileProblem }: MonitorOptions,
) {
  const page = doorbell && openDoorbell(doorbell, watches, { log, clock });
  const monitor = await startMonitor(listen, {
    health: () => {
      const healths = watches.map((watch) => {
        const look = watch.look();
        const jobs = judgeJobs(watch, look, clock.now());
        return [
          watch.account.name,
          summarizeHealth(jobs, look.snapshot?.lastGoodRun, look.snapshot?.statements),
        ] as const;
      });
      return withProblem(summarizeAccounts(healths), fileProblem?.());
    },
    metrics: () => {
      const metrics = watches.map((watch) => metricsOf(watch, clock));
      const config = fileProblem && toConfigMetrics(fileProblem() !== undefined);
      return formatMetrics(
        mergeMetrics([...metrics, ...(config ? [config] : []), toRefusalMetrics(page?.refused ?? new Map())]),
      );
    },
    doorbell: page && ((request) => page.answer(request)),
  });
  const { url } = monitor;
  const addresses = { healthz: `${url}/healthz`, metrics: `${url}/metrics` };
  log.info({ ...addresses, ...(page && { doorbell: `${url}/doorbell` }) }, "listening");
  return monitor;
}

export function warnOfDoorbell(
  { doorbell, listen }: { doorbell?: Doorbell | undefined; listen: Address | undefined },
  watches: readonly AccountWatch[],
  log: Log,
): void {
  if (doorbell === undefined) return;
  if (listen === undefined) log.warn("nothing can ring the doorbell without --listen");
  else if (watches.every(({ bell }) => bell === undefined))
    log.warn({ account: doorbell.account }, "the doorbell belongs to an account that is not scheduled here");
}

/** `/doorbell` itself is for the account of the setting, or the only one. */
function openDoorbell(
  { secret, account }: Doorbell,
  watches: readonly AccountWatch[],
  options: { log: Log; clock: Clock },
): DoorbellPage {
  const doors = watches.flatMap(({ account: { name }, bell, log }) => {
    if (bell === undefined) return [];
    const ring = () => {
      if (bell.ring()) log.info("doorbell rang: a sync follows");
    };
    const named = name === undefined ? [] : [[`/doorbell/${name}`, ring] as const];
    return name === account ? [...named, ["/doorbell", ring] as const] : named;
  });
  return new DoorbellPage({ secret, doors: new Map(doors), ...options });
}

function judgeJobs({ active, deadlineMs }: AccountWatch, { snapshot, ...problem }: Look, nowMs: number) {
  return active.map(({ job, cron, seen }) =>
    judgeJob(toJobState(job, seen, snapshot), { cron, deadlineMs, nowMs, ...problem }),
  );
}

function metricsOf(watch: AccountWatch, clock: Clock): Metric[] {
  const look = watch.look();
  const health = judgeJobs(watch, look, clock.now());
  const statistics = watch.active.map(({ seen }) => seen);
  const metrics = toMetrics(statistics, health, look.snapshot);
  if (watch.bell !== undefined) metrics.push(...toBellMetrics(watch.bell));
  const { name } = watch.account;
  return name === undefined ? metrics : withLabel(metrics, { account: name });
}
