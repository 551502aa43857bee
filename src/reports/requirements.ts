import { ageOf } from "../base/clock.ts";
import { CalltallyError, EXIT } from "../base/errors.ts";
import { parseAge } from "../calendar/age-text.ts";
import type { Job } from "../export/job.ts";
import type { Manifest } from "../export/manifest.ts";
import { isSure } from "../paging/verdict.ts";
import { readLastDoneRun, readLastGoodRun } from "../warehouse/runs/runs.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { NamedReport } from "./report.ts";

/** Whether the last good sync ended longer ago than `fresh` of a report allows. */
export function isStale(warehouse: Warehouse, report: NamedReport, nowMs: number): boolean {
  return isOlder(readLastGoodRun(warehouse)?.finished_at, report, nowMs);
}

/** Whether a sync that ended then is older than `fresh` of a report allows; one that never ended is. */
export function isOlder(
  finishedAt: string | null | undefined,
  { content }: NamedReport,
  nowMs: number,
): boolean {
  const { fresh } = content;
  return fresh !== undefined && ageOf(finishedAt, nowMs) > parseAge(fresh).ms;
}

/** Returns when the last sync with a verdict better than unverified ended; of a cluster, the one that was published. */
export function readLastGoodSync({ lists, manifest: { run } }: Job): string | null | undefined {
  if (lists !== undefined) return readLastGoodRun(lists.reader)?.finished_at;
  return run?.verdict === "unverified" ? null : run?.finished_at;
}

/** Whether the last sync proved as much as `require` of a report asks for. */
export function isProven(warehouse: Warehouse, report: NamedReport): boolean {
  return isProvenEnough(readLastDoneRun(warehouse)?.verdict, report);
}

function isProvenEnough(verdict: string | null | undefined, { content }: NamedReport): boolean {
  return content.require === undefined || isSure(verdict);
}

/** @throws CalltallyError (exit 9) if the report must not be delivered */
export function assertDeliverable(report: NamedReport, { run }: Manifest): void {
  const what = `Cannot deliver the report ${report.name}`;
  if (run === null) {
    const hint = "Run `calltally sync`; `calltally status` says why the last one did not finish.";
    throw new CalltallyError(EXIT.undelivered, `${what}: no sync has finished yet`, { hint });
  }
  if (isProvenEnough(run.verdict, report)) return;
  const why = `sync ${run.run_id} was ${run.verdict}: ${run.verdict_reason}`;
  throw new CalltallyError(EXIT.undelivered, `${what}, which requires a proven copy: ${why}`, {
    hint: "Run `calltally sync --full` and the report again; `calltally run` without --deliver makes it all the same.",
  });
}
