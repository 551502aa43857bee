import { systemClock } from "../base/clock.ts";
import { EXIT } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import { FEATURES } from "../features/list.ts";
import { lastSlot, parseCron } from "../schedule/cron.ts";
import type { JobContext } from "../schedule/job-definition.ts";
import { logAttribution, logStatements } from "../schedule/job-log.ts";
import { openExistingWarehouse } from "../warehouse/file/open.ts";
import type { Reader } from "../warehouse/warehouse.ts";
import { readDeliveriesSince } from "./delivery/delivery-table.ts";
import { readLastDueRun } from "./delivery/report-run-table.ts";
import { exitCodeOfReport, type MadeReport, makeReport } from "./make-report.ts";
import type { NamedReport } from "./report.ts";
import { isCopyProven } from "./requirements.ts";
import { syncFirst } from "./sync-first.ts";

export async function runRestated(report: NamedReport, workingFolder: string, context: JobContext) {
  const { settings, log } = context;
  using warehouse = openExistingWarehouse(settings.database);
  const last = readLastDueRun(warehouse, { report: report.name, account: report.account });
  if (last?.scheduled_for == null || last.folder === null) return EXIT.done;
  if (!(await mayBeRestated(warehouse, realFile(last.folder)))) return EXIT.done;
  if (!isCopyProven(warehouse, report)) {
    log.info("figures have changed: waiting for a sync that proves the copy complete");
    return EXIT.done;
  }
  const reportRun = await makeReport(report, {
    scheduledFor: null,
    dueMs: Date.parse(last.scheduled_for),
    isDelivered: true,
    isOnlyRestated: true,
    ...inJob(workingFolder, context),
  });
  return reportRun === undefined ? EXIT.done : logMade(reportRun, context);
}

async function mayBeRestated(warehouse: Reader, folder: string): Promise<boolean> {
  for (const feature of FEATURES) if (await feature.mayBeRestated?.(warehouse, folder)) return true;
  return false;
}

/** Makes a report for its last slot, after a sync if it requires fresher calls. */
export async function runDue(report: NamedReport, cron: string, workingFolder: string, context: JobContext) {
  const { clock = systemClock } = context;
  const dueMs = lastSlot(parseCron(cron, report.settings.timezone), clock.now()) ?? clock.now();
  const scheduledFor = new Date(dueMs).toISOString();
  await syncFirst(report, context);
  const reportRun = await makeReport(report, {
    scheduledFor,
    isDelivered: true,
    isResumed: true,
    ...inJob(workingFolder, context),
  });
  return reportRun === undefined
    ? logDone(report, context, scheduledFor)
    : logMade(reportRun, context, scheduledFor);
}

function inJob(workingFolder: string, { log, signal, clock }: JobContext) {
  return { workingFolder, signal, ...(clock && { clock }), onAttributed: logAttribution(log) };
}

/** Logs that this slot was already done. Exit code 9 while the latest run has not reached all its recipients. */
function logDone({ name, account, settings }: NamedReport, { log }: JobContext, scheduledFor: string) {
  using warehouse = openExistingWarehouse(settings.database);
  const run = readLastDueRun(warehouse, { report: name, account }, { status: "done" });
  const deliveries = run === undefined ? [] : readDeliveriesSince(warehouse, run);
  const undelivered = deliveries.filter(({ status }) => status !== "delivered");
  const done = "this report run is already done";
  if (undelivered.length === 0) {
    log.info({ scheduledFor }, done);
    return EXIT.done;
  }
  const each = undelivered.map(({ channel, status }) => `${channel} ${status}`).join(", ");
  const command = `calltally run ${name} --deliver${account === null ? "" : ` --account ${account}`}`;
  const hint = `\`${command}\` makes a new report run and sends it to all; the table deliveries names the recipients`;
  const exitCode = EXIT.undelivered;
  const report_run_id = undelivered[0]?.report_run_id;
  log.error({ scheduledFor, report_run_id, exitCode, hint }, `${done}, but not delivered to all: ${each}`);
  return exitCode;
}

function logMade(reportRun: MadeReport, { log }: JobContext, scheduledFor?: string) {
  const { folder, manifest, note } = reportRun.files;
  const files = manifest.files.map(({ file, rows }) => ({ file, rows }));
  const restated = manifest.restatements?.file?.rows;
  log.info({ scheduledFor, folder, files, restated, verdict: manifest.run?.verdict }, "report made");
  for (const line of note.lines) log.warn(line);
  logStatements(log, manifest.statements);
  for (const { channel, status, attempts, last_error } of reportRun.run.deliveries) {
    const level = status === "delivered" ? "info" : status === "pending" ? "warn" : "error";
    log[level]({ channel, status, attempts, error: last_error ?? undefined }, "delivery");
  }
  return exitCodeOfReport(reportRun);
}
