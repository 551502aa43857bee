import type { Account, Configuration } from "../../config/accounts.ts";
import { SETTINGS } from "../../config/settings.ts";
import { readLastDueRun } from "../../reports/delivery/report-run-table.ts";
import { runDue, runRestated } from "../../reports/due-report.ts";
import {
  isOfAccount,
  REPORT_JOB,
  RESTATED_JOB,
  type ReportOfFile,
  withSettings,
} from "../../reports/report.ts";
import type { Job } from "../../schedule/job-definition.ts";
import { readLastSuccess } from "../../warehouse/runs/job-table.ts";

/** Returns the jobs of the reports that an account has on the schedule. */
export function reportJobs(
  { file }: Pick<Configuration, "file">,
  account: Account,
  workingFolder: string,
): Job[] {
  const { reports = {} } = file?.content ?? {};
  return Object.entries(reports).flatMap(([name, content]): Job[] => {
    const { cron } = content;
    if (file === undefined || cron === undefined) return [];
    const report = { name, content, file };
    if (!isOfAccount(report, account)) return [];
    const run = { report: name, account: account.name ?? null };
    return [
      {
        name: `${REPORT_JOB}${name}`,
        cron: () => cron,
        cronSetting: file.placeOf(["reports", name, "cron"]),
        isSync: false,
        asksHost: content.fresh !== undefined || content.require !== undefined,
        waitsForFirstSlot: true,
        readLastDone: (warehouse) => readLastDueRun(warehouse, run, { status: "done" })?.finished_at ?? null,
        isUnfinished: (warehouse) => readLastDueRun(warehouse, run)?.status === "interrupted",
        run: (context) => runDue(withSettings(report, account), cron, workingFolder, context),
      },
      ...(content.on_restatement === undefined ? [] : [restatedJob(report, account, workingFolder)]),
    ];
  });
}

/** Returns the job that makes a report again after a sync, if figures in an earlier one have changed. */
function restatedJob(report: ReportOfFile, account: Account, workingFolder: string): Job {
  const { name } = report;
  const job = `${RESTATED_JOB}${name}`;
  return {
    name: job,
    // At the same moment as the sync, and after it: jobs of one warehouse take turns.
    cron: ({ syncCron }) => syncCron,
    cronSetting: SETTINGS.syncCron.env,
    isSync: false,
    waitsForFirstSlot: true,
    readLastDone: (warehouse) => readLastSuccess(warehouse, job),
    run: (context) => runRestated(withSettings(report, account), workingFolder, context),
  };
}
