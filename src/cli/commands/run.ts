import { Command } from "@commander-js/extra-typings";
import { EXIT, type ExitCode, worstCode } from "../../base/errors.ts";
import { tryAccount, valueOrThrow } from "../../reports/accounts/for-each-account.ts";
import type { DeliveryResult } from "../../reports/delivery/deliver.ts";
import { exitCodeOfReport, type MadeReport, makeReport } from "../../reports/make-report.ts";
import { assertRecipients } from "../../reports/recipients.ts";
import {
  chooseReports,
  type NamedReport,
  ofAccount,
  REPORT_JOB,
  RESTATED_JOB,
  type ReportOfFile,
} from "../../reports/report.ts";
import { settleByHand } from "../../schedule/job-journal.ts";
import { accountsOf, configurationOf } from "../chosen-accounts.ts";
import { type Context, OPTION } from "../context.ts";
import { type AccountScope, action, overAccounts, type Result, toResult } from "../frame.ts";
import { blocksOf, dataOf } from "../terminal/made-text.ts";
import { attributionProgress } from "../terminal/progress.ts";
import { quietDoubts } from "../terminal/statement-lines.ts";
import { remarksBlock, toSummaryText } from "../terminal/summary-lines.ts";
import { notesOnDispositions } from "../warehouse-notes.ts";

export const command = (context: Context) =>
  new Command("run")
    .description("Makes reports of calltally.yaml now, even if they are not due.")
    .argument("<reports...>", "names of reports")
    .option("--deliver", "also deliver them to their recipients in calltally.yaml", false)
    .option(...OPTION.json)
    .addHelpText("after", "\nExample:\n  $ calltally run weekly --deliver")
    .action(
      action(context, async (names, { deliver }) => {
        const reports = chooseReports(configurationOf(context).file, names);
        if (deliver) assertRecipients(reports);
        const run = runReports(context, reports, deliver);
        return await overAccounts(context, accountsOf(context), run);
      }),
    );

/** Makes the reports of an account one after the other: an error of one does not stop the others. A single one throws. */
function runReports(context: Context, reports: readonly ReportOfFile[], isDelivered: boolean) {
  return async (scope: AccountScope): Promise<Result> => {
    const { account } = scope;
    const named = reports.flatMap((report) => ofAccount(report, account) ?? []);
    const results: ReportResult[] = [];
    for (const report of named) {
      const ended = await tryAccount(account, () => runReport(context, scope, report, isDelivered));
      if ("value" in ended || named.length === 1) {
        results.push(valueOrThrow(ended));
        continue;
      }
      const { data, errors, exit } = toResult(account, ended.error);
      results.push({
        data: { report: report.name, ...data },
        errors: errors.map((text) => `${report.name}: ${text}`),
        exit,
      });
      if (context.signal.aborted) break;
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

type ReportResult = Result & { exit: ExitCode };

async function runReport(
  context: Context,
  { account, note }: AccountScope,
  report: NamedReport,
  isDelivered: boolean,
): Promise<ReportResult> {
  const { folder, signal } = context;
  const reportRun = await makeReport(report, {
    scheduledFor: null,
    isDelivered,
    workingFolder: folder,
    signal,
    onAttributed: attributionProgress(context, note),
  });
  if (reportRun === undefined) throw new Error("A run by hand was not begun");
  const exit = exitCodeOfReport(reportRun);
  const isForAll = isDelivered || (report.content.deliver ?? []).length === 0;
  if (isForAll && exit !== EXIT.undelivered)
    for (const prefix of [REPORT_JOB, RESTATED_JOB])
      settleByHand(report.settings.database, prefix + report.name, exit);
  return {
    data: toData(reportRun),
    summary: describeReport(reportRun, folder, isDelivered),
    notes: notesOnDispositions(report.settings, account.sources),
    errors: [...quietDoubts(context, reportRun.files.manifest.statements), ...describeUndelivered(reportRun)],
    exit,
  };
}

/** Returns the members of a report's result for `--json`. */
function toData({ report, files, run: { id, isStale, deliveries } }: MadeReport) {
  return dataOf({ ...files, report, report_run_id: id, is_stale: isStale, deliveries });
}

function describeReport({ report, files, run }: MadeReport, folder: string, isDelivered: boolean): string {
  const isToNobody = isDelivered && run.deliveries.length === 0;
  return toSummaryText([
    remarksBlock([`${report}, report run ${run.id}`]),
    ...blocksOf(files, folder),
    remarksBlock(run.deliveries.map(describeDelivery)),
    remarksBlock(isToNobody ? ["It has no recipients in calltally.yaml, so it was not sent"] : []),
  ]);
}

function describeDelivery({ channel, recipient, status, attempts, last_error }: DeliveryResult): string {
  const what = `${channel} to ${recipient}: ${status}`;
  if (status === "delivered") return attempts > 1 ? `${what} on attempt ${attempts}` : what;
  return last_error === null ? what : `${what}: ${last_error}`;
}

function describeUndelivered({ report, run }: MadeReport): string[] {
  const missed = run.deliveries.filter(({ status }) => status !== "delivered");
  if (missed.length === 0) return [];
  const names = missed.map(({ channel, recipient }) => `${channel} to ${recipient}`).join(", ");
  const check = missed.some(({ channel }) => channel === "email")
    ? "`calltally doctor` checks the mail server. "
    : "";
  return [
    `${report} was not delivered by ${names}\n${check}\`calltally run ${report} --deliver\` makes it again, and sends it to all recipients.`,
  ];
}
