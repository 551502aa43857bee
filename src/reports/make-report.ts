import { join } from "node:path";
import { ageOf, type Clock, systemClock } from "../base/clock.ts";
import { CalltallyError, describeError, EXIT, type ExitCode, worstCode } from "../base/errors.ts";
import { toCalltallyError } from "../base/known-error.ts";
import { parseAge } from "../calendar/age-text.ts";
import { BRIEF_RETRY, type DeliveryResult, deliver } from "../delivery/deliver.ts";
import { readDeliveries } from "../delivery/delivery-table.ts";
import { endReportRun, startReportRun, updateReportRun } from "../delivery/report-run-table.ts";
import type { ReportFile } from "../delivery/report-summary.ts";
import type { Job } from "../export/job.ts";
import type { Manifest } from "../export/manifest.ts";
import { folderOutput } from "../export/output/folder.ts";
import { SURE_VERDICTS, VERDICTS } from "../paging/verdict.ts";
import { type Made, type ProduceOptions, produce } from "../produce/produce.ts";
import { type EngineAccount, ONLY_ACCOUNT, readEngine } from "../produce/published-source.ts";
import { sourceOf } from "../produce/warehouse-source.ts";
import { check } from "../request/check.ts";
import { toContents } from "../request/contents.ts";
import { openExistingWarehouse } from "../warehouse/open.ts";
import { assertOwnToken, openOwn } from "../warehouse/own-warehouse.ts";
import { readLastGoodRun } from "../warehouse/runs/runs.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { planReport, type ReportPlan, toDeliveryTargets } from "./plan-report.ts";
import { type NamedReport, toReportError } from "./report.ts";
import { type ReportHeadline, readReportHeadline, summarizeReport } from "./summarize-report.ts";

export interface MakeReportOptions {
  /** When the schedule had it due, ISO 8601 UTC; null for a run by hand. */
  scheduledFor: string | null;
  /** The moment that its days are counted from, milliseconds since 1970-01-01 UTC. @default when it is due */
  dueMs?: number;
  isDelivered: boolean;
  /** Whether to retry recipients whose delivery is still pending. @default false */
  isTakenUpAgain?: boolean;
  /** Whether it is delivered only if previously reported figures changed. @default false */
  isOnlyRestated?: boolean;
  /** Folder that commands run in. */
  workingFolder: string;
  signal: AbortSignal;
  clock?: Clock;
  onAttributed?: ProduceOptions["onAttributed"];
}

/** Five rounds of {@link BRIEF_RETRY}, over a run and those that retry it. */
const ATTEMPTS_IN_ALL = 5 * BRIEF_RETRY.attempts;

/** What became of a report. */
export interface MadeReport extends Made {
  folder: string;
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
  using warehouse = openOwn(report.settings, openExistingWarehouse);
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
    let lastGood: Pick<NonNullable<Manifest["run"]>, "finished_at"> | null | undefined;
    let headline: ReportHeadline = { figures: {}, compared: undefined };
    const inspect = async (job: Job) => {
      if (targets.length > 0) assertDeliverable(report, job.manifest);
      headline = await readReportHeadline(job);
      lastGood = job.lists ? readLastGoodRun(job.lists.reader) : goodRunOf(job.manifest);
    };
    const isRepeated = isResumed && mayBeTaken(warehouse, runId, targets.length);
    const reportRun = { runId, isRepeated };
    const result = await produceReport(report, plan, {
      signal,
      clock,
      onAttributed: options.onAttributed,
      reportRun,
      inspect,
    });
    const is_stale = isOlder(lastGood?.finished_at, report, clock.now());
    const { manifest, folder } = result;
    const files = toFiles(manifest, folder, plan);
    updateReportRun(warehouse, runId, {
      verdict: verdictOf(manifest),
      range_from: plan.ask.range?.from ?? null,
      range_to: plan.ask.range?.to ?? null,
      is_stale,
      folder,
      files: JSON.stringify(files.map(({ isPersonal, ...file }) => ({ ...file, is_personal: isPersonal }))),
    });
    const deliveries = await deliver(
      warehouse,
      {
        runId,
        summary: summarizeReport(report, { manifest, plan, files, folder, is_stale, headline }),
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
      end("interrupted", "not yet delivered to every recipient");
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

/** Makes the files, of the warehouse or of what was published of the account. */
async function produceReport(
  report: NamedReport,
  { ask, folder }: ReportPlan,
  options: ProduceOptions & { signal: AbortSignal },
): Promise<Made & { folder: string }> {
  const { signal } = options;
  const { content, settings } = report;
  const output = folderOutput(folder, { signal });
  if (content.engine === undefined)
    return { folder: output.folder, ...(await produce(ask, sourceOf(settings), output, options)) };
  const owner = { name: report.account ?? ONLY_ACCOUNT, settings };
  const work = async ([account]: readonly EngineAccount[]) => {
    if (account === undefined) throw new Error(`The cluster returned no account ${owner.name}`);
    const { source } = account;
    check(content, { source: source.can, output: output.can }, { spell: ask.spell });
    const contents = toContents(content, source.can);
    return await produce({ ...ask, contents }, source, output, options);
  };
  const made = await readEngine(content.engine, [owner], work, { signal });
  return { folder: output.folder, ...made };
}

/** @throws CalltallyError (exit 9) where the report may not be delivered */
function assertDeliverable({ name, content }: NamedReport, { run }: Manifest): void {
  if (run === null) {
    throw new CalltallyError(
      EXIT.undelivered,
      `Cannot deliver the report ${name}: no sync has finished yet`,
      {
        hint: "Run `calltally sync`; `calltally status` says why the last one did not finish.",
      },
    );
  }
  if (isProvenEnough(run.verdict, content)) return;
  const why = `sync ${run.run_id} was ${run.verdict}: ${run.verdict_reason}`;
  throw new CalltallyError(
    EXIT.undelivered,
    `Cannot deliver the report ${name}, which requires a proven copy: ${why}`,
    {
      hint: "Run `calltally sync --full` and the report again; `calltally run` without --deliver makes it all the same.",
    },
  );
}

/** Whether a sync with this verdict proved as much as a report requires. */
export function isProvenEnough(
  verdict: string | null | undefined,
  { require }: Pick<NamedReport["content"], "require">,
): boolean {
  return require === undefined || SURE_VERDICTS.some((sure) => sure === verdict);
}

function goodRunOf({ run }: Manifest): Manifest["run"] {
  return run?.verdict === "unverified" ? null : run;
}

function toFiles(manifest: Manifest, folder: string, { personal }: ReportPlan): ReportFile[] {
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
  return VERDICTS.find((known) => known === run?.verdict) ?? null;
}
