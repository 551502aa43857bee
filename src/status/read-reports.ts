import type { Account } from "../config/accounts.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import { readDeliveries } from "../delivery/delivery-table.ts";
import { readLastReportRuns } from "../delivery/report-run-table.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { nextSlot } from "./read-next.ts";

/** The reports of an account in `calltally.yaml`: cron expressions, undefined for a report only made by hand. */
export type ScheduledReports = ReadonlyMap<string, string | undefined>;

/** Returns the reports that are scheduled or were made, with their last run and its deliveries. */
export function readReports(
  warehouse: Warehouse,
  scheduled: ScheduledReports,
  timezone: string,
  nowMs: number,
) {
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

export function reportsOf(
  file: CalltallyFile | undefined,
  { name: account = "" }: Account,
): ScheduledReports {
  const own = Object.entries(file?.content.reports ?? {}).filter(
    ([, { accounts }]) => accounts === undefined || accounts.includes(account),
  );
  return new Map(own.map(([name, { cron }]) => [name, cron]));
}
