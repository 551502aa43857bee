import { describeError, EXIT, type ExitCode, InterruptedError } from "../base/errors.ts";
import { toCalltallyError } from "../base/known-error.ts";
import { maskOf } from "../base/log.ts";
import { nameDamage } from "../warehouse/file/sqlite-errors.ts";
import { openHeartbeat } from "./heartbeat.ts";
import type { Job, JobContext } from "./job-definition.ts";
import { type JobJournal, openJournal } from "./job-journal.ts";
import { secretsOf } from "./job-log.ts";
import { isFailing, isTolerated, judgeExit, levelOf } from "./job-outcome.ts";

const MAX_ERROR_LENGTH = 500;

export async function runJob(job: Job, jobs: readonly Job[], context: JobContext): Promise<ExitCode> {
  const { settings, log, signal } = context;
  const heartbeat = openHeartbeat({ url: settings.heartbeatUrl, log, signal });
  const journal = openJournal(settings.database, log);
  const startedAt = new Date().toISOString();
  if (job.isSync) heartbeat.start();
  else journal.start(job.name, startedAt);

  const { exitCode, error } = await runLogged(job, context);
  const result = judgeExit(exitCode);
  const finishedAt = new Date().toISOString();
  // Like a line of the log, without secrets and phone numbers.
  const text = error && maskOf(secretsOf(settings))(describeError(error)).slice(0, MAX_ERROR_LENGTH);
  journal.end({ job: job.name, startedAt, finishedAt, exitCode, result, error: text ?? null });
  if (result === "neither") return exitCode;
  const isWell = exitCode === EXIT.done || isToleratedEnd(job, journal, context);
  if (job.isSync) await heartbeat.end(isWell && !areOthersFailing(job, jobs, journal, context));
  else if (result === "failure" && !isWell) await heartbeat.end(false);
  return exitCode;
}

function isToleratedEnd({ name }: Job, journal: JobJournal, { settings, log }: JobContext): boolean {
  const record = journal.read().find(({ job }) => job === name);
  const limit = settings.heartbeatFailures;
  if (record === undefined || !isTolerated(record, limit)) return false;
  log.warn({ failed_runs: record.failed_runs, limit }, "not reporting this failure to the monitor yet");
  return true;
}

/** The monitor stays alarmed until the failed job has succeeded, however well the syncs go. */
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
    .filter((record) => !isTolerated(record, settings.heartbeatFailures))
    .map(({ job }) => job);
  if (failing.length > 0) log.warn({ failing }, "reporting a failure to the monitor: another job is failing");
  return failing.length > 0;
}

async function runLogged(job: Job, context: JobContext) {
  try {
    return { exitCode: await job.run(context) };
  } catch (thrown) {
    const error = toCalltallyError(nameDamage(thrown, context.settings.database));
    const { exitCode, hint } = error;
    if (error instanceof InterruptedError) context.log.info(error.message);
    else context.log[levelOf(exitCode)]({ exitCode, hint }, describeError(error));
    return { exitCode, error };
  }
}
