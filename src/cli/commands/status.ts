import { Command } from "@commander-js/extra-typings";
import { parseAge } from "../../base/calendar/age-text.ts";
import { describeError, EXIT, type ExitCode, worstCode } from "../../base/errors.ts";
import type { Account } from "../../config/accounts.ts";
import { loadSettings } from "../../config/load-settings.ts";
import { loadNotices } from "../../features/load-notices.ts";
import { findLate, findProblems } from "../../operate/status/find-problems.ts";
import { remarkOnOrphans } from "../../operate/status/orphans.ts";
import { reportsOf } from "../../operate/status/read-next.ts";
import { readStatus, type Status } from "../../operate/status/read-status.ts";
import { forEachAccount } from "../../reports/accounts/for-each-account.ts";
import { accountsOf, configurationOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action, overAccounts, type Result } from "../frame.ts";
import { parser, wholeNumber } from "../parsers.ts";
import { describeAccounts } from "../terminal/account-table.ts";
import { describeHistory, describeStatus } from "../terminal/status-screen.ts";

const RUNS_SHOWN = 5;

export const command = (context: Context) =>
  new Command("status")
    .description(
      "Shows on one screen whether syncs work, how fresh and how complete the copy is, what was rejected, what " +
        "differs from the documented API, and what runs next. Exits with code 3 if something fails.",
    )
    .option(
      "--max-age <age>",
      "exit with code 3 if the last good run is older than this, e.g. 30m, 2h or 1d",
      parser(parseAge),
    )
    .option("--problems", "show only accounts with a problem, and what is wrong with each")
    .option("--runs <count>", "number of runs to show", wholeNumber(1, 999_999))
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExample:\n  $ calltally status --max-age 2h > /dev/null || echo calltally is late",
    )
    .action(
      action(context, async ({ json, maxAge, problems, runs }) => {
        const accounts = accountsOf(context);
        const { file } = configurationOf(context);
        const nowMs = Date.now();
        const notices = await loadNotices();
        const judge = (account: Account): Judgement => {
          const reports = reportsOf(file, account);
          const status = readStatus(loadSettings(account.sources), {
            runs: runs ?? RUNS_SHOWN,
            nowMs,
            reports,
            notices,
          });
          const late = maxAge && findLate(status, maxAge, nowMs);
          const { failures, remarks } = findProblems(status);
          const errors = [...(late === undefined ? [] : [late]), ...failures];
          return { status, errors, remarks, exit: errors.length > 0 ? EXIT.unverified : EXIT.done };
        };
        if (problems || (accounts.length > 1 && runs === undefined && !json))
          return await summarize(context, accounts, judge, { nowMs, isOfProblems: problems });
        return await overAccounts(context, accounts, ({ account }) => {
          const { status, errors, exit } = judge(account);
          return {
            data: { ...status, notices: status.notices.map(({ data }) => data) },
            text: runs === undefined ? describeStatus(status, nowMs) : describeHistory(status),
            errors, // in full: the screen cuts them to its width
            exit,
          };
        });
      }),
    );

interface Judgement {
  status: Status;
  errors: string[];
  remarks: string[];
  exit: ExitCode;
}

async function summarize(
  context: Context,
  accounts: readonly Account[],
  judge: (account: Account) => Judgement,
  { nowMs, isOfProblems = false }: { nowMs: number; isOfProblems?: boolean | undefined },
): Promise<Result> {
  const judged = await Array.fromAsync(forEachAccount(accounts, judge, { signal: context.signal }));
  const rows = judged.map((result) => {
    const { name = "the only account" } = result.account;
    if ("error" in result)
      return { name, problems: [describeError(result.error)], exit: result.error.exitCode };
    const { status, errors, remarks, exit } = result.value;
    return { name, status, problems: [...errors, ...remarks], exit };
  });
  const bad = rows.filter(({ problems }) => problems.length > 0);
  return {
    ...(isOfProblems && { data: Object.fromEntries(bad.map(({ name, problems }) => [name, problems])) }),
    text: describeAccounts(isOfProblems ? bad : rows, { count: rows.length, nowMs }),
    notes: remarkOnOrphans(configurationOf(context)),
    exit: worstCode(rows.map(({ exit }) => exit)),
  };
}
