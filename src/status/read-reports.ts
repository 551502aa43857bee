import type { Account } from "../config/accounts.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import { readDeliveries } from "../delivery/delivery-table.ts";
import { readLastReportRuns } from "../delivery/report-run-table.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { nextSlot } from "./read-next.ts";

/** A report that `calltally.yaml` has for the account. */
export interface ScheduledReport {
  name: string;
  /** Undefined for one that is only made by hand. */
  cron: string | undefined;
}

/** Returns the reports that are scheduled or were made, with their last run and its deliveries. */
export function readReports(
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
