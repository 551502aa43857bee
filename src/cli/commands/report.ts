import { Option } from "@commander-js/extra-typings";
import { isUnshared } from "../../config/request/contents.ts";
import {
  CHART_FORMATS,
  EXPLORE_FILE,
  EXPLORE_FOLDER,
  FORMATS,
  OVERVIEW_FILE,
  OVERVIEW_FOLDER,
  PAGE_FILE,
  PAGE_FOLDER,
  PAGES,
} from "../../config/request/option-values.ts";
import { DEFAULT_STRETCH } from "../../config/request/resolve.ts";
import { DIMENSIONS } from "../../figures/dimensions.ts";
import { type Context, OPTION } from "../context.ts";
import { expectFlags } from "../expected-flags.ts";
import { action } from "../frame.ts";
import { choice, severalOf } from "../parsers.ts";
import { addRequestOption, callsCommand } from "../request-options.ts";

/** Formats that other commands or flags write. */
const OTHER_FORMATS = {
  explore: "use --explore.",
  ...Object.fromEntries(FORMATS.map((name) => [name, "`calltally export --format` writes tables."])),
};

const chartFormat = () =>
  choice(
    "--format <format>",
    CHART_FORMATS,
    `html by default; pdf is the page printed by an installed browser, ${PAGES.pdf.file}`,
    OTHER_FORMATS,
  ).conflicts(["explore", "overview"]);

/** The command with the options of its figures. */
function declareFigures() {
  const declared = callsCommand("report")
    .description(
      `Writes ${PAGE_FILE}, a self-contained page of charts and tables, and manifest.json next to it.
Without dates, it shows --last ${DEFAULT_STRETCH} and compares with the weeks before.
With --explore it writes ${EXPLORE_FILE} instead, a page on which a reader chooses days, filters and tables.`,
    )
    .optionsGroup("Figures:");
  addRequestOption(declared, "grain", "length of the periods; by default, chosen by the number of days");
  addRequestOption(
    declared,
    "compare",
    "what to compare with, one of previous, year and 52-weeks; previous by default",
  );
  addRequestOption(declared, "spend", "show costs even if no spend was imported for these days");
  addRequestOption(declared, "outcomes", "show what calls earned even if no jobs were imported");
  addRequestOption(declared, "revenue_by");
  addRequestOption(declared, "min_cell", "with --explore, a page to share: groups of at least so many calls");
  expectFlags(declared, {
    "--open": "Leave it out, and open the file that it names in a browser.",
  });
  return declared;
}

export const command = (context: Context) => {
  const explored = declareFigures()
    .optionsGroup("A page to explore:")
    .option("--explore", `write ${EXPLORE_FILE}, with all calls or those of the days and the filter`)
    .addOption(
      severalOf(
        "--by <dimensions>",
        DIMENSIONS.filter((dimension) => !isUnshared(dimension)),
        "its dimensions, separated by commas (all but utm values)",
      ),
    );
  addRequestOption(
    explored,
    "rows",
    "list the calls behind each figure: id, time, duration, disposition, what decided the source",
  );
  addRequestOption(explored, "with", "private columns of the listed calls");
  return explored
    .optionsGroup("All accounts:")
    .addOption(
      new Option(
        "--overview",
        `write ${OVERVIEW_FILE}, and a workbook next to it, with a row for each account: its figures, how fresh they are, and what is wrong`,
      ).conflicts(["explore", "by", "grain", "stdout", "engine"]),
    )
    .optionsGroup("Files:")
    .addOption(chartFormat())
    .option("--replace", "replace the files of another warehouse in the folder")
    .option("--stdout", "write the page to standard output, without a manifest")
    .option(
      "--out <folder>",
      `folder for the files (the folder ${PAGE_FOLDER} in CALLTALLY_EXPORT_DIR; with --explore ${EXPLORE_FOLDER}; with --overview data/exports/${OVERVIEW_FOLDER})`,
    )
    .option(...OPTION.engine)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      `
Examples:
  $ calltally report --last 4w --timezone America/New_York
  $ calltally report --last 3m --compare year --channel "paid search"
  $ calltally report --format pdf --last 1m
  $ calltally report --explore --from 2026-01-01
  $ calltally report --overview --last 1w`,
    )
    .action(
      action(context, async (flags) => {
        // Loaded here, so that other commands do not wait for the charts.
        const { exportAccounts } = await import("../export-accounts.ts");
        const { toRequest } = await import("../request-flags.ts");
        const { explore, overview, format: charts = "html", ...others } = flags;
        if (overview) {
          const { reportOverview } = await import("../report-overview.ts");
          return await reportOverview(context, toRequest([], others), others);
        }
        const format = explore ? ("explore" as const) : charts;
        const request = { ...toRequest([], others), format };
        return await exportAccounts(context, request, others, explore ? EXPLORE_FOLDER : PAGE_FOLDER);
      }),
    );
};
