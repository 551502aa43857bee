import { existsSync } from "node:fs";
import { ageOf, systemClock } from "../base/clock.ts";
import { CalltallyError, describeError, EXIT } from "../base/errors.ts";
import { realFile } from "../base/folder.ts";
import { toCalltallyError } from "../base/known-error.ts";
import { parseAge } from "../calendar/age-text.ts";
import type { Job } from "../export/job.ts";
import type { Manifest } from "../export/manifest.ts";
import { isSure } from "../paging/verdict.ts";
import type { JobContext } from "../schedule/job-definition.ts";
import { logAttribution, logNotice } from "../schedule/job-log.ts";
import { readStatements } from "../statements/read-statements.ts";
import { doubtsOf, type Statement, say } from "../statements/statements.ts";
import { runSync } from "../sync/run.ts";
import { toSyncOptions } from "../sync/sync-options.ts";
import { openExistingWarehouse } from "../warehouse/open.ts";
import { readLastDoneRun, readLastGoodRun } from "../warehouse/runs/runs.ts";
import type { Reader } from "../warehouse/warehouse.ts";
import type { NamedReport } from "./report.ts";

/** Whether a sync that ended then is older than a report's `fresh` allows; null is. */
export function isStale(
  finishedAt: string | null | undefined,
  { content: { fresh } }: NamedReport,
  nowMs: number,
): boolean {
  return fresh !== undefined && ageOf(finishedAt, nowMs) > parseAge(fresh).ms;
}

/** Returns when the last sync with a verdict better than unverified ended; for a cluster, the published one. */
export function readLastGoodSync({ lists, manifest: { run } }: Job): string | null | undefined {
  if (lists !== undefined) return readLastGoodRun(lists.reader)?.finished_at;
  return run?.verdict === "unverified" ? null : run?.finished_at;
}

/** Whether a copy satisfies a report's `require`: its last sync is proven, and nothing puts its figures in doubt. */
export function isCopyProven(warehouse: Reader, report: NamedReport): boolean {
  const statements = readStatements(warehouse, report.settings);
  return isProven(readLastDoneRun(warehouse)?.verdict, statements, report);
}

function isProven(
  verdict: string | null | undefined,
  statements: readonly Statement[],
  { content }: NamedReport,
): boolean {
  return content.require === undefined || (isSure(verdict) && doubtsOf(statements).length === 0);
}

const PROVE = "Run `calltally sync --full` and the report again.";

/** @throws CalltallyError (exit 9) if the report must not be delivered */
export function assertDeliverable(report: NamedReport, { run, statements }: Manifest): void {
  if (run === null || isProven(run.verdict, statements, report)) return;
  const what = `Cannot deliver the report ${report.name}, which requires a proven copy`;
  const [doubt] = doubtsOf(statements);
  const { text, hint = PROVE } = doubt
    ? say(doubt)
    : { text: `sync ${run.run_id} was ${run.verdict}: ${run.verdict_reason}` };
  throw new CalltallyError(EXIT.undelivered, `${what}: ${text}`, {
    hint: `${hint} \`calltally run\` without --deliver makes the report anyway.`,
  });
}

const LONGEST_WAIT_MS = 20 * 60_000;
const POLL_MS = 2000;

/** Syncs if the calls are older, or less proven, than a report requires; waits for a running sync. */
export async function refreshCalls(report: NamedReport, context: JobContext) {
  const { settings, log, signal, limitOf, clock = systemClock } = context;
  const { fresh, require } = report.content;
  const untilMs = clock.now() + LONGEST_WAIT_MS;
  const isOld = () => {
    // Before the first sync there is no warehouse.
    if (!existsSync(realFile(settings.database))) return fresh !== undefined || require !== undefined;
    using warehouse = openExistingWarehouse(settings.database);
    const lastGoodSync = readLastGoodRun(warehouse)?.finished_at;
    return !isCopyProven(warehouse, report) || isStale(lastGoodSync, report, clock.now());
  };
  for (let isWaiting = false; isOld() && clock.now() < untilMs; isWaiting = true) {
    try {
      await runSync({
        ...toSyncOptions(settings, limitOf),
        force: require === undefined ? undefined : "full",
        signal,
        clock,
        onAttributed: logAttribution(log),
        onNotice: logNotice(log),
      });
      return;
    } catch (error) {
      if (signal.aborted) throw error;
      const isBusy = error instanceof CalltallyError && error.exitCode === EXIT.locked;
      if (!isBusy) {
        log.warn(`the sync before the report failed: ${describeError(toCalltallyError(error))}`);
        return;
      }
      if (!isWaiting) log.info("another process syncs this warehouse: waiting for it");
      await clock.sleep(POLL_MS, signal);
    }
  }
}
