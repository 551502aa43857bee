import { parseAge } from "../base/calendar/age-text.ts";
import { ageOf } from "../base/clock.ts";
import { CalltallyError, EXIT } from "../base/errors.ts";
import type { ExportJob } from "../export/job.ts";
import type { Manifest } from "../export/manifest.ts";
import { readStatements } from "../export/statements/read-statements.ts";
import { doubtsOf, type Statement, say } from "../export/statements/statements.ts";
import { isSure } from "../service/paging/verdict.ts";
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
export function readLastGoodSync({ lists, manifest: { run } }: ExportJob): string | null | undefined {
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
