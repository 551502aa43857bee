import type { Account } from "../config/accounts.ts";
import type { DeliveryResult } from "../delivery/deliver.ts";
import { type ExitCode, worstCode } from "../errors.ts";
import { exitCodeOfReport, type MadeReport, makeReport } from "../reports/make-report.ts";
import { type NamedReport, ofAccount, type ReportOfFile } from "../reports/report.ts";
import { attributionProgress } from "./attribution-progress.ts";
import type { Context } from "./context.ts";
import { noteUnmatchedDispositions } from "./disposition-note.ts";
import { describeMade } from "./made-text.ts";
import { errorToJson } from "./over-accounts.ts";
import { printError } from "./print-error.ts";

/** Makes reports of an account, one after the other; one that fails stops no other. One alone throws. */
export async function runReports(
  { context, account, exit }: { context: Context; account: Account; exit: (code: ExitCode) => void },
  reports: readonly ReportOfFile[],
  {
    deliver: isDelivered = false,
    json = false,
  }: { deliver?: boolean | undefined; json?: boolean | undefined },
): Promise<void> {
  const codes: ExitCode[] = [];
  const shown: unknown[] = [];
  const named = reports.flatMap((report) => ofAccount(report, account) ?? []);
  for (const report of named) {
    try {
      const made = await makeReport(report, {
        scheduledFor: null,
        isDelivered,
        workingFolder: context.folder,
        signal: context.signal,
        onAttributed: attributionProgress(context),
      });
      if (made === undefined) continue; // a run by hand is never done already
      const { isWarehouseEmpty: _, ...rest } = made;
      shown.push(rest);
      codes.push(exitCodeOfReport(made));
      if (!json) context.tell(describeReport(made, report, context.folder));
      noteUnmatchedDispositions(context, report.settings);
    } catch (thrown) {
      if (named.length === 1 || context.signal.aborted) throw thrown;
      const error = printError(context, thrown, `${report.name}: `);
      codes.push(error.exitCode);
      shown.push({ report: report.name, error: errorToJson(error) });
    }
  }
  if (json) context.print(JSON.stringify(shown));
  exit(worstCode(codes));
}

function describeReport(made: MadeReport, { content }: NamedReport, folder: string): string {
  const stale = made.is_stale ? [`The last good sync is older than ${content.fresh}.`] : [];
  return [
    `${made.report}, report run ${made.report_run_id}`,
    describeMade(made, folder),
    ...stale,
    ...made.deliveries.map(describeDelivery),
  ].join("\n");
}

/** Says how a delivery stands, a line. */
function describeDelivery({ channel, recipient, status, attempts, last_error }: DeliveryResult): string {
  const what = `${channel} to ${recipient}: ${status}`;
  if (status === "delivered") return attempts > 1 ? `${what} on attempt ${attempts}` : what;
  return last_error === null ? what : `${what}: ${last_error}`;
}
