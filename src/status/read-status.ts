import type { Account } from "../config/accounts.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import type { Settings } from "../config/load-settings.ts";
import { readDeliveries } from "../delivery/delivery-table.ts";
import { readLastReportRuns } from "../delivery/report-run-table.ts";
import { parseCron } from "../schedule/cron.ts";
import { choosePlan } from "../sync/plan.ts";
import { countCalls, readNewestCall } from "../warehouse/calls/call-table.ts";
import { readDrift } from "../warehouse/calls/drift.ts";
import { readUnlisted, readWithheld } from "../warehouse/calls/gone.ts";
import { readRejected } from "../warehouse/calls/rejected.ts";
import { openWarehouseReader } from "../warehouse/open.ts";
import { describeOrigin, readOrigin } from "../warehouse/origin.ts";
import { findOtherOrigin } from "../warehouse/own-warehouse.ts";
import { readPublications } from "../warehouse/publication-table.ts";
import { readJobs } from "../warehouse/runs/job-table.ts";
import {
  readLastDoneRun,
  readLastGoodRun,
  readLastVerifiedPass,
  readPause,
  readRuns,
} from "../warehouse/runs/runs.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

export type Status = ReturnType<typeof readStatus>;

/**
 * Reads the status of an account.
 *
 * @throws CalltallyError (exit 7) for a file that is not a warehouse, is damaged, or of an older schema
 */
export function readStatus(
  settings: Settings,
  { runs, nowMs, reports = new Map() }: { runs: number; nowMs: number; reports?: ScheduledReports },
) {
  using warehouse = openWarehouseReader(settings.database);
  try {
    const last_good_run = readLastGoodRun(warehouse) ?? null;
    return {
      warehouse: warehouse.path,
      /** The service and organization unit that it is a copy of. */
      origin: describeOrigin(readOrigin(warehouse)),
      /** Why it is not the warehouse of the account in the settings; null if it is. */
      origin_problem: findOtherOrigin(warehouse, settings) ?? null,
      calls: countCalls(warehouse),
      /** Start of the newest call, ISO 8601 UTC, as all times here. */
      newest_call: readNewestCall(warehouse),
      runs: readRuns(warehouse, runs),
      /** The last run that was completed. */
      last_done_run: readLastDoneRun(warehouse) ?? null,
      /** Calls that went missing at once, above the missing-call threshold: they wait for --accept-gone. */
      calls_withheld: readWithheld(warehouse),
      /** Calls that count although they are older than any that the service lists, and since when; null if there are none. */
      unlisted: readUnlisted(warehouse),
      /** The last run with a verdict better than unverified. */
      last_good_run,
      /** The last run that proved that it read every call. */
      last_verified_pass: readLastVerifiedPass(warehouse) ?? null,
      /**
       * The jobs of the schedule, cron or systemd, and how their last runs went; without those that never ran. A sync
       * succeeded when its copy could last be trusted, whatever started it.
       */
      jobs: readJobs(warehouse).map((record) =>
        record.job === "sync" ? { ...record, succeeded_at: last_good_run?.finished_at ?? null } : record,
      ),
      /** The reports of calltally.yaml and those that were made, with their last run, its deliveries and the next time. */
      reports: readReports(warehouse, reports, settings.timezone, nowMs),
      /** The cluster of the settings, or those that the facts were published to, and whether they are up to date. */
      publications: readPublications(warehouse, settings.publish.to?.name),
      rejected: readRejected(warehouse),
      drift: readDrift(warehouse),
      next: readNext(warehouse, settings, nowMs),
    };
  } catch (error) {
    throw nameFile(error, warehouse.path);
  }
}

/** The reports that `calltally.yaml` has for an account: the cron expression of each, undefined for one that is only made by hand. */
type ScheduledReports = ReadonlyMap<string, string | undefined>;

/** Returns the reports that are scheduled or were made, with their last run and its deliveries. */
function readReports(warehouse: Warehouse, scheduled: ScheduledReports, timezone: string, nowMs: number) {
  const runs = readLastReportRuns(warehouse);
  const names = new Set([...scheduled.keys(), ...runs.map(({ report }) => report)]);
  return [...names].map((name) => {
    const cron = scheduled.get(name);
    const last = runs.find(({ report }) => report === name);
    return {
      report: name,
      /** Whether calltally.yaml names it. */
      in_file: scheduled.has(name),
      next: cron === undefined ? null : nextSlot(cron, timezone, nowMs),
      last_run: last ?? null,
      deliveries: last === undefined ? [] : readDeliveries(warehouse, last.report_run_id),
    };
  });
}

/** Returns the reports of an account. */
export function reportsOf(
  file: CalltallyFile | undefined,
  { name: account = "" }: Account,
): ScheduledReports {
  const own = Object.entries(file?.content.reports ?? {}).filter(
    ([, { accounts }]) => accounts === undefined || accounts.includes(account),
  );
  return new Map(own.map(([name, { cron }]) => [name, cron]));
}

const HOUR_MS = 3_600_000;

/** Returns what comes next, and when. */
function readNext(warehouse: Warehouse, settings: Settings, nowMs: number) {
  const { fullEveryHours, syncCron, exportCron, insightsCron, insightIds, timezone } = settings;
  const last = readLastVerifiedPass(warehouse);
  const plan = choosePlan(last, nowMs, fullEveryHours);
  const dueMs = Date.parse(last?.finished_at ?? "") + fullEveryHours * HOUR_MS;
  const slot = (expression: string) => nextSlot(expression, timezone, nowMs);
  return {
    /** The mode of the next sync, and why. */
    plan: plan.mode,
    plan_reason: plan.reason,
    /** When a full pass is due by age. */
    full_pass_due: plan.mode === "full" ? null : new Date(dueMs).toISOString(),
    /** When the pause ends that the service asked for. */
    not_before: readPause(warehouse, nowMs) ?? null,
    /** The next times of `calltally schedule`, if it runs. */
    sync: slot(syncCron),
    export: slot(exportCron),
    insights: insightIds.length > 0 ? slot(insightsCron) : null,
  };
}

/** Returns the next time of a cron expression; null for an invalid one, which `calltally doctor` and `schedule` report. */
function nextSlot(expression: string, timezone: string, nowMs: number): string | null {
  try {
    return new Date(parseCron(expression, timezone).next(nowMs)).toISOString();
  } catch {
    return null;
  }
}
