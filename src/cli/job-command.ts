import { randomUUID } from "node:crypto";
import { Argument, Command, Option } from "@commander-js/extra-typings";
import { JOBS } from "../../jobs/all.ts";
import { hostLimits } from "../api/host-limits.ts";
import { type Account, settingsOfAccount } from "../config/accounts.ts";
import type { Settings } from "../config/load-settings.ts";
import {
  type CalltallyError,
  describeError,
  EXIT,
  type ExitCode,
  InterruptedError,
  UsageError,
} from "../errors.ts";
import { toCalltallyError } from "../known-error.ts";
import { type Log, maskOf, openLog } from "../log.ts";
import { didYouMean } from "../nearest.ts";
import { REPORT_JOB, RESTATED_JOB } from "../reports/names.ts";
import { openHeartbeat } from "../schedule/heartbeat.ts";
import type { Job, JobContext } from "../schedule/job-definition.ts";
import { type JobJournal, openJournal } from "../schedule/job-journal.ts";
import { isFailing, judgeExit, levelOf } from "../schedule/job-outcome.ts";
import { isDamage } from "../warehouse/sqlite-errors.ts";
import { accountsOf, type Context, configurationOf, remarksOf } from "./context.ts";
import { overAccounts, SYNCS_AT_ONCE } from "./over-accounts.ts";

export function jobCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("job")
    .description("Runs one job of the schedule once, and logs instead of printing a summary.")
    .addArgument(
      new Argument(
        "<name>",
        `the job: ${JOBS.map((job) => job.name).join(", ")}, or ${REPORT_JOB}<name> or ${RESTATED_JOB}<name>, a report of calltally.yaml`,
      ),
    )
    .addOption(new Option("--run <id>", "id for log lines, passed by schedule").hideHelp())
    .addHelpText("after", "\nExample:\n  $ calltally job sync")
    .action(async (name, { run: runOfSchedule }) => {
      if (runOfSchedule !== undefined) endWithParent();
      const run = runOfSchedule ?? randomUUID().slice(0, 8);
      // Those of its children are the schedule's, which has said so once.
      const remarks = runOfSchedule === undefined ? remarksOf(context) : [];
      const accounts = accountsOf(context);
      const limitOf = hostLimits(configurationOf(context).hostRequests);
      const { reportJobs } = await import("../../jobs/report.ts");
      const jobsOf = (account: Account) => [
        ...JOBS,
        ...reportJobs(configurationOf(context), account, context.folder),
      ];
      assertJob(name, accounts.flatMap(jobsOf));
      await overAccounts(
        accounts,
        { context, exit },
        async ({ account, context: own, exit: end }) => {
          const jobs = jobsOf(account);
          const job = jobs.find((known) => known.name === name);
          if (job === undefined) return; // a report of other accounts
          const settings = settingsOfAccount(account);
          const ids = { ...(account.name !== undefined && { account: account.name }), job: name, run };
          const log = (await openLogOf(own, settings)).child(ids);
          if (accounts.length === 1) logUncaught(log);
          for (const remark of remarks.splice(0)) log.warn(remark);
          end(
            await runTold(job, jobs, {
              account: account.name,
              settings,
              log,
              signal: context.signal,
              limitOf,
            }),
          );
        },
        { atOnce: SYNCS_AT_ONCE },
      );
    });
}

function assertJob(name: string, jobs: readonly Job[]): void {
  const names = [...new Set(jobs.map((job) => job.name))];
  if (names.includes(name)) return;
  throw new UsageError(`There is no job ${name}: there are ${names.join(", ")}`, {
    hint: didYouMean(name, names),
  });
}

/** Opens the log as the settings have it: for a person on a terminal (https://no-color.org), for a machine elsewhere. */
export function openLogOf({ env }: Context, ...accounts: [Settings, ...Settings[]]): Promise<Log> {
  return openLog({
    level: accounts[0].logLevel,
    style: !process.stderr.isTTY ? "json" : env.NO_COLOR ? "plain" : "colored",
    secrets: accounts.flatMap(secretsOf),
  });
}

function secretsOf({ token, heartbeatUrl }: Settings): (string | undefined)[] {
  return [token, heartbeatUrl?.href, heartbeatUrl?.pathname];
}

/** Stops when the schedule that started this process has died: nobody else would see to its deadline. */
function endWithParent(): void {
  process.stdin.once("end", () => process.kill(process.pid, "SIGTERM")).resume();
  process.stdin.unref();
}

/** Makes an error that nobody caught, which ends the process, a line of the log, too. */
export function logUncaught(log: Log): void {
  process.once("uncaughtException", (error) => {
    const known = toCalltallyError(error);
    log.fatal({ exitCode: known.exitCode }, describeError(known));
    process.exit(known.exitCode);
  });
}

/** Runs a job, and tells of it where somebody wants to know: in the warehouse, and the monitor. */
async function runTold(job: Job, jobs: readonly Job[], context: JobContext): Promise<ExitCode> {
  const { settings, log, signal } = context;
  const heartbeat = openHeartbeat({ url: settings.heartbeatUrl, log, signal });
  const journal = openJournal(settings.database, log);
  const startedAt = new Date().toISOString();
  if (job.isSync) heartbeat.start();
  else journal.start(job.name, startedAt);

  const { exitCode, error } = await runLogged(job, context);
  const result = judgeExit(exitCode);
  if (!isDamage(error)) {
    const finishedAt = new Date().toISOString();
    const told = error === undefined ? null : textOf(error, settings);
    journal.end({ job: job.name, startedAt, finishedAt, exitCode, result, error: told });
  }
  if (job.isSync && result !== "neither") {
    await heartbeat.end(exitCode === EXIT.done && !areOthersFailing(job, jobs, journal, context));
  } else if (result === "failure") await heartbeat.end(false);
  return exitCode;
}

/** The monitor is to stay alarmed until the job that failed has succeeded, however well the syncs go meanwhile. */
function areOthersFailing(
  { name }: Job,
  jobs: readonly Job[],
  journal: JobJournal,
  { settings, log }: JobContext,
): boolean {
  const limits = { nowMs: Date.now(), deadlineMs: settings.jobMinutes * 60_000 };
  const others = jobs.filter((job) => job.name !== name && job.idle?.(settings) === undefined);
  const failing = journal
    .read()
    .filter((record) => others.some((job) => job.name === record.job) && isFailing(record, limits))
    .map(({ job }) => job);
  if (failing.length > 0) log.warn({ failing }, "the monitor is told of a failure: another job is failing");
  return failing.length > 0;
}

/** Runs a job; what it throws becomes a line of the log and an exit code. */
async function runLogged(
  job: Job,
  context: JobContext,
): Promise<{ exitCode: ExitCode; error?: CalltallyError }> {
  try {
    return { exitCode: await job.run(context) };
  } catch (thrown) {
    const error = toCalltallyError(thrown);
    const { exitCode, hint } = error;
    if (error instanceof InterruptedError) context.log.info(error.message);
    else context.log[levelOf(exitCode)]({ exitCode, hint }, describeError(error));
    return { exitCode, error };
  }
}

/** Longer ones say no more. */
const MAX_ERROR_LENGTH = 500;

/** The error as it may be kept: like a line of the log, without secrets and phone numbers. */
function textOf(error: CalltallyError, settings: Settings): string {
  return maskOf(secretsOf(settings))(describeError(error)).slice(0, MAX_ERROR_LENGTH);
}
