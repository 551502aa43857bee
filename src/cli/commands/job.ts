import { randomUUID } from "node:crypto";
import { Argument, Command, Option } from "@commander-js/extra-typings";
import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import type { Account } from "../../config/accounts.ts";
import { JOBS } from "../../operate/jobs/all.ts";
import { REPORT_JOB, RESTATED_JOB } from "../../reports/report.ts";
import type { Job } from "../../schedule/job-definition.ts";
import { logUncaught, openLogOf } from "../../schedule/job-log.ts";
import { runJob } from "../../schedule/run-job.ts";
import { hostLimits } from "../../service/api/host-limits.ts";
import { beginWarehouse } from "../../warehouse/file/begin.ts";
import { accountsOf, configurationOf, remarksOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action, overAccounts, SYNCS_AT_ONCE } from "../frame.ts";
import { closeFolders } from "../private-folders.ts";

export const command = (context: Context) =>
  new Command("job")
    .description("Runs one job of the schedule once, and logs instead of printing a summary.")
    .addArgument(
      new Argument(
        "<name>",
        `the job: ${JOBS.map((job) => job.name).join(", ")}, or ${REPORT_JOB}<name> or ${RESTATED_JOB}<name>, a report of calltally.yaml`,
      ),
    )
    .option(...OPTION.begin)
    .addOption(new Option("--run <id>", "id for log lines, passed by schedule").hideHelp())
    .addHelpText("after", "\nExample:\n  $ calltally job sync")
    .action(
      action(context, async (name, { begin, run: runOfSchedule }) => {
        if (runOfSchedule !== undefined) endWithParent();
        const run = runOfSchedule ?? randomUUID().slice(0, 8);
        // The schedule has logged those of its children.
        const remarks = runOfSchedule === undefined ? [...remarksOf(context), ...closeFolders(context)] : [];
        const accounts = accountsOf(context);
        const { env, folder, signal } = context;
        const configuration = configurationOf(context);
        const limitOf = hostLimits(configuration.hostRequests);
        const { reportJobs } = await import("../../operate/jobs/report.ts");
        const jobsOf = (account: Account) => [...JOBS, ...reportJobs(configuration, account, folder)];
        assertJob(name, accounts.flatMap(jobsOf));
        return await overAccounts(
          context,
          accounts,
          async (scope) => {
            const { account } = scope;
            const jobs = jobsOf(account);
            const job = jobs.find((known) => known.name === name);
            if (job === undefined) return {}; // a report of other accounts
            const { settings } = scope;
            const ids = { ...(account.name !== undefined && { account: account.name }), job: name, run };
            const log = (await openLogOf([settings], env)).child(ids);
            if (accounts.length === 1) logUncaught(log);
            for (const remark of remarks.splice(0)) log.warn(remark);
            if (begin) beginWarehouse(settings.database);
            const exit = await runJob(job, jobs, { account: account.name, settings, log, signal, limitOf });
            return { exit };
          },
          { atOnce: SYNCS_AT_ONCE },
        );
      }),
    );

function assertJob(name: string, jobs: readonly Job[]): void {
  const names = [...new Set(jobs.map((job) => job.name))];
  if (names.includes(name)) return;
  throw new UsageError(`There is no job ${name}; jobs are ${names.join(", ")}`, {
    hint: didYouMean(name, names) ?? "Name one of them; reports are made by `calltally run`.",
  });
}

/** Stops when the schedule that started this process has died, because nobody else enforces its deadline. */
function endWithParent(): void {
  process.stdin.once("end", () => process.kill(process.pid, "SIGTERM")).resume();
  process.stdin.unref();
}
