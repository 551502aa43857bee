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
import { type JobRecord, readJobs } from "../warehouse/runs/job-table.ts";
import {
  readLastDoneRun,
  readLastGoodRun,
  readLastVerifiedPass,
  readPause,
  readRuns,
} from "../warehouse/runs/runs.ts";
import { nameFile } from "../warehouse/sqlite-errors.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";

const HOUR_MS = 3_600_000;

export type Status = ReturnType<typeof readStatus>;

/** A report of `calltally.yaml` that is of the account. */
export interface ScheduledReport {
  name: string;
  /** Undefined for one that is made by hand alone. */
  cron: string | undefined;
}

/**
 * Reads how things stand.
 *
 * @throws CalltallyError (exit 7) that names a file that is no warehouse, damaged, or of an older version
 */
export function readStatus(
  settings: Settings,
  { runs, nowMs, reports = [] }: { runs: number; nowMs: number; reports?: readonly ScheduledReport[] },
) {
  using warehouse = openWarehouseReader(settings.database);
  try {
    return {
      warehouse: warehouse.path,
      /** What it is a copy of. */
      origin: describeOrigin(readOrigin(warehouse)),
      /** Why it is not the warehouse of the account in the settings; null where it is. */
      origin_problem: findOtherOrigin(warehouse, settings) ?? null,
      calls: countCalls(warehouse),
      /** Start of the newest call, ISO 8601 UTC, as all times here. */
      newest_call: readNewestCall(warehouse),
      runs: readRuns(warehouse, runs),
      /** The last run that came to its end. */
      last_done_run: readLastDoneRun(warehouse) ?? null,
      /** Calls that went missing at once, more than is believed: they wait for --accept-gone. */
      calls_withheld: readWithheld(warehouse),
      /** Calls that count though they are older than any that the service lists, and since when; null where there are none. */
      unlisted: readUnlisted(warehouse),
      /** The last run with a verdict better than unverified. */
      last_good_run: readLastGoodRun(warehouse) ?? null,
      /** The last run that proved that it read every call. */
      last_verified_pass: readLastVerifiedPass(warehouse) ?? null,
      /** How the jobs of the schedule, cron or systemd fared; nothing of those that never ran as one. */
      jobs: readJobs(warehouse).map((job) => withGoodRun(job, warehouse)),
      /** The reports of calltally.yaml and those that were made, with their last run, its deliveries, and the next time. */
      reports: readReports(warehouse, reports, settings.timezone, nowMs),
      /** The cluster of the settings, or those that the facts were published to, and whether they have what is here. */
      publications: readPublications(warehouse, settings.publish.to?.name),
      rejected: readRejected(warehouse),
      drift: readDrift(warehouse),
      next: readNext(warehouse, settings, nowMs),
    };
  } catch (error) {
    throw nameFile(error, warehouse.path);
  }
}

/** A sync has succeeded when its copy could be trusted, whoever started it. */
function withGoodRun(record: JobRecord, warehouse: Warehouse): JobRecord {
  if (record.job !== "sync") return record;
  return { ...record, succeeded_at: readLastGoodRun(warehouse)?.finished_at ?? null };
}

function readReports(
  warehouse: Warehouse,
  scheduled: readonly ScheduledReport[],
  timezone: string,
  nowMs: number,
) {
  const runs = readLastReportRuns(warehouse);
  const names = new Set([...scheduled.map(({ name }) => name), ...runs.map(({ report }) => report)]);
  return [...names].map((name) => {
    const cron = scheduled.find((report) => report.name === name)?.cron;
    const last = runs.find(({ report }) => report === name);
    return {
      report: name,
      /** Whether calltally.yaml names it. */
      in_file: scheduled.some((report) => report.name === name),
      next: cron === undefined ? null : nextSlot(cron, timezone, nowMs),
      last_run: last ?? null,
      deliveries: last === undefined ? [] : readDeliveries(warehouse, last.report_run_id),
    };
  });
}

/** What comes next, and when. */
function readNext(warehouse: Warehouse, settings: Settings, nowMs: number) {
  const { fullEveryHours, syncCron, exportCron, insightsCron, insightIds, timezone } = settings;
  const last = readLastVerifiedPass(warehouse);
  const plan = choosePlan(last, nowMs, fullEveryHours);
  const dueMs = Date.parse(last?.finished_at ?? "") + fullEveryHours * HOUR_MS;
  const slot = (expression: string) => nextSlot(expression, timezone, nowMs);
  return {
    /** How the next sync reads, and why. */
    plan: plan.mode,
    plan_reason: plan.reason,
    /** When a full pass is due by age. */
    full_pass_due: plan.mode === "full" ? null : new Date(dueMs).toISOString(),
    /** Until when the service asked for a pause. */
    not_before: readPause(warehouse, nowMs) ?? null,
    /** The next times of `calltally schedule`, where that runs. */
    sync: slot(syncCron),
    export: slot(exportCron),
    insights: insightIds.length > 0 ? slot(insightsCron) : null,
  };
}

/** What is no cron expression, `calltally doctor` and `schedule` name. */
function nextSlot(expression: string, timezone: string, nowMs: number): string | null {
  try {
    return new Date(parseCron(expression, timezone).next(nowMs)).toISOString();
  } catch {
    return null;
  }
}

/** Returns the reports of an account. */
export function reportsOf(
  file: CalltallyFile | undefined,
  { name: account = "" }: Account,
): ScheduledReport[] {
  const { reports = {} } = file?.content ?? {};
  return Object.entries(reports)
    .filter(([, { accounts }]) => accounts === undefined || accounts.includes(account))
    .map(([name, { cron }]) => ({ name, cron }));
}
