import { Command, Option } from "@commander-js/extra-typings";
import { localTime, minutesOf } from "../../base/calendar/local-time.ts";
import { describeError } from "../../base/errors.ts";
import { formatTable, hang, WIDTH } from "../../base/text/terminal-text.ts";
import type { Account } from "../../config/accounts.ts";
import { readDoorbell } from "../../config/doorbell.ts";
import { JOBS } from "../../operate/jobs/all.ts";
import { type DaemonAccount, loadAccount } from "../../schedule/daemon/account-watch.ts";
import { runDaemon } from "../../schedule/daemon.ts";
import { logUncaught, openLogOf } from "../../schedule/job-log.ts";
import { type Address, parseAddress } from "../../schedule/monitor.ts";
import { type ListedJob, listJobs, planJobs } from "../../schedule/plan-jobs.ts";
import { readTextOf, watchFile } from "../../schedule/watch-file.ts";
import { beginWarehouse } from "../../warehouse/file/begin.ts";
import { accountsOf, configurationOf, loadConfiguration, remarksOf } from "../chosen-accounts.ts";
import { CONFIG_TEXT, type Context, OPTION } from "../context.ts";
import { action, note, overAccounts, type Result } from "../frame.ts";
import { closeFolders } from "../private-folders.ts";

export const command = (context: Context) =>
  new Command("schedule")
    .description(
      "Runs sync, export and insights on their cron expressions, each in its own process, until SIGTERM or SIGINT. " +
        "A job that missed its time while the schedule was down runs once at the start.",
    )
    .option("--list", "show the next runs without starting anything")
    .option(
      "--listen <address>",
      "serve /healthz, Prometheus /metrics and the doorbell on this address, e.g. 127.0.0.1:9464",
    )
    .option(...OPTION.begin)
    .option("--allow-remote", "allow --listen on an address that other machines can reach", false)
    .addOption(new Option("--json", "print the next runs as JSON").implies({ list: true }))
    .addHelpText(
      "after",
      '\nExample:\n  $ CALLTALLY_SYNC_CRON="*/15 * * * *" calltally schedule --listen 127.0.0.1:9464',
    )
    .action(
      action(context, async ({ list, listen, begin, allowRemote }) => {
        const address = listen === undefined ? undefined : parseAddress(listen, allowRemote);
        const remarks = [...remarksOf(context), ...closeFolders(context)];
        if (list) {
          for (const remark of remarks) note(context, remark);
          return await listAll(context);
        }
        await runSchedule(context, remarks, { listen: address, begin });
        return {};
      }),
    );

async function listAll(context: Context): Promise<Result> {
  const jobsOf = await reportJobsOf(context);
  const nowMs = Date.now();
  return await overAccounts(context, accountsOf(context), ({ account, settings }) => {
    const listed = listJobs(settings, [...JOBS, ...jobsOf(account)], nowMs);
    return { data: listed, text: describeJobs(listed) };
  });
}

async function reportJobsOf(context: Context) {
  const { reportJobs } = await import("../../operate/jobs/report.ts");
  const { file } = configurationOf(context);
  return (account: Account) => reportJobs({ file }, account, context.folder);
}

/** Longer values are refused by Linux; then jobs read the file. */
const LONGEST_ENV = 120_000;

/**
 * @param text of calltally.yaml, which its jobs use
 * @throws UsageError for an unusable setting or cron expression
 */
async function planSchedule(context: Context, text: string | undefined) {
  const { file, hostRequests } = configurationOf(context);
  const jobsOf = await reportJobsOf(context);
  const args = file === undefined ? [] : ["--config", file.path];
  const accounts = accountsOf(context).map((account) => ({
    ...loadAccount(account, args),
    jobs: jobsOf(account),
    ...(text !== undefined && Buffer.byteLength(text) < LONGEST_ENV && { env: { [CONFIG_TEXT]: text } }),
  }));
  for (const { settings, jobs } of accounts) planJobs([...JOBS, ...jobs], settings, undefined, Date.now());
  return { accounts, hostRequests, doorbell: file && readDoorbell(file) };
}

type SchedulePlan = Awaited<ReturnType<typeof planSchedule>>;

/** Runs the schedule; an edited file that checks replaces the one in use once running jobs have ended. */
async function runSchedule(
  context: Context,
  remarks: readonly string[],
  { listen, begin = false }: { listen: Address | undefined; begin?: boolean | undefined },
) {
  const { signal } = context;
  const { file } = configurationOf(context);
  // If the file is removed later, that is an error, and no schedule without a file.
  context.options = { ...context.options, config: file?.path };
  // Before the file is read: an edit in between is noticed.
  const text = file && readTextOf(file.path);
  if (file !== undefined) await loadConfiguration(context);
  const first = await planSchedule(context, text);
  let log = await openLogFor(context, first.accounts);
  logUncaught(log);
  for (const remark of remarks) log.warn(remark);
  const edited: { plan?: SchedulePlan; problem?: string; isReplaced: AbortController } = {
    plan: first,
    isReplaced: new AbortController(),
  };
  const read = async (text: string) => {
    try {
      await loadConfiguration(context);
      edited.plan = await planSchedule(context, text);
      delete edited.problem;
      log.info(`${file?.name} has changed: it is used once running jobs have ended`);
      edited.isReplaced.abort();
    } catch (error) {
      edited.problem = `${file?.name} has changed, and is not used: ${describeError(error)}`;
      log.error(edited.problem);
    }
  };
  const begun = new Set<string>();
  const ended = new AbortController();
  const untilEnd = { signal: AbortSignal.any([signal, ended.signal]) };
  const watching = file && text !== undefined && watchFile(file.path, text, untilEnd, read);
  try {
    for (let { plan } = edited; plan !== undefined && !signal.aborted; { plan } = edited) {
      delete edited.plan;
      edited.isReplaced = new AbortController();
      const { accounts, ...rest } = plan;
      log = await openLogFor(context, accounts);
      for (const { name: account, problem, settings } of accounts) {
        if (problem !== undefined) log.error({ account }, `its syncs will fail: ${problem}`);
        // Only once: a warehouse that vanishes later is lost.
        if (begin && !begun.has(settings.database)) beginWarehouse(settings.database);
        begun.add(settings.database);
      }
      const program = process.argv.slice(1, 2);
      const options = { accounts, ...rest, log, signal, listen, program };
      await runDaemon(JOBS, {
        ...options,
        replaced: edited.isReplaced.signal,
        fileProblem: () => edited.problem,
      });
    }
  } finally {
    ended.abort();
    await watching;
  }
}

function openLogFor({ env }: Context, accounts: readonly DaemonAccount[]) {
  const [first, ...others] = accounts.map(({ settings }) => settings);
  if (first === undefined) throw new Error("There is no account to schedule");
  return openLogOf([first, ...others], env);
}

/** At most this much of a name per line. */
const JOB_PARTS = /.{1,20}/g;
/** At most this much of an expression per line. */
const CRON_WIDTH = 16;
const GAP = 2;

/** Returns jobs as a table of 80 columns. Long texts wrap; shows as many next runs as fit, at least two. */
function describeJobs(jobs: readonly ListedJob[]): string {
  const [{ timezone = "UTC" } = {}] = jobs;
  const [minuteOf, toLocal] = [minutesOf(timezone), localTime(timezone)];
  const cells = jobs.map(({ job, cron, last_done, is_behind, next, idle }) => {
    const runs = next.map((at) => toLocal(at).local.replace(/:00$/, ""));
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
