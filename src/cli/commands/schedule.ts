import { Command, Option } from "@commander-js/extra-typings";
import { localTime, minutesOf } from "../../calendar/local-time.ts";
import type { Account } from "../../config/accounts.ts";
import { readDoorbell } from "../../config/doorbell.ts";
import { JOBS } from "../../jobs/all.ts";
import { loadAccount } from "../../schedule/daemon/account-watch.ts";
import { runDaemon } from "../../schedule/daemon.ts";
import { logUncaught, openLogOf } from "../../schedule/job-log.ts";
import { parseAddress } from "../../schedule/monitor.ts";
import { type ListedJob, listJobs } from "../../schedule/plan-jobs.ts";
import { accountsOf, configurationOf, remarksOf } from "../chosen-accounts.ts";
import type { Context } from "../context.ts";
import { action, note, overAccounts } from "../frame.ts";
import { closeFolders } from "../private-folders.ts";
import { formatTable, hang, WIDTH } from "../terminal/text.ts";

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
    .option("--allow-remote", "allow --listen on an address that other machines can reach", false)
    .addOption(new Option("--json", "print the next runs as JSON").implies({ list: true }))
    .addHelpText(
      "after",
      '\nExample:\n  $ CALLTALLY_SYNC_CRON="*/15 * * * *" calltally schedule --listen 127.0.0.1:9464',
    )
    .action(
      action(context, async ({ list, listen, allowRemote }) => {
        const address = listen === undefined ? undefined : parseAddress(listen, allowRemote);
        const accounts = accountsOf(context);
        const remarks = [...remarksOf(context), ...closeFolders(context)];
        const { reportJobs } = await import("../../jobs/report.ts");
        const { file, hostRequests } = configurationOf(context);
        const jobsOf = (account: Account) => reportJobs({ file }, account, context.folder);
        if (list) {
          for (const remark of remarks) note(context, remark);
          const nowMs = Date.now();
          return await overAccounts(context, accounts, ({ account, settings }) => {
            const listed = listJobs(settings, [...JOBS, ...jobsOf(account)], nowMs);
            return { data: listed, text: describeJobs(listed) };
          });
        }
        const doorbell = file && readDoorbell(file);
        const args = file === undefined ? [] : ["--config", file.path];
        const loaded = accounts.map((account) => ({
          ...loadAccount(account, args),
          jobs: jobsOf(account),
        }));
        const [first, ...others] = loaded;
        if (first === undefined) return {};
        const log = await openLogOf([first.settings, ...others.map(({ settings }) => settings)], context.env);
        logUncaught(log);
        for (const remark of remarks) log.warn(remark);
        for (const { name: account, problem } of loaded) {
          if (problem !== undefined) log.error({ account }, `its syncs will fail: ${problem}`);
        }
        await runDaemon(JOBS, {
          accounts: loaded,
          hostRequests,
          log,
          signal: context.signal,
          listen: address,
          doorbell,
          program: process.argv.slice(1, 2),
        });
        return {};
      }),
    );

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
