import { join, relative } from "node:path";
import { Argument, Command } from "@commander-js/extra-typings";
import { type ExportResult, exportRollups } from "../export/rollups.ts";
import { DEFAULT_DIMENSIONS, DIMENSIONS } from "../rollup/dimensions.ts";
import { type Context, OPTION, settingsOf } from "./context.ts";
import { formatQuantity } from "./format.ts";

export function exportCommand(context: Context) {
  return new Command("export")
    .summary("write rollups of the calls as CSV files")
    .description("Writes one CSV file a dimension, and manifest.json, which says what the figures stand on.")
    .addArgument(
      new Argument("[dimension...]", "what to group by").choices(DIMENSIONS).default(DEFAULT_DIMENSIONS),
    )
    .option("--raw", "group utm values as they are stored: Google apart from google", false)
    .option(...OPTION.database)
    .option(...OPTION.out)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally export utm_source utm_medium --out /srv/reports")
    .action(async (dimensions, { json, raw, ...flags }) => {
      const { database, exportDir: folder, rules } = settingsOf(context, flags);
      const result = await exportRollups({
        database,
        folder,
        dimensions: [...new Set(dimensions)],
        rules,
        raw,
        signal: context.signal,
      });
      context.print(json ? JSON.stringify(result) : describeExport(result, context.folder));
    });
}

/** Returns what was written, a line a file. */
export function describeExport({ folder, manifest }: ExportResult, workingFolder: string): string {
  const lines = manifest.files.map(({ file, rows, sums }) => {
    const path = relative(workingFolder, join(folder, file));
    return `${path}  ${formatQuantity(rows, "row")}, ${formatQuantity(sums.calls ?? 0, "call")}`;
  });
  const { run } = manifest;
  lines.push(
    run === null
      ? "No sync has finished yet: the figures stand on whatever was read so far."
      : `From run ${run.run_id}, finished ${run.finished_at}, verdict ${run.verdict}`,
  );
  if (manifest.files.every(({ rows }) => rows === 0))
    lines.push("The warehouse has no calls: the files have headers alone.");
  return lines.join("\n");
}
