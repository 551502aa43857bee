import { Command } from "@commander-js/extra-typings";
import { accountsOf, configurationOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { action, overAccounts } from "../frame.ts";

export const command = (context: Context) =>
  new Command("run")
    .description("Makes reports of calltally.yaml now, whether or not they are due.")
    .argument("<reports...>", "names of reports")
    .option("--deliver", "also deliver them to everybody that calltally.yaml names", false)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally run weekly --deliver")
    .action(
      action(context, async (names, { deliver }) => {
        // Figures and mail bring libraries along that other commands need not wait for.
        const { runReports } = await import("../make-reports.ts");
        const { chooseReports } = await import("../../reports/report.ts");
        const reports = chooseReports(configurationOf(context).file, names);
        const run = runReports(context, reports, { isDelivered: deliver });
        return await overAccounts(context, accountsOf(context), run);
      }),
    );
