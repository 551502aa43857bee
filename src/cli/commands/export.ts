import { Argument } from "@commander-js/extra-typings";
import { ACCOUNT, CONTENTS } from "../../config/request/option-values.ts";
import { DEFAULT_DIMENSIONS, DIMENSIONS } from "../../figures/dimensions.ts";
import { type Context, OPTION } from "../context.ts";
import { expectFlags } from "../expected-flags.ts";
import { action } from "../frame.ts";
import { eachOf, oneOf, severalOf } from "../parsers.ts";
import { addRequestOptions, callsCommand } from "../request-options.ts";

const MOST_USED: ReadonlySet<string> = new Set([
  ...["last", "from", "to", "timezone", "channel", "campaign"],
  ...["grain", "compare", "total", "format", "out"],
]);

/** Declares arguments and options; `config/request/check.ts` checks their combinations. */
export const command = (context: Context) => {
  const declared = callsCommand("export")
    .description(
      `Writes a file for each dimension or list, and manifest.json, which records what the figures are based on.
Without arguments: ${DEFAULT_DIMENSIONS.join(" ")}.
To start, try \`calltally export channel campaign --last 4w --format xlsx\`.`,
    )
    .addArgument(
      new Argument("[contents...]", "dimensions to group by, or lists of calls")
        .choices(CONTENTS)
        .argParser(eachOf(oneOf(CONTENTS))),
    )
    .optionsGroup("Figures:")
    .addOption(
      severalOf(
        "--by <dimensions>",
        [...DIMENSIONS, ACCOUNT],
        "group by several dimensions combined, separated by commas; account means the accounts of calltally.yaml",
      ),
    );
  expectFlags(declared, {
    "--group-by":
      "Use --by, such as --by utm_source,campaign; `calltally export utm_source campaign` writes a file for each.",
    "--since": "Use --from and --to, or --last; --changed-since lists changed calls.",
    "--csv": "Use --format csv, which is the default.",
  });
  addRequestOptions(
    declared,
    "Figures:",
    (option, { shownIn }) => !option.includes(".") && shownIn === undefined,
  );
  addRequestOptions(declared, "Conversions:", (option) => option.startsWith("conversion."));
  addRequestOptions(declared, "Files:", (_, { shownIn }) => shownIn === "files");
  const whole = declared
    .option(
      "--replace",
      "replace the files of another warehouse in the folder, and months of calls outside these days",
    )
    .option("--stdout", "write one file to standard output, without a manifest")
    .option(...OPTION.out)
    .option(...OPTION.engine)
    .option(...OPTION.database)
    .option(...OPTION.json)
    .addHelpText(
      "after",
      `
Examples:
  $ calltally export channel utm_campaign --last 3m --grain month --total
  $ calltally export --by utm_source,utm_medium --from 2026-10-01 --to 2026-10-31 --compare previous
  $ calltally export google-ads google-ads-adjustments --new --conversion-value 40 --currency USD
  $ calltally export channel campaign calls --last 4w --format xlsx --timezone America/Chicago
  $ calltally export calls --format parquet --timezone America/Chicago
  $ calltally export calls --changed-since 2026-11-20T09:30:00.000Z --include-gone`,
    );
  for (const option of whole.options) if (MOST_USED.has(option.name())) option.helpGroup("Most used:");
  return whole.action(
    action(context, async (contents = [], flags) => {
      // Loaded here, so that other commands do not wait for the libraries of dates and formats.
      const { toRequest } = await import("../request-flags.ts");
      const request = toRequest(contents, flags);
      if (flags.by?.includes(ACCOUNT)) {
        const { exportMerged } = await import("../export-merged.ts");
        return await exportMerged(context, request, flags.by, flags);
      }
      const { exportAccounts } = await import("../export-accounts.ts");
      return await exportAccounts(context, request, flags);
    }),
  );
};
