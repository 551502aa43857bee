import { attempt } from "../../base/errors.ts";
import type { Account } from "../../config/accounts.ts";
import type { CalltallyFile } from "../../config/calltally-file.ts";
import type { Settings } from "../../config/load-settings.ts";
import { readDeliveries } from "../../reports/delivery/delivery-table.ts";
import { readLastReportRuns } from "../../reports/delivery/report-run-table.ts";
import { isOfAccount } from "../../reports/report.ts";
import { parseCron } from "../../schedule/cron.ts";
import { choosePlan } from "../../sync/plan.ts";
import { readLastVerifiedPass, readPause } from "../../warehouse/runs/runs.ts";
import type { Reader } from "../../warehouse/warehouse.ts";

const HOUR_MS = 3_600_000;

export function readNext(warehouse: Reader, settings: Settings, nowMs: number) {
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
    /** When the pause that the service asked for ends. */
    not_before: readPause(warehouse, nowMs) ?? null,
    /** The next times of `calltally schedule`, if it runs. */
    sync: slot(syncCron),
    export: slot(exportCron),
    insights: insightIds.length > 0 ? slot(insightsCron) : null,
  };
}

/** The reports of an account in `calltally.yaml`: cron expressions, undefined for a report only made by hand. */
export type ScheduledReports = ReadonlyMap<string, string | undefined>;

/** Returns the reports that are scheduled or were made, with their last run and its deliveries. */
export function readReports(warehouse: Reader, scheduled: ScheduledReports, timezone: string, nowMs: number) {
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

export function reportsOf(file: CalltallyFile | undefined, account: Account): ScheduledReports {
  const ofAccount = Object.entries(file?.content.reports ?? {}).filter(([, content]) =>
    isOfAccount({ content }, account),
  );
  return new Map(ofAccount.map(([name, { cron }]) => [name, cron]));
}

/** Returns the next time of a cron expression; null for an invalid one, which `calltally doctor` and `schedule` report. */
function nextSlot(expression: string, timezone: string, nowMs: number): string | null {
  return attempt(() => new Date(parseCron(expression, timezone).next(nowMs)).toISOString()) ?? null;
}
