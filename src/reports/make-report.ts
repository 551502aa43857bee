import { type Clock, systemClock } from "../base/clock.ts";
import { EXIT, type ExitCode, worstCode } from "../base/errors.ts";
import type { Job } from "../export/job.ts";
import type { Manifest } from "../export/manifest.ts";
import { type Sentence, sentencesOf } from "../export/sentences/sentences.ts";
import { assertOwnCalls } from "../export/statements/own-calls.ts";
import { exitCodeOf } from "../export/statements/statements.ts";
import { openExistingWarehouse } from "../warehouse/file/open.ts";
import { assertOwnToken, openOwn } from "../warehouse/file/own-warehouse.ts";
import type { Coverage } from "../warehouse/runs/basis-schema.ts";
import { BRIEF_RETRY, type DeliveryResult, deliver } from "./delivery/deliver.ts";
import type { ReportSummary } from "./delivery/report-summary.ts";
import { toDeliveryTargets } from "./delivery-targets.ts";
import { planReport } from "./plan-report.ts";
import type { ProducedFiles, ProduceOptions } from "./produce/produce.ts";
import { produceReport } from "./produce-report.ts";
import { type NamedReport, toReportError } from "./report.ts";
import { type ReportNews, readReportNews } from "./report-news.ts";
import { assertDeliverable, isStale, readLastGoodSync } from "./requirements.ts";
import { readRingBack } from "./ring-back.ts";
import { startRun } from "./start-run.ts";
import {
  type ReportHeadline,
  readReportFacts,
  readReportHeadline,
  summarizeReport,
  toFiles,
} from "./summarize-report.ts";

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

export interface MadeReport extends ProducedFiles {
  folder: string;
  report: string;
  report_run_id: number;
  is_stale: boolean;
  deliveries: DeliveryResult[];
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
    let is_stale = false;
    let headline: ReportHeadline = { figures: {}, spend: undefined, earned: undefined, compared: undefined };
    let coverage: Pick<Coverage, "verified"> = { verified: null };
    let news: ReportNews | undefined;
    let ringBack: ReportSummary["ring_back"];
    let findSentences = (_: Manifest): Sentence[] => [];
    const inspect = async (job: Job) => {
      if (targets.length > 0) assertDeliverable(report, job.manifest);
      headline = await readReportHeadline(job);
      coverage = job.readCoverage();
      if (targets.length > 0) {
        news = readReportNews(report, runId, job);
        ringBack = readRingBack(report, job);
        const facts = await readReportFacts(job, headline);
        findSentences = ({ statements }) =>
          sentencesOf({ ...facts, statements, restatements: job.remembered?.found ?? [] });
      }
      is_stale = isStale(readLastGoodSync(job), report, clock.now());
      const { fresh, min_cell } = report.content;
      job.state({
        // A delivery shows the headline, which has all figures.
        ...(targets.length > 0 && { figures: undefined }),
        report: {
          ...(is_stale && fresh !== undefined && { olderThan: fresh }),
          ...(headline.compared?.isCovered === false && {
            comparedFrom: headline.compared.range.from ?? null,
          }),
          ...(headline.figures.calls === null && min_cell !== undefined && { headlineMinCell: min_cell }),
        },
      });
    };
    const result = await produceReport(report, plan, {
      signal,
      clock,
      onAttributed: options.onAttributed,
      reportRun: { runId, isRepeated: run.mayBeSent(targets.length) },
      inspect,
    });
    const { manifest, folder } = result;
    const files = toFiles(manifest, folder, plan);
    run.update(manifest, plan, { is_stale, folder, files, news_until: news?.until ?? null });
    const deliveries = await deliver(
      warehouse,
      {
        runId,
        summary: summarizeReport(report, {
          ...{ manifest, coverage, plan, files, folder, headline, news, ringBack },
          sentences: findSentences(manifest),
        }),
        values: plan.values,
        targets: options.isOnlyRestated && manifest.restatements?.file === undefined ? [] : targets,
      },
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
    return { ...result, report: report.name, report_run_id: runId, is_stale, deliveries };
  } catch (thrown) {
    const error = toReportError(report, thrown);
    run.fail(error, signal.aborted);
    throw error;
  }
}

export function exitCodeOfReport({ manifest, deliveries }: MadeReport): ExitCode {
  const codes: ExitCode[] = [exitCodeOf(manifest.statements)];
  if (deliveries.some(({ status }) => status !== "delivered")) codes.push(EXIT.undelivered);
  return worstCode(codes);
}
