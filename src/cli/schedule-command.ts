import { Command, Option } from "@commander-js/extra-typings";
import { JOBS } from "../../jobs/all.ts";
import { type Account, settingsOfAccount } from "../config/accounts.ts";
import { readDoorbell } from "../config/doorbell.ts";
import { inspectSettings } from "../config/inspect-settings.ts";
import { describeError, type ExitCode } from "../errors.ts";
import { type DaemonAccount, runDaemon } from "../schedule/daemon.ts";
import type { Job } from "../schedule/job-definition.ts";
import { parseAddress } from "../schedule/monitor.ts";
import { type PlannedJob, planJobs } from "../schedule/plan-jobs.ts";
import { openSnapshots } from "../schedule/warehouse-snapshot.ts";
import { toSyncOptions } from "../sync/sync-options.ts";
import { accountsOf, type Context, configurationOf, remarksOf } from "./context.ts";
import { logUncaught, openLogOf } from "./job-command.ts";
import { overAccounts } from "./over-accounts.ts";
import { formatTable, hang, WIDTH } from "./terminal-text.ts";

const RUNS_LISTED = 3;
/** Of a name at most, in one line. */
const JOB_PARTS = /.{1,20}/g;
/** Of an expression at most, in one line. */
const CRON_WIDTH = 16;
const MINUTE_WIDTH = "2026-11-20 16:07".length;
/** Spaces between the columns of a table. */
const GAP = 2;

export function scheduleCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("schedule")
    .description(
      "Runs sync, export and insights on their cron expressions, each in its own process, until SIGTERM or SIGINT. " +
        "A job that missed its time while the schedule was down runs once at the start.",
    )
    .option("--list", "show the next runs without starting anything")
    .option(
      "--listen <address>",
      "serve /healthz, Prometheus /metrics and the doorbell on this address, e.g. 127.0.0.1:9464",
    )
    .option("--allow-remote", "allow --listen on an address that other machines can reach", false)
    .addOption(new Option("--json", "print the next runs as JSON").implies({ list: true }))
    .addHelpText(
      "after",
      '\nExample:\n  $ CALLTALLY_SYNC_CRON="*/15 * * * *" calltally schedule --listen 127.0.0.1:9464',
    )
    .action(async ({ list, listen, allowRemote, json }) => {
      const address = listen === undefined ? undefined : parseAddress(listen, allowRemote);
      const chosen = accountsOf(context);
      const remarks = remarksOf(context);
      const { reportJobs } = await import("../../jobs/report.ts");
      const { file, hostRequests } = configurationOf(context);
      const jobsOf = (account: Account) => reportJobs({ file }, account, context.folder);
      if (list) {
        for (const remark of remarks) context.note(remark);
        const nowMs = Date.now();
        const listed: ListedJob[] = [];
        await overAccounts(chosen, { context, exit }, ({ account }) => {
          listed.push(...listAccount(account, [...JOBS, ...jobsOf(account)], nowMs));
        });
        if (json) context.print(JSON.stringify(listed));
        else if (listed.length > 0) context.print(describeList(listed));
        return;
      }
      const doorbell = file && readDoorbell(file);
      const args = file === undefined ? [] : ["--config", file.path];
      const loaded = chosen.map((account) => ({
        ...loadAccount(account, args),
        jobs: jobsOf(account),
      }));
      const [first, ...others] = loaded;
      if (first === undefined) return;
      const log = await openLogOf(context, first.settings, ...others.map(({ settings }) => settings));
      logUncaught(log);
      for (const remark of remarks) log.warn(remark);
      for (const { name: account, problem } of loaded) {
        if (problem !== undefined) log.error({ account }, `its syncs will fail: ${problem}`);
      }
      await runDaemon(JOBS, {
        settings: first.settings,
        accounts: loaded,
        hostRequests,
        log,
        signal: context.signal,
        listen: address,
        doorbell,
        program: process.argv.slice(1, 2),
      });
    });
}

/**
 * Loads what the schedule needs of an account. What every sync would stumble over is said before the first; of several
 * accounts it stops none, and may be mended while the schedule runs.
 */
function loadAccount(account: Account, args: readonly string[]): DaemonAccount & { problem?: string } {
  const { name } = account;
  const named = name === undefined ? { name, args } : { name, args: [...args, "--account", name] };
  try {
    const settings = settingsOfAccount(account);
    toSyncOptions(settings);
    return { ...named, settings };
  } catch (error) {
    if (name === undefined) throw error;
    return { ...named, settings: inspectSettings(account.sources).settings, problem: describeError(error) };
  }
}

function listAccount(account: Account, jobs: readonly Job[], nowMs: number): ListedJob[] {
  const settings = settingsOfAccount(account);
  const snapshot = openSnapshots(jobs, settings)();
  return planJobs(jobs, settings, snapshot, nowMs).map((planned) => ({
    ...(account.name !== undefined && { account: account.name }),
    ...listJob(planned, nowMs),
  }));
}

/** A job as `--list` shows it; times ISO 8601 UTC. */
interface ListedJob {
  /** Missing for the one of the environment. */
  account?: string;
  job: string;
  cron: string;
  timezone: string;
  /** Null for never. */
  last_done: string | null;
  /** Whether it has missed a slot, so that the schedule would start with it. */
  is_behind: boolean;
  /** None where the job is left out. */
  next: string[];
  /** Why it is left out, if it is. */
  idle: string | null;
}

function listJob({ name, cron, lastDoneMs, isBehind, idle }: PlannedJob, nowMs: number): ListedJob {
  const next: string[] = [];
  for (let slotMs = nowMs; idle === undefined && next.length < RUNS_LISTED; ) {
    slotMs = cron.next(slotMs);
    next.push(new Date(slotMs).toISOString());
  }
  return {
    job: name,
    cron: cron.expression,
    timezone: cron.timezone,
    last_done: lastDoneMs === undefined ? null : new Date(lastDoneMs).toISOString(),
    is_behind: isBehind,
    next,
    idle: idle ?? null,
  };
}

/** Returns a table of 80 columns for each account, below its name. */
function describeList(jobs: readonly ListedJob[]): string {
  const byAccount = Map.groupBy(jobs, ({ account }) => account);
  return [...byAccount]
    .map(([account, own]) => (account === undefined ? describeJobs(own) : `${account}\n${describeJobs(own)}`))
    .join("\n\n");
}

/** What is long is broken into lines; of the next runs there are as many as have room, and two at least. */
function describeJobs(jobs: readonly ListedJob[]): string {
  const [{ timezone = "UTC" } = {}] = jobs;
  const minuteOf = (iso: string) => formatLocal(iso, timezone).slice(0, MINUTE_WIDTH);
  const cells = jobs.map(({ job, cron, last_done, is_behind, next, idle }) => {
    const runs = next.map((at) => formatLocal(at, timezone).replace(/:00$/, ""));
    return {
      job: (job.match(JOB_PARTS) ?? []).join("\n"),
      cron: hang("", cron, 0, CRON_WIDTH).join("\n"),
      last: last_done === null ? "never" : minuteOf(last_done),
      next: idle === null ? [...(is_behind ? ["at once"] : []), ...runs] : [`none: ${idle}`],
    };
  });
  const widthOf = (column: "job" | "cron" | "last", head: string) =>
    Math.max(head.length, ...cells.flatMap((cell) => cell[column].split("\n").map(({ length }) => length)));
  const room =
    WIDTH - widthOf("job", "job") - widthOf("cron", "cron") - widthOf("last", "last done") - 3 * GAP;
  const rows = cells.map(({ job, cron, last, next }) => [job, cron, last, inRoom(next, room)]);
  return formatTable(["job", "cron", "last done", `next, ${timezone}`], rows, "left");
}

function inRoom(runs: readonly string[], room: number): string {
  for (let count = runs.length; count > 1; count--) {
    const line = runs.slice(0, count).join(", ");
    if (line.length <= room) return line;
  }
  return runs.length > 1 ? runs.slice(0, 2).join(",\n") : hang("", runs.join(), 0, room).join("\n");
}

/** 2026-11-20T15:07:00.000Z in Europe/Berlin → 2026-11-20 16:07:00 */
function formatLocal(iso: string, timezone: string): string {
  const format = new Intl.DateTimeFormat("sv-SE", {
    timeZone: timezone,
    dateStyle: "short",
    timeStyle: "medium",
  });
  return format.format(Date.parse(iso));
}
