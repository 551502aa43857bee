import { createHash } from "node:crypto";
import { join } from "node:path";
import { parseAge } from "../calendar/age-text.ts";
import { comparisonRange, type DateRange, toInstants } from "../calendar/dates.ts";
import { periods } from "../calendar/periods.ts";
import { ageOf, type Clock, systemClock } from "../clock.ts";
import { BRIEF_RETRY, type DeliveryResult, deliver } from "../delivery/deliver.ts";
import type { Figure, ReportFile, ReportSummary } from "../delivery/report-summary.ts";
import { CalltallyError, describeError, EXIT, type ExitCode, worstCode } from "../errors.ts";
import { exportFiguresToFolder } from "../export/export-figures.ts";
import type { CustomTarget } from "../export/figure-job.ts";
import {
  describeCaveats,
  describeHistory,
  describeRestated,
  encodeManifest,
  MADE_UP,
  type Manifest,
} from "../export/manifest.ts";
import { type ExportResult, exportToFolder } from "../export/write-export.ts";
import { formatAnswerRate, formatChange, formatCount, formatPoints } from "../report/figure-text.ts";
import { describeDays } from "../report/period-text.ts";
import { type Figures, readHeadline } from "../report/report-figures.ts";
import type { AttributionProgress } from "../warehouse/attribute-all.ts";
import { readDeliveries } from "../warehouse/delivery-table.ts";
import { openExistingWarehouse, type Warehouse } from "../warehouse/open.ts";
import { assertOwnToken, openOwn } from "../warehouse/own-warehouse.ts";
import { endReportRun, startReportRun, updateReportRun } from "../warehouse/report-run-table.ts";
import { readLastGoodRun } from "../warehouse/runs.ts";
import { deliverableTarget } from "./deliverable.ts";
import { assertPublished, type EngineAccount, readEngineAccount } from "./engine.ts";
import { toCalltallyError } from "./known-error.ts";
import {
  type NamedReport,
  planReport,
  type ReportPlan,
  toDeliveryTargets,
  toReportError,
} from "./named-report.ts";

export interface MakeReportOptions {
  /** When the schedule had it due, ISO 8601 UTC; null for a run by hand. */
  scheduledFor: string | null;
  /** The moment that its days are counted from, milliseconds since 1970-01-01 UTC. @default when it is due */
  dueMs?: number;
  isDelivered: boolean;
  /** Whether a run that some have not taken for the moment is to be taken up again. @default they do not get it */
  isTakenUpAgain?: boolean;
  /** Whether it is delivered only where figures that it gave out are others now. @default false */
  isOnlyRestated?: boolean;
  /** Folder that commands run in. */
  workingFolder: string;
  signal: AbortSignal;
  clock?: Clock;
  onAttributed?: ((progress: AttributionProgress) => void) | undefined;
}

/** Attempts at a recipient by a run and by those that take it up again: those of five calls. */
const ATTEMPTS_IN_ALL = 5 * BRIEF_RETRY.attempts;

/** What became of a report. */
export interface MadeReport extends ExportResult {
  report: string;
  report_run_id: number;
  /** Whether the last good sync is older than the report asks for. */
  is_stale: boolean;
  deliveries: DeliveryResult[];
}

/**
 * Makes a report, and delivers it: the ledger says before and after what is done, so that a run that was killed is taken up
 * again and no recipient gets it twice. Returns undefined for a due run that is done already.
 *
 * @throws CalltallyError (exit 6) while another process is at the same due run
 */
export async function makeReport(
  report: NamedReport,
  options: MakeReportOptions,
): Promise<MadeReport | undefined> {
  const {
    scheduledFor,
    isDelivered,
    isOnlyRestated = false,
    signal,
    clock = systemClock,
    workingFolder,
  } = options;
  const dueMs = options.dueMs ?? (scheduledFor === null ? clock.now() : Date.parse(scheduledFor));
  // All that can be refused is refused before anything is written.
  const plan = planReport(report, dueMs);
  const targets = isDelivered ? toDeliveryTargets(report, plan, workingFolder) : [];
  using warehouse = openOwn(plan.request, openExistingWarehouse);
  if (targets.length > 0) assertOwnToken(warehouse, report.settings);
  const { name, account } = report;
  const isoNow = () => new Date(clock.now()).toISOString();
  const started = startReportRun(warehouse, { report: name, account, scheduledFor, startedAt: isoNow() });
  if ("conflict" in started) {
    if (started.conflict === "done") return undefined;
    throw new CalltallyError(EXIT.locked, `Cannot run the report ${name}: another process is making it`);
  }
  const { runId, isResumed } = started;
  const end = (status: "done" | "failed" | "interrupted", error: string | null) =>
    endReportRun(warehouse, runId, { status, finishedAt: isoNow(), error });
  try {
    const headline: Headline = { figures: {}, compared: undefined };
    const checks = targets.length > 0 ? [deliverableTarget(report)] : [];
    const exported =
      plan.engine === undefined
        ? exportToFolder({
            ...plan.request,
            targets: [...checks, ...plan.request.targets, headlineTarget(headline)],
            signal,
            clock,
            onAttributed: options.onAttributed,
            reportRun: {
              runId,
              isRepeated: isResumed && mayBeTaken(warehouse, runId, targets.length),
            },
          })
        : exportPublished(report, plan, plan.engine, { checks, headline, signal });
    const result = await exported;
    const lastGood = plan.engine === undefined ? readLastGoodRun(warehouse) : goodRunOf(result.manifest);
    const is_stale = isOlder(lastGood?.finished_at, report, clock.now());
    const { manifest, folder } = result;
    const files = toFiles(result, plan);
    updateReportRun(warehouse, runId, {
      verdict: verdictOf(manifest),
      range_from: plan.range.from ?? null,
      range_to: plan.range.to ?? null,
      is_stale,
      folder,
      files: JSON.stringify(files.map(({ isPersonal, ...file }) => ({ ...file, is_personal: isPersonal }))),
    });
    const deliveries = await deliver(
      warehouse,
      {
        runId,
        summary: summarize(report, { manifest, plan, files, folder, is_stale, headline }),
        values: plan.values,
        personalData: report.content.personal_data ?? false,
        targets: isOnlyRestated && manifest.restatements?.file === undefined ? [] : targets,
      },
      {
        signal,
        retry: BRIEF_RETRY,
        attemptsInAll: options.isTakenUpAgain ? ATTEMPTS_IN_ALL : undefined,
        secrets: report.settings.token ? [report.settings.token] : [],
        clock,
      },
    );
    signal.throwIfAborted();
    if (deliveries.some(({ status }) => status === "pending"))
      end("interrupted", "not taken yet by everybody");
    else end("done", null);
    return { ...result, report: name, report_run_id: runId, is_stale, deliveries };
  } catch (thrown) {
    const error = toReportError(report, thrown);
    end(signal.aborted ? "interrupted" : "failed", describeError(toCalltallyError(error)));
    throw error;
  }
}

/**
 * Whether somebody may have the files of a run that was cut short: then its conversions stay as they were said. If nobody
 * has been sent them, the run writes them again, as they are to be said now.
 */
function mayBeTaken(warehouse: Warehouse, runId: number, recipients: number): boolean {
  const isPending = readDeliveries(warehouse, runId).every(({ status }) => status === "pending");
  return recipients === 0 || !isPending;
}

/** Returns the exit code that a report ends with. */
export function exitCodeOfReport({ manifest, is_stale, deliveries }: MadeReport): ExitCode {
  const codes: ExitCode[] = [];
  if (manifest.caveats !== undefined || is_stale) codes.push(EXIT.unverified);
  if (deliveries.some(({ status }) => status !== "delivered")) codes.push(EXIT.undelivered);
  return worstCode(codes);
}

/** Whether the last good sync ended longer ago than the report lets it. */
export function isStale(warehouse: Warehouse, report: NamedReport, nowMs: number): boolean {
  return isOlder(readLastGoodRun(warehouse)?.finished_at, report, nowMs);
}

function isOlder(finishedAt: string | null | undefined, { content }: NamedReport, nowMs: number): boolean {
  if (content.fresh === undefined) return false;
  return ageOf(finishedAt, nowMs) > parseAge(content.fresh).ms;
}

/** Makes the files of what was published of the account, once more where something is published meanwhile. */
async function exportPublished(
  report: NamedReport,
  { request }: ReportPlan,
  { address, targets }: NonNullable<ReportPlan["engine"]>,
  { checks, headline, signal }: { checks: CustomTarget[]; headline: Headline; signal: AbortSignal },
): Promise<ExportResult> {
  const work = async (account: EngineAccount) => {
    assertPublished(targets, account);
    const all = [...checks, ...targets, headlineTarget(headline)];
    return await exportFiguresToFolder(account.source, { ...request, targets: all, signal });
  };
  return await readEngineAccount(address, report, work, signal);
}

function goodRunOf({ run }: Manifest): Manifest["run"] {
  return run?.verdict === "unverified" ? null : run;
}

/** The figures that a mail begins with, and the days that their changes are from. */
interface Headline {
  figures: Figures;
  compared: DateRange | undefined;
}

/** Reads the headline at the same moment of the warehouse as the files; writes no file. */
function headlineTarget(headline: Headline): CustomTarget {
  return {
    kind: "custom",
    write: async ({ session, scope, minCell }) => {
      const { span, range, timezone, grain, previousPeriods } = scope;
      const { from, to } = range;
      const isClosed = from !== undefined && to !== undefined;
      headline.compared =
        scope.previousRange ?? (isClosed ? comparisonRange({ from, to }, "previous") : undefined);
      const { compared } = headline;
      // A report of those days may have left a period blank, which their total would show.
      const periodsBefore = ({ from, to }: DateRange) =>
        grain && from !== undefined && to !== undefined && periods({ from, to, grain, zone: timezone });
      const previous = compared && {
        span: toInstants(compared, timezone),
        periods: (scope.previousSpan ? grain && previousPeriods : periodsBefore(compared)) || undefined,
      };
      const stretch = { span, periods: grain && scope.periods, previous, minCell };
      headline.figures = readHeadline(session, stretch);
      return [];
    },
  };
}

function toFiles({ manifest, folder }: ExportResult, { personal }: ReportPlan): ReportFile[] {
  const { file: restated } = manifest.restatements ?? {};
  const all = [...manifest.files, ...(restated ? [{ ...restated, contents: "restatements" }] : [])];
  const ofPeople = new Set([...personal, ...personal.map((list) => `${list}.excluded`), "workbook"]);
  return all.map(({ file, bytes, sha256, contents }) => ({
    name: file,
    path: join(folder, file),
    bytes,
    sha256,
    isPersonal: personal.length > 0 && ofPeople.has(contents),
  }));
}

function verdictOf({ run }: Manifest) {
  const verdict = run?.verdict;
  return verdict === "exact" || verdict === "verified" || verdict === "probable" || verdict === "unverified"
    ? verdict
    : null;
}

interface SummaryOptions {
  manifest: Manifest;
  plan: ReportPlan;
  files: readonly ReportFile[];
  folder: string;
  is_stale: boolean;
  headline: Headline;
}

function summarize(
  { name, account, content }: NamedReport,
  { manifest, plan, files, folder, is_stale, headline }: SummaryOptions,
): ReportSummary {
  const { run, range, origin, timezone } = manifest;
  const isClosed = plan.range.from !== undefined && plan.range.to !== undefined;
  const { figures, compared } = headline;
  const beside = compared === undefined ? "" : `, compared with ${describeDays(compared)}`;
  return {
    title: `Calls: ${name}${plan.values.period === undefined ? "" : `, ${plan.values.period}`}`,
    account,
    range: `${isClosed ? describeDays(plan.range) : "All calls"}, days of ${timezone}${beside}`,
    headline: toHeadline(figures),
    verdict:
      run === null
        ? "No sync has finished yet."
        : `Run ${run.run_id} was ${run.verdict}: ${run.verdict_reason}.`,
    caveats: [
      ...describeRestated(manifest),
      ...(origin.made_by_demo ? [MADE_UP] : []),
      ...(is_stale ? [`The last good sync is older than ${content.fresh}: later calls are missing.`] : []),
      ...describeCaveats(manifest),
      ...(figures.calls === null
        ? [`The figures above are left out, since some would be of fewer than ${content.min_cell} calls.`]
        : []),
      ...describeHistory(manifest),
      ...(range.provisional
        ? ["The latest days are provisional: late transcripts and corrections may still come."]
        : []),
    ],
    folder,
    files,
    manifest: toManifestFile(manifest, folder),
  };
}

function toManifestFile(manifest: Manifest, folder: string): ReportFile {
  const [name, content] = ["manifest.json", Buffer.from(encodeManifest(manifest))];
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { name, path: join(folder, name), bytes: content.length, sha256, isPersonal: false };
}

function toHeadline(figures: Figures): Figure[] {
  const counted = (name: string, column: string): Figure => {
    const count = figures[column];
    const isLeftOut = typeof count !== "number";
    return {
      name,
      value: isLeftOut ? "–" : formatCount(count),
      change: isLeftOut ? null : formatChange(figures, column),
    };
  };
  return [
    counted("Calls", "calls"),
    { name: "Answer rate", value: formatAnswerRate(figures) ?? "–", change: formatPoints(figures) },
    counted("Qualified calls", "qualified_calls"),
    counted("First-time callers", "first_time_callers"),
    counted("Missed calls", "missed_calls"),
  ];
}
