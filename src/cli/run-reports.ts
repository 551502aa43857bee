import { type Account, settingsOfAccount } from "../config/accounts.ts";
import type { CalltallyFile } from "../config/calltally-file.ts";
import type { ReportContent } from "../config/file-schema.ts";
import type { DeliveryResult } from "../delivery/deliver.ts";
import { type ExitCode, UsageError, worstCode } from "../errors.ts";
import { didYouMean } from "../nearest.ts";
import { attributionProgress } from "./attribution-progress.ts";
import { type Context, configurationOf } from "./context.ts";
import { noteUnmatchedDispositions } from "./disposition-note.ts";
import { describeExport } from "./export-run.ts";
import { printError } from "./known-error.ts";
import { exitCodeOfReport, type MadeReport, makeReport } from "./make-report.ts";
import type { NamedReport } from "./named-report.ts";
import { errorToJson } from "./over-accounts.ts";

/** A report as `calltally.yaml` has it. */
export interface ReportOfFile {
  name: string;
  content: ReportContent;
  file: CalltallyFile;
}

/**
 * Returns the reports of these names.
 *
 * @throws UsageError that lists the names, and says which was probably meant
 */
export function chooseReports(context: Context, names: readonly string[]): ReportOfFile[] {
  const { file } = configurationOf(context);
  const reports = file?.content.reports ?? {};
  const known = Object.keys(reports);
  return [...new Set(names)].map((name) => {
    const content = Object.hasOwn(reports, name) ? reports[name] : undefined;
    if (file !== undefined && content !== undefined) return { name, content, file };
    if (known.length === 0) {
      throw new UsageError(`There is no report ${name}: ${file?.name ?? "calltally.yaml"} names none`, {
        hint: "Name it there, below reports; calltally init writes a first one.",
      });
    }
    throw new UsageError(`There is no report ${name}: ${file?.name} has ${known.join(", ")}`, {
      hint: didYouMean(name, known),
    });
  });
}

/** Returns a report as it is for an account; undefined where it is not of that. */
export function ofAccount({ name, content, file }: ReportOfFile, account: Account): NamedReport | undefined {
  const { accounts } = content;
  if (accounts !== undefined && (account.name === undefined || !accounts.includes(account.name)))
    return undefined;
  return { name, content, file, account: account.name ?? null, settings: settingsOfAccount(account) };
}

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
      if (!json) context.tell(describeMade(made, report, context.folder));
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

function describeMade(made: MadeReport, { content }: NamedReport, folder: string): string {
  const stale = made.is_stale ? [`The last good sync is older than ${content.fresh}.`] : [];
  return [
    `${made.report}, report run ${made.report_run_id}`,
    describeExport(made, folder),
    ...stale,
    ...made.deliveries.map(describeDelivery),
  ].join("\n");
}

/** Says how a delivery stands, a line. */
function describeDelivery({ channel, recipient, status, attempts, last_error }: DeliveryResult): string {
  const what = `${channel} to ${recipient}: ${status}`;
  if (status === "delivered") return attempts > 1 ? `${what}, at the ${attempts}. attempt` : what;
  return last_error === null ? what : `${what}: ${last_error}`;
}
