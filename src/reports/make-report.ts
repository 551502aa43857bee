import { type Clock, systemClock } from "../base/clock.ts";
import { EXIT, type ExitCode, worstCode } from "../base/errors.ts";
import { assertOwnCalls } from "../export/statements/own-calls.ts";
import { exitCodeOf } from "../export/statements/statements.ts";
import { openExistingWarehouse } from "../warehouse/file/open.ts";
import { assertOwnToken, openOwn } from "../warehouse/file/own-warehouse.ts";
import { nameFile } from "../warehouse/file/sqlite-errors.ts";
import { BRIEF_RETRY, type DeliveryResult, deliver } from "./delivery/deliver.ts";
import type { ReportSummary } from "./delivery/report-summary.ts";
import { toDeliveryTargets } from "./delivery-targets.ts";
import { planReport } from "./plan-report.ts";
import type { ProducedFiles, ProduceOptions } from "./produce/produce.ts";
import { produceReport } from "./produce-report.ts";
import { readReport } from "./read-report.ts";
import { type NamedReport, toReportError } from "./report.ts";
import { startRun } from "./start-run.ts";
import { summarizeReport } from "./summarize-report.ts";

export interface MakeReportOptions {
  /** When the schedule had it due, ISO 8601 UTC; null for a run by hand. */
  scheduledFor: string | null;
  /** The moment from which days are counted. @default when it is due */
  dueMs?: number;
  isDelivered: boolean;
  /** Whether to retry recipients whose delivery is pending. @default false */
  isResumed?: boolean;
  /** Deliver only if previously reported figures changed. @default false */
  isOnlyRestated?: boolean;
  workingFolder: string;
  signal: AbortSignal;
  clock?: Clock;
  onAttributed?: ProduceOptions["onAttributed"];
}

/** Five rounds of {@link BRIEF_RETRY}, over a run and its repetitions. */
const ATTEMPTS_IN_ALL = 5 * BRIEF_RETRY.attempts;

export interface MadeReport {
  report: string;
  files: ProducedFiles & { folder: string };
  /** What its recipients get. */
  summary: ReportSummary;
  run: { id: number; isStale: boolean; deliveries: readonly DeliveryResult[] };
}

/**
 * Makes and delivers a report. The ledger records each step before and after it, so a killed run is resumed and no
 * recipient gets it twice. Returns undefined for a due run that is already done.
 * @throws CalltallyError (exit 6) while another process makes the same due run
 */
export async function makeReport(
  report: NamedReport,
  options: MakeReportOptions,
): Promise<MadeReport | undefined> {
  try {
    return await makeAndDeliver(report, options);
  } catch (error) {
    throw nameFile(error, report.settings.database);
  }
}

async function makeAndDeliver(
  report: NamedReport,
  options: MakeReportOptions,
): Promise<MadeReport | undefined> {
  const { scheduledFor, isDelivered, workingFolder, signal, clock = systemClock } = options;
  const dueMs = options.dueMs ?? (scheduledFor === null ? clock.now() : Date.parse(scheduledFor));
  // Everything that can be refused is refused before anything is written.
  const plan = planReport(report, dueMs);
  const targets = isDelivered ? toDeliveryTargets(report, plan, workingFolder) : [];
  using warehouse = openOwn(report.settings, openExistingWarehouse);
  if (targets.length > 0) assertOwnToken(warehouse, report.settings);
  assertOwnCalls(warehouse, report.settings, `make the report ${report.name}`);
  const run = startRun(warehouse, report, { scheduledFor, clock });
  if (run === undefined) return undefined;
  const { runId } = run;
  try {
    const { files, value: reading } = await produceReport(
      report,
      plan,
      {
        signal,
        clock,
        onAttributed: options.onAttributed,
        reportRun: { runId, isRepeated: run.mayBeSent(targets.length) },
      },
      (job) => readReport(report, job, { runId, isDelivered: targets.length > 0, clock }),
    );
    const { manifest, folder } = files;
    const summary = summarizeReport(report, { plan, manifest, folder, reading });
    const { isStale, delivered } = reading;
    run.update(manifest, plan, {
      ...{ is_stale: isStale, folder, files: summary.files },
      news_until: delivered?.news?.until ?? null,
    });
    const isUnchanged = options.isOnlyRestated && manifest.restatements?.file === undefined;
    const deliveries = await deliver(
      warehouse,
      { runId, summary, values: plan.values, targets: isUnchanged ? [] : targets },
      {
        signal,
        retry: BRIEF_RETRY,
        attemptsInAll: options.isResumed ? ATTEMPTS_IN_ALL : undefined,
        secrets: report.settings.token ? [report.settings.token] : [],
        clock,
      },
    );
    signal.throwIfAborted();
    if (deliveries.some(({ status }) => status === "pending"))
      run.end("interrupted", "not yet delivered to every recipient");
    else run.end("done", null);
    return { report: report.name, files, summary, run: { id: runId, isStale, deliveries } };
  } catch (thrown) {
    const error = toReportError(report, thrown);
    run.fail(error, signal.aborted);
    throw error;
  }
}

export function exitCodeOfReport({ files: { manifest }, run }: MadeReport): ExitCode {
  const codes: ExitCode[] = [exitCodeOf(manifest.statements)];
  if (run.deliveries.some(({ status }) => status !== "delivered")) codes.push(EXIT.undelivered);
  return worstCode(codes);
}
