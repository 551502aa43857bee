import { randomUUID } from "node:crypto";
import { Argument, Command, Option } from "@commander-js/extra-typings";
import { JOBS } from "../../jobs/all.ts";
import { ApiError } from "../api/api-errors.ts";
import type { Settings } from "../config/load-settings.ts";
import { type CalltallyError, describeError, EXIT, type ExitCode, InterruptedError } from "../errors.ts";
import { type Log, openLog } from "../log.ts";
import { openHeartbeat } from "../schedule/heartbeat.ts";
import type { Job, JobContext } from "../schedule/job-definition.ts";
import { isReported, levelOf } from "../schedule/job-outcome.ts";
import { type Context, remarksOf, settingsOf } from "./context.ts";
import { toCalltallyError } from "./known-error.ts";
import { oneOf } from "./suggest.ts";

const NAMES = JOBS.map((job) => job.name);

export function jobCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("job")
    .description("Runs one job of the schedule once, and logs instead of printing a summary.")
    .addArgument(new Argument("<name>", "the job").choices(NAMES).argParser(oneOf(NAMES)))
    .addOption(new Option("--run <id>", "id for log lines, passed by schedule").hideHelp())
    .addHelpText("after", "\nExample:\n  $ calltally job sync")
    .action(async (name, { run: runOfSchedule }) => {
      if (runOfSchedule !== undefined) endWithParent();
      const run = runOfSchedule ?? randomUUID().slice(0, 8);
      const settings = settingsOf(context);
      const log = (await openLogOf(context, settings)).child({ job: name, run });
      logUncaught(log);
      // Those of its children are the schedule's, which has said so once.
      if (runOfSchedule === undefined) for (const remark of remarksOf(context)) log.warn(remark);
      for (const job of JOBS.filter((known) => known.name === name)) {
        exit(await runTold(job, { settings, log, signal: context.signal }));
      }
    });
}

/** Opens the log as the settings have it: for a person on a terminal (https://no-color.org), for a machine elsewhere. */
export function openLogOf({ env }: Context, { logLevel, token, heartbeatUrl }: Settings): Promise<Log> {
  return openLog({
    level: logLevel,
    style: !process.stderr.isTTY ? "json" : env.NO_COLOR ? "plain" : "colored",
    secrets: [token, heartbeatUrl?.href, heartbeatUrl?.pathname],
  });
}

/** Stops when the schedule that started this process has died: nobody else would see to its deadline. */
function endWithParent(): void {
  process.stdin.once("end", () => process.kill(process.pid, "SIGTERM")).resume();
  process.stdin.unref();
}

/** Makes an error that nobody caught, which ends the process, a line of the log, too. */
export function logUncaught(log: Log): void {
  process.once("uncaughtException", (error) => {
    log.fatal({ exitCode: EXIT.failed }, `This should not have happened: ${describeError(error)}`);
    process.exit(EXIT.failed);
  });
}

/** Runs a job, and tells the monitor of it where it wants to know. */
async function runTold(job: Job, context: JobContext): Promise<ExitCode> {
  const { settings, log } = context;
  const heartbeat = openHeartbeat({
    url: job.hasHeartbeat ? settings.heartbeatUrl : undefined,
    log,
    signal: context.signal,
  });
  heartbeat.start();
  const exitCode = await runLogged(job, context);
  if (isReported(exitCode)) await heartbeat.end(exitCode === EXIT.done);
  return exitCode;
}

/** Runs a job; what it throws becomes a line of the log and an exit code. */
async function runLogged(job: Job, context: JobContext): Promise<ExitCode> {
  try {
    return await job.run(context);
  } catch (error) {
    const known = toCalltallyError(error);
    const { exitCode, hint } = known;
    if (known instanceof InterruptedError) context.log.info(known.message);
    else context.log[levelOf(exitCode)]({ exitCode, hint }, withoutQuote(known));
    return exitCode;
  }
}

/** The error in our own words alone: the service's may hold anything. */
function withoutQuote(error: CalltallyError): string {
  const message = describeError(error);
  return error instanceof ApiError && error.said ? message.replace(`: ${error.said}`, "") : message;
}
