import type { Clock } from "../base/clock.ts";
import { CalltallyError, describeError, EXIT } from "../base/errors.ts";
import { toCalltallyError } from "../base/known-error.ts";
import { readDeliveries } from "../delivery/delivery-table.ts";
import { endReportRun, startReportRun, updateReportRun } from "../delivery/report-run-table.ts";
import type { ReportFile } from "../delivery/report-summary.ts";
import type { Manifest } from "../export/manifest.ts";
import { VERDICTS } from "../paging/verdict.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { ReportPlan } from "./plan-report.ts";
import type { NamedReport } from "./report.ts";

interface RunOptions {
  /** When the schedule had it due, ISO 8601 UTC; null for a run by hand. */
  scheduledFor: string | null;
  clock: Clock;
}

/** The record of a report run in the ledger. */
export class RunRecord {
  readonly runId: number;
  readonly #warehouse: Warehouse;
  readonly #clock: Clock;
  readonly #isResumed: boolean;

  /**
   * Enters a run, or takes up a due one that was cut short. Returns undefined for a due run that is already done.
   *
   * @throws CalltallyError (exit 6) while another process makes the same due run
   */
  static start(
    warehouse: Warehouse,
    { name, account }: NamedReport,
    { scheduledFor, clock }: RunOptions,
  ): RunRecord | undefined {
    const startedAt = new Date(clock.now()).toISOString();
    const started = startReportRun(warehouse, { report: name, account, scheduledFor, startedAt });
    if (!("conflict" in started)) return new RunRecord(warehouse, started, clock);
    if (started.conflict === "done") return undefined;
    throw new CalltallyError(EXIT.locked, `Cannot run the report ${name}: another process is making it`);
  }

  private constructor(
    warehouse: Warehouse,
    { runId, isResumed }: { runId: number; isResumed: boolean },
    clock: Clock,
  ) {
    this.runId = runId;
    this.#warehouse = warehouse;
    this.#clock = clock;
    this.#isResumed = isResumed;
  }

  /**
   * Whether somebody may have the files of a run that was cut short: its conversions then stay as they were. If nobody
   * has been sent them, the run writes current ones.
   */
  mayBeTaken(recipients: number): boolean {
    if (!this.#isResumed) return false;
    const isPending = readDeliveries(this.#warehouse, this.runId).every(({ status }) => status === "pending");
    return recipients === 0 || !isPending;
  }

  /** Records what was made, before it is delivered. */
  update(
    { run }: Manifest,
    { ask }: ReportPlan,
    { files, ...made }: { is_stale: boolean; folder: string; files: readonly ReportFile[] },
  ): void {
    updateReportRun(this.#warehouse, this.runId, {
      ...made,
      verdict: VERDICTS.find((known) => known === run?.verdict) ?? null,
      range_from: ask.range?.from ?? null,
      range_to: ask.range?.to ?? null,
      files: JSON.stringify(files.map(({ isPersonal, ...file }) => ({ ...file, is_personal: isPersonal }))),
    });
  }

  end(status: "done" | "failed" | "interrupted", error: string | null): void {
    const finishedAt = new Date(this.#clock.now()).toISOString();
    endReportRun(this.#warehouse, this.runId, { status, finishedAt, error });
  }

  fail(error: unknown, isStopped: boolean): void {
    this.end(isStopped ? "interrupted" : "failed", describeError(toCalltallyError(error)));
  }
}
