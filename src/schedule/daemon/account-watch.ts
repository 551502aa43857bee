import type { Clock } from "../../base/clock.ts";
import { describeError } from "../../base/errors.ts";
import { realFile } from "../../base/folder.ts";
import type { Log } from "../../base/log.ts";
import type { Account } from "../../config/accounts.ts";
import type { Doorbell } from "../../config/doorbell.ts";
import { inspectSettings, loadSettings, type Settings } from "../../config/load-settings.ts";
import type { NoticeBook } from "../../features/notice.ts";
import { toSyncOptions } from "../../sync/sync-options.ts";
import { missingError } from "../../warehouse/file/missing.ts";
import { nameDamage } from "../../warehouse/file/sqlite-errors.ts";
import type { Outcome } from "../child-process.ts";
import { Bell } from "../doorbell/bell.ts";
import type { Job } from "../job-definition.ts";
import { emptyStatistics } from "../job-state.ts";
import { planJobs } from "../plan-jobs.ts";
import { readSnapshot, type Snapshot } from "../warehouse-snapshot.ts";

export interface DaemonAccount {
  /** Undefined for the account of the environment. */
  name: string | undefined;
  settings: Settings;
  args: readonly string[];
  /** Added to the environment of its jobs. @default nothing */
  env?: Readonly<Record<string, string>>;
  /** Jobs in addition to those of all accounts. @default none */
  jobs?: readonly Job[];
}

export type AccountWatch = ReturnType<typeof watchAccount>;

export function watchAccount(
  common: readonly Job[],
  account: DaemonAccount,
  {
    log: parent,
    clock,
    doorbell,
    notices,
  }: { log: Log; clock: Clock; doorbell: Doorbell | undefined; notices: NoticeBook },
) {
  const { name, settings } = account;
  const jobs = [...common, ...(account.jobs ?? [])];
  const log = name === undefined ? parent : parent.child({ account: name });
  const read = () => lookAt(() => readSnapshot(jobs, settings, notices), settings.database, log);
  const planned = planJobs(jobs, settings, read().snapshot, clock.now());
  // Undefined if nothing can ring for a sync of this account.
  const isRung = doorbell !== undefined && (doorbell.account ?? name) === name;
  const bell = isRung ? new Bell(doorbell.minMs) : undefined;
  // There may have been rings while the schedule was down.
  bell?.askForSync();
  const active = planned
    .filter(({ idle }) => idle === undefined)
    .map((plan) => ({
      ...plan,
      seen: emptyStatistics(plan.name, clock.now()),
      bell: plan.job.isSync ? bell : undefined,
    }));
  const deadlineMs = settings.jobMinutes * 60_000;
  return { account, bell, log, planned, active, deadlineMs, look: read };
}

export function logPlan({ planned, log }: AccountWatch, clock: Clock): void {
  for (const { name, cron, idle, lastDoneMs } of planned) {
    if (idle !== undefined) log.info({ job: name }, `left out: ${idle}`);
    else {
      const times = { lastDone: iso(lastDoneMs), next: iso(cron.next(clock.now())) };
      log.info({ job: name, cron: cron.expression, ...times }, "scheduled");
    }
  }
}

/** Whether a run left work to do before the next slot; not if it reached its deadline. */
export function isUnfinished(job: Job, { signal, isLate }: Outcome, { look }: AccountWatch): boolean {
  if (job.isUnfinished === undefined || isLate) return false;
  return signal !== null || (look().snapshot?.unfinished.has(job.name) ?? false);
}

/** The state of a warehouse. */
export interface Look {
  /** Undefined if there is no warehouse, or it cannot be read. */
  snapshot?: Snapshot | undefined;
  /** Why it cannot be read. */
  problem?: string;
}

/** An unreadable warehouse does not stop the schedule, and neither does a missing one. */
function lookAt(read: () => Snapshot | undefined, database: string, log: Log): Look {
  try {
    const snapshot = read();
    return snapshot ? { snapshot } : { problem: missingError(realFile(database)).message };
  } catch (error) {
    const problem = `cannot read the warehouse: ${describeError(nameDamage(error, database))}`;
    log.warn(problem);
    return { problem };
  }
}

function iso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** A setting that would fail every sync throws; with several accounts it becomes a `problem` to be corrected. */
export function loadAccount(account: Account, args: readonly string[]): DaemonAccount & { problem?: string } {
  const { name } = account;
  const named = name === undefined ? { name, args } : { name, args: [...args, "--account", name] };
  try {
    const settings = loadSettings(account.sources);
    toSyncOptions(settings);
    return { ...named, settings };
  } catch (error) {
    if (name === undefined) throw error;
    return { ...named, settings: inspectSettings(account.sources).settings, problem: describeError(error) };
  }
}
