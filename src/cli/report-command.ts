import { COMPARISONS, GRAINS } from "../calendar/grain.ts";
import { type ExitCode, UsageError } from "../errors.ts";
import { callsCommand } from "./calls-command.ts";
import { accountsOf, type Context, engineAccountsOf, OPTION } from "./context.ts";
import { overAccounts } from "./over-accounts.ts";
import { DEFAULT_STRETCH, REPORT_FILE, REPORT_FOLDER } from "./report-defaults.ts";
import { choice } from "./suggest.ts";

export type ReportFlags = ReturnType<ReturnType<typeof declareReport>["opts"]>;

export function reportCommand(context: Context, exit: (code: ExitCode) => void) {
  return declareReport().action(async (flags) => {
    // Charts bring a library along that other commands need not wait for.
    const { runReport } = await import("./report-run.ts");
    const accounts =
      flags.engine === undefined ? accountsOf(context, flags) : engineAccountsOf(context, flags);
    if (flags.stdout && accounts.length > 1) {
      throw new UsageError("--stdout writes one page, and there are several accounts", {
        hint: "Name one with --account.",
      });
    }
    const { runEngineReport } = await import("./engine-export-run.ts");
    await overAccounts(
      accounts,
      { context, exit },
      (scope) =>
        flags.engine === undefined
          ? runReport(scope.context, flags, scope.exit)
          : runEngineReport(scope.context, flags.engine, flags, scope.exit),
      { json: flags.json },
    );
  });
}

function declareReport() {
  return callsCommand("report")
    .description(
      `Writes ${REPORT_FILE}, a self-contained page of charts and tables, and manifest.json beside it.
Without dates, it shows --last ${DEFAULT_STRETCH} beside the weeks before.`,
    )
    .optionsGroup("Figures:")
    .addOption(
      choice("--grain <grain>", GRAINS, "length of the periods; by default, chosen by the number of days"),
    )
    .addOption(choice("--compare <with>", COMPARISONS, "what to compare with; previous by default"))
    .option("--spend", "show costs even if no spend was imported for these days")
    .optionsGroup("Files:")
    .option("--replace", "replace the files of another warehouse in the folder")
    .option("--stdout", "write the page to standard output, without a manifest")
    .option("--out <folder>", `folder for the files (the folder ${REPORT_FOLDER} in CALLTALLY_EXPORT_DIR)`)
    .option(...OPTION.engine)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      `
Examples:
  $ calltally report --last 4w --timezone America/New_York
  $ calltally report --last 3m --compare year --channel "paid search"`,
    );
}
