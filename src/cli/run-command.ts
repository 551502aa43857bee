import { Command } from "@commander-js/extra-typings";
import type { ExitCode } from "../errors.ts";
import { accountsOf, type Context, configurationOf, OPTION } from "./context.ts";
import { overAccounts } from "./over-accounts.ts";

export function runCommand(context: Context, exit: (code: ExitCode) => void) {
  return new Command("run")
    .description("Makes reports of calltally.yaml now, whether or not they are due.")
    .argument("<reports...>", "names of reports")
    .option("--deliver", "also deliver them to everybody that calltally.yaml names")
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally run weekly --deliver")
    .action(async (names, flags) => {
      // Figures and mail bring libraries along that other commands need not wait for.
      const { runReports } = await import("./run-reports.ts");
      const { chooseReports } = await import("../reports/report.ts");
      const reports = chooseReports(configurationOf(context).file, names);
      await overAccounts(
        accountsOf(context),
        { context, exit },
        (scope) => runReports(scope, reports, flags),
        { json: flags.json },
      );
    });
}
