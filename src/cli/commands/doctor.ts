import { Command } from "@commander-js/extra-typings";
import type { Account } from "../../config/accounts.ts";
import { type Check, worstOf } from "../../operate/doctor/check.ts";
import { checkMail } from "../../operate/doctor/check-mail.ts";
import { examine } from "../../operate/doctor/examine.ts";
import { accountsOf, configurationOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action, overAccounts } from "../frame.ts";

export const command = (context: Context) =>
  new Command("doctor")
    .description(
      "Checks the settings, this machine, the warehouse, the service (at most ten requests) and the mail server, and changes nothing. Prints only the checks that fail.",
    )
    .option("--all", "print all checks, also those that pass")
    .option("--deep", "check the whole file for damage, and recompute the hash of every stored call", false)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally doctor --deep")
    .action(
      action(context, async ({ all, deep, json }) => {
        const { env, folder, signal } = context;
        const checked: AccountChecks[] = [];
        const mail = await checkMail(configurationOf(context).file, signal);
        const result = await overAccounts(context, accountsOf(context), async ({ account }) => {
          const checks = [...(await examine(account, { env, folder, deep, signal })), ...mail];
          checked.push({ name: account.name, checks });
          const exit = worstOf(checks);
          return { data: { exit_code: exit, checks }, exit };
        });
        return json ? result : { ...result, text: describeChecks(checked, all) };
      }),
    );

type AccountChecks = Pick<Account, "name"> & { checks: readonly Check[] };

/** Returns the failed checks, once for accounts with the same ones, and the number of successful ones. */
function describeChecks(checked: readonly AccountChecks[], isAllShown = false): string {
  const isShown = ({ state }: Check) => isAllShown || state !== "ok";
  const accountsOfText = Map.groupBy(checked, ({ checks }) => listChecks(checks.filter(isShown)));
  const namesOf = (accounts: readonly AccountChecks[]) => accounts.map(({ name }) => name).join(", ");
  const { "": inOrder = [], ...problems } = Object.fromEntries(accountsOfText);
  const lines = Object.entries(problems).flatMap(([text, accounts]) =>
    checked.length > 1 ? [namesOf(accounts), text, ""] : [text, ""],
  );
  if (checked.length > 1 && inOrder.length > 0) lines.push(`Passed: ${namesOf(inOrder)}`, "");
  const checks = checked.flatMap((account) => account.checks);
  const count = checks.filter(({ state }) => state === "ok").length;
  const hint = isAllShown ? "" : "; --all lists them";
  return [...lines, `${count} of ${checks.length} checks passed${hint}`].join("\n");
}

function listChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, state, message, hint }) => {
      const line = `${state.padEnd(4)}  ${name.padEnd(width)}  ${message}`;
      return state === "ok" || hint === undefined ? [line] : [line, `${" ".repeat(8 + width)}${hint}`];
    })
    .join("\n");
}
