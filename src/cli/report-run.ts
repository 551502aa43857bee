import { join } from "node:path";
import { systemClock } from "../clock.ts";
import { EXIT, type ExitCode, UsageError } from "../errors.ts";
import { toExportBasis } from "../export/export-basis.ts";
import { exportToFolder, exportToStream } from "../export/write-export.ts";
import { grainOf, reportTarget } from "../report/report-target.ts";
import { attributionProgress } from "./attribution-progress.ts";
import { type Context, settingsOf } from "./context.ts";
import { noteUnmatchedDispositions } from "./disposition-note.ts";
import { assertOutput, type GivenFlags, toComparison, toFilter, toRange } from "./export-flags.ts";
import { describeExport, noteRemarks } from "./export-run.ts";
import type { ReportFlags } from "./report-command.ts";
import { DEFAULT_STRETCH, REPORT_FILE, REPORT_FOLDER } from "./report-defaults.ts";

/** What a report is made of. */
export const REPORT_TARGET = reportTarget(REPORT_FILE);

/** Runs `calltally report`. */
export async function runReport(
  context: Context,
  flags: ReportFlags,
  exit: (code: ExitCode) => void,
): Promise<void> {
  const settings = settingsOf(context, flags);
  assertOutput(flags);
  const options = {
    ...toExportBasis(settings),
    ...reportScope(flags, settings.timezone),
    filter: toFilter(flags),
    isEmptyAllowed: flags.allowEmpty,
    spend: flags.spend ?? ("if any" as const),
    signal: context.signal,
    onAttributed: attributionProgress(context),
  };
  if (flags.stdout) {
    const written = await exportToStream({ ...options, targets: [REPORT_TARGET], writeChunk: context.write });
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

/**
 * Returns the days of a report, how they are cut, and what stands beside.
 *
 * @throws UsageError where the days are open at an end
 */
export function reportScope(
  flags: Pick<GivenFlags, "from" | "to" | "last" | "grain" | "compare">,
  timezone: string,
  nowMs = systemClock.now(),
) {
  const isDated = [flags.from, flags.to, flags.last].some((flag) => flag !== undefined);
  const dated = isDated ? flags : { last: DEFAULT_STRETCH };
  const { from, to } = toRange(dated, timezone, nowMs) ?? {};
  if (from === undefined || to === undefined) {
    throw new UsageError(
      "A report needs --from and --to, or --last: it compares with a period of the same length",
    );
  }
  const range = { from, to };
  return {
    range,
    grain: flags.grain ?? grainOf(range),
    compare: toComparison({ ...dated, compare: flags.compare ?? "previous" }),
  };
}
