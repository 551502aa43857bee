import { Command } from "@commander-js/extra-typings";
import { describeError, EXIT, worstCode } from "../../base/errors.ts";
import { toCalltallyError } from "../../base/known-error.ts";
import { type Age, parseAge } from "../../calendar/age-text.ts";
import type { Account } from "../../config/accounts.ts";
import { loadSettings } from "../../config/load-settings.ts";
import { findLate, findProblems } from "../../status/find-problems.ts";
import { reportsOf } from "../../status/read-reports.ts";
import { readStatus } from "../../status/read-status.ts";
import { accountsOf, configurationOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action, overAccounts, type Result } from "../frame.ts";
import { parser, wholeNumber } from "../parsers.ts";
import { type AccountStatus, describeAccounts } from "../terminal/account-table.ts";
import { describeHistory, describeStatus } from "../terminal/status-screen.ts";
import { notesOnRules } from "../warehouse-notes.ts";

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
    .option("--runs <count>", "number of runs to show", wholeNumber(1, 999_999))
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      "\nExample:\n  $ calltally status --max-age 2h > /dev/null || echo calltally is late",
    )
    .action(
      action(context, async ({ json, maxAge, runs }) => {
        const accounts = accountsOf(context);
        const { file } = configurationOf(context);
        const nowMs = Date.now();
        const read = (account: Account) =>
          readStatus(loadSettings(account.sources), {
            runs: runs ?? RUNS_SHOWN,
            nowMs,
            reports: reportsOf(file, account),
          });
        if (accounts.length > 1 && runs === undefined && !json)
          return summarize(accounts, { read, maxAge, nowMs });
        return await overAccounts(context, accounts, ({ account, settings }) => {
          const status = read(account);
          const late = maxAge && findLate(status, maxAge, nowMs);
          const errors = [...(late === undefined ? [] : [late]), ...findProblems(status).failures];
          return {
            data: status,
            text: runs === undefined ? describeStatus(status, nowMs) : describeHistory(status.runs),
            notes: notesOnRules(settings),
            errors, // in full: the screen cuts them to its width
            exit: errors.length > 0 ? EXIT.unverified : EXIT.done,
          };
        });
      }),
    );

interface SummarizeOptions {
  read: (account: Account) => AccountStatus["status"] & {};
  maxAge: Age | undefined;
  nowMs: number;
}

function summarize(accounts: readonly Account[], { read, maxAge, nowMs }: SummarizeOptions): Result {
  const rows = accounts.map((account) => {
    const { name = "" } = account;
    try {
      const status = read(account);
      const late = maxAge && findLate(status, maxAge, nowMs);
      const isFailing = late !== undefined || findProblems(status).failures.length > 0;
      return { row: { name, status, late }, exit: isFailing ? EXIT.unverified : EXIT.done };
    } catch (thrown) {
      const error = toCalltallyError(thrown);
      return { row: { name, error: describeError(error) }, exit: error.exitCode };
    }
  });
  return {
    text: describeAccounts(
      rows.map(({ row }) => row),
      nowMs,
    ),
    exit: worstCode(rows.map(({ exit }) => exit)),
  };
}
