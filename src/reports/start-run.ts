import type { Clock } from "../base/clock.ts";
import { describeError } from "../base/errors.ts";
import { toCalltallyError } from "../base/known-error.ts";
import type { Manifest } from "../export/manifest.ts";
import { VERDICTS } from "../service/paging/verdict.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import { readDeliveries } from "./delivery/delivery-table.ts";
import { startReportRun, updateReportRun } from "./delivery/report-run-table.ts";
import type { ReportFile } from "./delivery/report-summary.ts";
import type { ReportPlan } from "./plan-report.ts";
import type { NamedReport } from "./report.ts";

/** Returns undefined for a due run that is done. @throws CalltallyError (exit 6) if another process makes it */
export function startRun(
  warehouse: Warehouse,
  { name, account }: Pick<NamedReport, "name" | "account">,
  { scheduledFor, clock }: { scheduledFor: string | null; clock: Clock },
) {
  const isoNow = () => new Date(clock.now()).toISOString();
  const started = startReportRun(warehouse, { report: name, account, scheduledFor, startedAt: isoNow() });
  if (started === undefined) return undefined;
  const { runId, isResumed } = started;
  const end = (status: "done" | "failed" | "interrupted", error: string | null) =>
    updateReportRun(warehouse, runId, { status, finished_at: isoNow(), error });
  return {
    runId,
    /**
     * Whether somebody may have the files of an interrupted run: its conversions then stay the same. Otherwise the
     * run writes current ones.
     */
    mayBeSent: (recipients: number) =>
      isResumed &&
      (recipients === 0 || readDeliveries(warehouse, runId).some(({ status }) => status !== "pending")),
    /** Records what was made, before it is delivered. */
    update: (
      { run }: Manifest,
      { ask: { range } }: ReportPlan,
      {
        files,
        ...outcome
      }: { is_stale: boolean; folder: string; files: readonly ReportFile[]; news_until: number | null },
    ) =>
      updateReportRun(warehouse, runId, {
        ...outcome,
        verdict: VERDICTS.find((known) => known === run?.verdict) ?? null,
        range_from: range?.from ?? null,
        range_to: range?.to ?? null,
        files: JSON.stringify(
          files.map(({ isPersonal, isScript: _, ...file }) => ({ ...file, is_personal: isPersonal })),
        ),
      }),
    end,
    /** Records an error; if that fails too, the run counts as interrupted once its process has ended. */
    fail: (error: unknown, isStopped: boolean) => {
      try {
        end(isStopped ? "interrupted" : "failed", describeError(toCalltallyError(error)));
      } catch {
        // The first error is the one to report.
      }
    },
  };
}
