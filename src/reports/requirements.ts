import { ageOf } from "../base/clock.ts";
import { CalltallyError, EXIT } from "../base/errors.ts";
import { parseAge } from "../calendar/age-text.ts";
import type { Job } from "../export/job.ts";
import type { Manifest } from "../export/manifest.ts";
import { isSure } from "../paging/verdict.ts";
import { readLastGoodRun } from "../warehouse/runs/runs.ts";
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

/** Whether a verdict satisfies a report's `require`. */
export function isProven(verdict: string | null | undefined, { content }: NamedReport): boolean {
  return content.require === undefined || isSure(verdict);
}

/** @throws CalltallyError (exit 9) if the report must not be delivered */
export function assertDeliverable(report: NamedReport, { run }: Manifest): void {
  const what = `Cannot deliver the report ${report.name}`;
  if (run === null) {
    const hint = "Run `calltally sync`; `calltally status` shows why the last one did not finish.";
    throw new CalltallyError(EXIT.undelivered, `${what}: no sync has finished yet`, { hint });
  }
  if (isProven(run.verdict, report)) return;
  const why = `sync ${run.run_id} was ${run.verdict}: ${run.verdict_reason}`;
  throw new CalltallyError(EXIT.undelivered, `${what}, which requires a proven copy: ${why}`, {
    hint: "Run `calltally sync --full` and the report again; `calltally run` without --deliver makes it anyway.",
  });
}
