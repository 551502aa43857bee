import { createTask, type ScheduledTask, setLogger, validate } from "node-cron";
import type { Settings } from "../src/config.ts";
import { describeError, InterruptedError, UsageError } from "../src/errors.ts";
import type { Log } from "../src/log.ts";
import type { Job } from "./job.ts";

/**
 * Runs jobs on their cron expressions until the signal aborts; never one job twice at once. A job that fails is
 * logged, and runs again at its next time.
 *
 * @throws UsageError, before anything is started, for an expression that is none
 */
export async function runSchedule(
  jobs: readonly Job[],
  { settings, log, signal }: { settings: Settings; log: Log; signal: AbortSignal },
): Promise<void> {
  for (const { cron, cronSetting } of jobs) assertCron(cron(settings), cronSetting);
  // node-cron would write its own coloured lines between ours.
  setLogger({
    info: (message) => log.info(message),
    warn: (message) => log.warn(message),
    error: (message) => log.error(describeError(message)),
    debug: () => {},
  });
  const running = new Set<Promise<void>>();
  const tasks = jobs.map((job): ScheduledTask => {
    const start = async () => {
      const done = runLogged(job, { settings, log, signal });
      running.add(done);
      await done;
      running.delete(done);
    };
    return createTask(job.cron(settings), start, {
      name: job.name,
      timezone: settings.timezone,
      noOverlap: true,
    });
  });
  for (const task of tasks) {
    await task.start();
    log.info({ job: task.name, next: task.getNextRun()?.toISOString() }, "scheduled");
  }
  await aborted(signal);
  for (const task of tasks) await task.destroy();
  await Promise.all(running);
  log.info("stopped");
}

async function runLogged(
  job: Job,
  context: { settings: Settings; log: Log; signal: AbortSignal },
): Promise<void> {
  const log = context.log.child({ job: job.name });
  try {
    log.info("started");
    const exitCode = await job.run({ ...context, log });
    log.info({ exitCode }, "finished");
  } catch (error) {
    if (error instanceof InterruptedError) log.info("interrupted");
    else log.error(describeError(error));
  }
}

function assertCron(expression: string, setting: string): void {
  if (validate(expression)) return;
  throw new UsageError(`${setting}: ${expression} is not a cron expression`, {
    hint: "Five fields: minute, hour, day of the month, month, day of the week; e.g. 7 * * * *.",
  });
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  // A pending promise alone does not keep Node running.
  const handle = setInterval(() => {}, 60_000);
  await promise;
  clearInterval(handle);
}
