import { Command } from "@commander-js/extra-typings";
import { parseDate, toInstants } from "../../base/calendar/dates.ts";
import { realFile } from "../../base/folder.ts";
import { readAttributionRules } from "../../config/attribution-settings.ts";
import { describeByCalls, describeEach } from "../../features/restatements/restatement-lines.ts";
import { readRestatements } from "../../features/restatements/restatement-table.ts";
import { describeStaleFiles, findStaleFiles } from "../../features/restatements/stale-files.ts";
import { readLastReportRuns } from "../../reports/delivery/report-run-table.ts";
import { followsRules, readRulesInForce } from "../../warehouse/calls/rules.ts";
import { openReader } from "../../warehouse/file/open.ts";
import { openOwn } from "../../warehouse/file/own-warehouse.ts";
import { type Context, OPTION } from "../context.ts";
import { perAccount } from "../frame.ts";
import { parser } from "../parsers.ts";

export const command = (context: Context) =>
  new Command("restatements")
    .description(
      "Lists figures of complete periods that changed after they were exported, latest first, below the calls that " +
        "changed them: calls that came late, were corrected, left the service or were attributed again. Then names " +
        "the exported files that were not compared since something changed, with the command that compares them.",
    )
    .option(
      "--since <date>",
      "only those found on this local day or later, e.g. 2026-11-01",
      parser(parseDate),
    )
    .option(
      "--calls",
      "each figure by itself, with how many calls changed it for which reason, the first ten of these, and the facts " +
        "that changed in each",
    )
    .option(...OPTION.timezone)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally restatements --since 2026-11-01")
    .action(
      perAccount(context, ({ account, settings }, { since, calls, database }) => {
        const { timezone } = settings;
        using reader = openOwn(settings, openReader);
        const from = since && toInstants({ from: since }, timezone).startsAt;
        const restatements = readRestatements(reader, { since: from });
        const describe = calls ? describeEach : describeByCalls;
        const areRulesOther = !followsRules(readRulesInForce(reader), readAttributionRules(settings));
        const runs = readLastReportRuns(reader);
        const stale = describeStaleFiles(findStaleFiles(reader, areRulesOther), {
          timezone,
          workingFolder: context.folder,
          account: account.name,
          database,
          reportOf: (folder) => runs.find((run) => run.folder && realFile(run.folder) === folder)?.report,
        });
        const described = describe(restatements, { timezone, folder: context.folder });
        return {
          data: restatements,
          text: [described, ...(stale.length > 0 ? ["", ...stale] : [])].join("\n"),
          notes: context.options.json ? stale : [],
        };
      }),
    );
