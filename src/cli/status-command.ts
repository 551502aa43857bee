import { Command, InvalidArgumentError } from "@commander-js/extra-typings";
import { type Age, parseAge } from "../calendar/age-text.ts";
import { ageOf, isFuture } from "../clock.ts";
import { type Account, settingsOfAccount } from "../config/accounts.ts";
import { describeError, EXIT, type ExitCode, worstCode } from "../errors.ts";
import { toCalltallyError } from "../known-error.ts";
import { accountsOf, type Context, configurationOf, OPTION, settingsOf } from "./context.ts";
import { overAccounts } from "./over-accounts.ts";
import { noteOtherRules } from "./rules-note.ts";
import { type AccountStatus, describeAccounts } from "./status/account-table.ts";
import { findProblems } from "./status/find-problems.ts";
import { readStatus, type ScheduledReport, type Status } from "./status/read-status.ts";
import { describeHistory, describeStatus } from "./status/status-screen.ts";
import { parser } from "./suggest.ts";

const RUNS_SHOWN = 5;

export function statusCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("status")
    .description(
      "Shows on one screen whether syncs work, how fresh and how complete the copy is, what was rejected, what " +
        "differs from the documented API, and what runs next. It ends with exit code 3 if something fails.",
    )
    .option(
      "--max-age <age>",
      "exit with code 3 if the last good run is older than this, e.g. 30m, 2h or 1d",
      parser(parseAge),
    )
    .option("--runs <count>", "number of runs to show", parseRuns)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExample:\n  $ calltally status --max-age 2h > /dev/null || echo calltally is late",
    )
    .action(async ({ json, maxAge, runs, ...flags }) => {
      const nowMs = Date.now();
      const accounts = accountsOf(context, flags);
      if (accounts.length > 1 && runs === undefined && !json) {
        return showAccounts(accounts, { context, exit, maxAge, nowMs });
      }
      await overAccounts(
        accounts,
        { context, exit },
        ({ account, context: own, exit: end }) => {
          const settings = settingsOf(own, flags);
          const reports = reportsOf(own, account);
          const status = readStatus(settings, { runs: runs ?? RUNS_SHOWN, nowMs, reports });
          if (json) own.print(JSON.stringify(status));
          else own.print(runs === undefined ? describeStatus(status, nowMs) : describeHistory(status.runs));
          noteOtherRules(own, settings);
          const late = maxAge && describeAge(status, maxAge, nowMs);
          const failures = [...(late === undefined ? [] : [late]), ...findProblems(status).failures];
          // The screen cuts them to its width.
          for (const failure of failures)
            own.complain(accounts.length > 1 ? failure : `calltally: ${failure}`);
          if (failures.length > 0) end(EXIT.unverified);
        },
        { json },
      );
    });
}

interface TableOptions {
  context: Context;
  exit: (code: ExitCode) => void;
  maxAge: Age | undefined;
  nowMs: number;
}

function reportsOf(context: Context, { name: account = "" }: Account): ScheduledReport[] {
  const { reports = {} } = configurationOf(context).file?.content ?? {};
  return Object.entries(reports)
    .filter(([, { accounts }]) => accounts === undefined || accounts.includes(account))
    .map(([name, { cron }]) => ({ name, cron }));
}

/** Shows several accounts, a line each. */
function showAccounts(accounts: readonly Account[], { context, exit, maxAge, nowMs }: TableOptions): void {
  const codes = new Set<ExitCode>();
  const rows = accounts.map((account): AccountStatus => {
    const { name = "" } = account;
    try {
      const status = readStatus(settingsOfAccount(account), {
        runs: 1,
        nowMs,
        reports: reportsOf(context, account),
      });
      const late = maxAge && describeAge(status, maxAge, nowMs);
      if (late !== undefined || findProblems(status).failures.length > 0) codes.add(EXIT.unverified);
      return { name, status, late };
    } catch (thrown) {
      const error = toCalltallyError(thrown);
      codes.add(error.exitCode);
      return { name, error: describeError(error) };
    }
  });
  context.print(describeAccounts(rows, nowMs));
  exit(worstCode(codes));
}

/** Says that the last good run is too old; undefined where it is not. */
function describeAge({ last_good_run }: Status, { ms, text }: Age, nowMs: number): string | undefined {
  const finishedAt = last_good_run?.finished_at;
  if (!finishedAt) return "There has been no good run";
  if (isFuture(finishedAt, nowMs)) return `The last good run is dated in the future: ${finishedAt}`;
  return ageOf(finishedAt, nowMs) <= ms ? undefined : `The last good run is older than ${text}`;
}

function parseRuns(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("must be a number of runs");
}
