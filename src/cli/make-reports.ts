import { type ExitCode, worstCode } from "../base/errors.ts";
import { toCalltallyError } from "../base/known-error.ts";
import { exitCodeOfReport, makeReport } from "../reports/make-report.ts";
import { ofAccount, type ReportOfFile } from "../reports/report.ts";
import type { Context } from "./context.ts";
import { type AccountScope, type Result, toResult } from "./frame.ts";
import { attributionProgress } from "./terminal/attribution-progress.ts";
import { describeReport } from "./terminal/report-text.ts";
import { notesOnDispositions } from "./warehouse-notes.ts";

/** Returns how the reports of an account are made, one after the other: an error of one does not stop the others. One alone throws. */
export function runReports(
  context: Context,
  reports: readonly ReportOfFile[],
  { isDelivered }: { isDelivered: boolean },
) {
  const { folder, signal } = context;
  return async ({ account, note }: AccountScope): Promise<Result> => {
    const named = reports.flatMap((report) => ofAccount(report, account) ?? []);
    const results: (Result & { exit: ExitCode })[] = [];
    for (const report of named) {
      try {
        const made = await makeReport(report, {
          scheduledFor: null,
          isDelivered,
          workingFolder: folder,
          signal,
          onAttributed: attributionProgress(context, note),
        });
        if (made === undefined) continue; // a run by hand is never done already
        const { isWarehouseEmpty: _, ...data } = made;
        results.push({
          data,
          summary: describeReport(made, report, folder),
          notes: notesOnDispositions(report.settings),
          exit: exitCodeOfReport(made),
        });
      } catch (thrown) {
        if (named.length === 1) throw thrown;
        const { data, errors, exit } = toResult(toCalltallyError(thrown));
        results.push({
          data: { report: report.name, ...data },
          errors: errors.map((text) => `${report.name}: ${text}`),
          exit,
        });
        if (signal.aborted) break;
      }
    }
    const summaries = results.flatMap(({ summary }) => summary ?? []);
    return {
      data: results.map(({ data }) => data),
      summary: summaries.length > 0 ? summaries.join("\n") : undefined,
      notes: results.flatMap(({ notes = [] }) => notes),
      errors: results.flatMap(({ errors = [] }) => errors),
      exit: worstCode(results.map(({ exit }) => exit)),
    };
  };
}
