import { Command } from "@commander-js/extra-typings";
import { type Check, worstOf } from "../../doctor/check.ts";
import { examine } from "../../doctor/examine.ts";
import { type Context, OPTION } from "../context.ts";
import { perAccount } from "../frame.ts";

export const command = (context: Context) =>
  new Command("doctor")
    .description(
      "Checks the settings, this machine, the warehouse and the service (at most ten requests), and changes nothing.",
    )
    .option("--deep", "check the whole file for damage, and recompute the hash of every stored call", false)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally doctor --deep")
    .action(
      perAccount(context, async ({ account }, { deep }) => {
        const { env, folder, signal } = context;
        const checks = await examine(account, { env, folder, deep, signal });
        const exit = worstOf(checks);
        return { data: { exit_code: exit, checks }, text: describeChecks(checks), exit };
      }),
    );

/** One line a check, what to do below it, and a last line that counts them. */
function describeChecks(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, state, message, hint }) => {
    const line = `${state.padEnd(4)}  ${name.padEnd(width)}  ${message}`;
    return state === "ok" || hint === undefined ? [line] : [line, `${" ".repeat(8 + width)}${hint}`];
  });
  const count = (state: Check["state"]) => checks.filter((check) => check.state === state).length;
  return [...lines, "", `${count("ok")} ok, ${count("warn")} warn, ${count("fail")} fail`].join("\n");
}
