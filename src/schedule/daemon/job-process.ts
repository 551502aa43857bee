import { randomUUID } from "node:crypto";
import { type Clock, isFuture } from "../../base/clock.ts";
import { EXIT } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { JobEnd } from "../../warehouse/runs/job-table.ts";
import { type Outcome, runChild } from "../child-process.ts";
import { openHeartbeat } from "../heartbeat.ts";
import { openJournal } from "../job-journal.ts";
import { describeOutcome, isSilent, judgeExit, nameExit, toExitCode } from "../job-outcome.ts";
import { type JobStatistics, noteEnd } from "../job-state.ts";
import type { AccountWatch } from "./account-watch.ts";

/** Time after SIGTERM at the deadline. */
const GRACE_MS = 5000;
/** Time when the schedule is stopped, which then ends within five seconds. */
const STOP_MS = 4000;

interface ProcessOptions {
  program: readonly string[];
  signal: AbortSignal;
  log: Log;
  clock: Clock;
}

/** Runs a job in its own process, and records its end if the job itself cannot have done so. */
export async function runJobProcess(
  seen: JobStatistics,
  { account, deadlineMs }: AccountWatch,
  { program, signal, clock, ...options }: ProcessOptions,
): Promise<Outcome> {
  const { name, settings, args, env } = account;
  const { job } = seen;
  const run = newRunId();
  const log = options.log.child({ ...(name !== undefined && { account: name }), job, run });
  log.info("started");
  const startedAt = new Date(clock.now()).toISOString();
  seen.isRunning = true;
  const command = [...program, "job", job, "--run", run, ...args];
  const outcome = await runChild(command, {
    env: { ...process.env, ...env },
    deadlineMs,
    graceMs: GRACE_MS,
    signal,
    stopMs: STOP_MS,
    // It logs where this process does; its standard input closes when this process dies.
    stdio: ["pipe", "ignore", "inherit"],
  });
  const { level, message } = describeOutcome(outcome, signal.aborted);
  const { exitCode, signal: killedBy } = outcome;
  const finishedAt = new Date(clock.now()).toISOString();
  const end: JobEnd = { job, startedAt, finishedAt, ...judgeEnd(outcome, signal.aborted) };
  noteEnd(seen, nameExit(outcome), end);
  log[level]({ exitCode, ...(killedBy && { killedBy }), seconds: (seen.lastMs ?? 0) / 1000 }, message);
  if (!isSilent(outcome) || signal.aborted) return outcome;
  const journal = openJournal(settings.database, log);
  const record = journal.read().find((known) => known.job === job);
  // What the job itself recorded has more details.
  const recordedAt = record?.finished_at ?? "";
  const isRecorded = recordedAt >= end.startedAt && !isFuture(recordedAt, clock.now());
  if (outcome.isLate || !isRecorded) journal.end(end);
  await openHeartbeat({ url: settings.heartbeatUrl, log, signal }).end(false);
  return outcome;
}

function judgeEnd(outcome: Outcome, isStopping: boolean) {
  const exitCode = toExitCode(outcome);
  const isLate = outcome.isLate && exitCode !== EXIT.done;
  const result = isStopping ? "neither" : isLate ? "failure" : judgeExit(exitCode);
  const error = result === "failure" ? describeOutcome(outcome, isStopping).message : null;
  return { exitCode, result, error };
}

export function newRunId(): string {
  return randomUUID().slice(0, 8);
}
