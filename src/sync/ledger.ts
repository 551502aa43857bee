import { ageOf } from "../base/clock.ts";
import { describeError, InterruptedError } from "../base/errors.ts";
import { ApiError } from "../service/api/api-errors.ts";
import { MAX_RETRY_AFTER_MS } from "../service/api/retry.ts";
import type { Sort } from "../service/paging/order-key.ts";
import type { Slice } from "../service/paging/slice.ts";
import { isDamage, nameFile } from "../warehouse/file/sqlite-errors.ts";
import { hasAllCalls, readPages, trimPages } from "../warehouse/runs/page-table.ts";
import {
  assertHeld,
  closeKilledRuns,
  type RunHold,
  readLastVerifiedPass,
  readRuns,
  startRun,
  updateRun,
} from "../warehouse/runs/runs.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Reader, Warehouse } from "../warehouse/warehouse.ts";
import { readRows } from "./order-members.ts";
import type { Plan } from "./plan.ts";
import type { Run } from "./read-calls.ts";

/** Maximum age of its first page for an interrupted full pass to be resumed. */
const RESUMABLE_MS = 3_600_000;

export interface StartedRun {
  runId: number;
  sort: Sort;
  /** The slices that the run has read in that order before it was interrupted. */
  earlier: Slice[];
}

export interface Entry extends RunHold {
  /** When this process started or resumed it. */
  startedMs: number;
}

export function startOrResume(warehouse: Warehouse, plan: Plan, nowMs: number): StartedRun {
  return writeTransaction(warehouse, () => {
    closeKilledRuns(warehouse);
    const [last] = readRuns(warehouse, 1);
    const sort = readLastVerifiedPass(warehouse)?.sort ?? "own";
    if (plan.mode === "full" && last?.mode === "full" && last.status !== "done") {
      const earlier = readChain(warehouse, last.run_id, nowMs);
      if (earlier.length > 0) {
        const again = {
          finished_at: null,
          error: null,
          not_before: null,
          pid: process.pid,
          plan_reason: plan.reason,
        };
        const chain = { sort: last.sort ?? "own", earlier };
        updateRun(warehouse, last.run_id, { ...again, status: "running", resumed: (last.resumed ?? 0) + 1 });
        return { runId: last.run_id, ...chain };
      }
    }
    if (last !== undefined) trimPages(warehouse, last.run_id);
    const started_at = new Date(nowMs).toISOString();
    const runId = startRun(warehouse, {
      started_at,
      mode: plan.mode,
      plan_reason: plan.reason,
      pid: process.pid,
    });
    return { runId, sort, earlier: [] };
  });
}

/**
 * Closes an interrupted or failed run in `sync_runs`; the pages that it read are kept.
 *
 * @throws CalltallyError if another process has taken over the run
 */
export function fail(run: Run, entry: Entry, error: unknown): void {
  const pauseMs = error instanceof ApiError ? error.retryAfterMs : undefined;
  const untilMs = pauseMs === undefined ? undefined : run.clock.now() + Math.min(pauseMs, MAX_RETRY_AFTER_MS);
  writeTransaction(run.warehouse, (tx) => {
    assertHeld(tx, entry);
    updateRun(tx, entry.runId, {
      ...ended(run, entry),
      status: error instanceof InterruptedError ? "interrupted" : "failed",
      error: describeError(isDamage(error) ? nameFile(error, run.warehouse.path) : error),
      not_before: untilMs === undefined ? null : new Date(untilMs).toISOString(),
    });
  });
}

/** Returns the columns to set whenever a run ends. */
export function ended({ clock, attempts }: Run, { startedMs }: Entry) {
  const nowMs = clock.now();
  return { finished_at: new Date(nowMs).toISOString(), elapsed_ms: nowMs - startedMs, ...attempts() };
}

/**
 * Returns the pages of a run as slices; none if the first is too old, ids were dropped, or a page was put together from
 * several responses, which a missing request id shows: the rows that it lacks are not recorded.
 */
function readChain(warehouse: Reader, runId: number, nowMs: number): Slice[] {
  const pages = readPages(warehouse, runId);
  const [first] = pages;
  if (first?.offset !== 0) return [];
  if (ageOf(first.fetched_at, nowMs) > RESUMABLE_MS) return [];
  if (pages.some(({ request_id }) => request_id === null) || !hasAllCalls(warehouse, runId)) return [];
  const slices: Slice[] = [];
  for (const { offset, total, row_count, call_ids, order_members, request_id, is_old } of pages) {
    const rows = readRows(call_ids, order_members);
    if (rows?.length !== row_count) return [];
    slices.push({ offset, total, rows, requestId: request_id ?? undefined, isOld: is_old ?? false });
  }
  return slices;
}
