import { join } from "node:path";
import { systemClock } from "../clock.ts";
import { readAttributionRules } from "../config/attribution-settings.ts";
import { EXIT, type ExitCode, UsageError } from "../errors.ts";
import { exportToFolder, exportToStream } from "../export/write-export.ts";
import { grainOf, REPORT_TARGET } from "../report/report-target.ts";
import { attributionProgress } from "./attribution-progress.ts";
import { type Context, settingsOf } from "./context.ts";
import { noteUnmatchedDispositions } from "./disposition-note.ts";
import { toFilter, toRange } from "./export-flags.ts";
import { describeExport, noteRemarks } from "./export-run.ts";
import type { ReportFlags } from "./report-command.ts";

/** Below the folder of exports, whose manifest tells of other files. */
export const REPORT_FOLDER = "report";

/** Runs `calltally report`. */
export async function runReport(
  context: Context,
  flags: ReportFlags,
  exit: (code: ExitCode) => void,
): Promise<void> {
  const settings = settingsOf(context, flags);
  const { database, timezone, lookbackHours } = settings;
  if (flags.stdout && flags.out !== undefined)
    throw new UsageError("--out is for files, and --stdout writes none: use one or the other");
  if (flags.stdout && flags.json)
    throw new UsageError("--json prints the manifest, and --stdout writes none: use one or the other");
  const isDated = flags.from !== undefined || flags.to !== undefined || flags.last !== undefined;
  const { from, to } = toRange(isDated ? flags : { last: "4w" }, timezone, systemClock.now()) ?? {};
  if (from === undefined || to === undefined) {
    throw new UsageError(
      "A report needs --from and --to, or --last: it compares with a period of the same length",
    );
  }
  const range = { from, to };
  const options = {
    database,
    timezone,
    lookbackHours,
    rules: readAttributionRules(settings),
    range,
    filter: toFilter(flags),
    isEmptyAllowed: flags.allowEmpty,
    grain: flags.grain ?? grainOf(range),
    compare: flags.compare ?? "previous",
    signal: context.signal,
    onAttributed: attributionProgress(context),
  };
  if (flags.stdout) {
    const written = await exportToStream({ ...options, target: REPORT_TARGET, writeChunk: context.write });
    noteRemarks(context, written);
    noteUnmatchedDispositions(context, settings);
    if (written.manifest.caveats) exit(EXIT.unverified);
    return;
  }
  const folder = flags.out === undefined ? join(settings.exportDir, REPORT_FOLDER) : settings.exportDir;
  const result = await exportToFolder({
    ...options,
    targets: [REPORT_TARGET],
    folder,
    replace: flags.replace,
  });
  const { isWarehouseEmpty: _, ...shown } = result;
  if (flags.json) context.print(JSON.stringify(shown));
  else context.tell(describeExport(result, context.folder));
  noteUnmatchedDispositions(context, settings);
  if (result.manifest.caveats) exit(EXIT.unverified);
}
