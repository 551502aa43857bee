import { existsSync } from "node:fs";
import { CalltallyError, EXIT } from "../errors.ts";
import { openWarehouseReader, type Warehouse } from "../warehouse/open.ts";
import { readPages, trimPages } from "../warehouse/pages.ts";
import { closeKilledRuns, readRuns, startRun, updateRun } from "../warehouse/runs.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import type { Plan } from "./plan.ts";
import type { Slice } from "./slice.ts";

/** Age of its last page up to which a full pass that was cut short is taken up again. */
const RESUMABLE_MS = 3_600_000;

export interface StartedRun {
  runId: number;
  /** The chain of slices it has already, if it was cut short before. */
  earlier: Slice[];
}

/** Opens a run in the ledger, or the last one again where that was a full pass cut short a little while ago. */
export function startOrResume(warehouse: Warehouse, plan: Plan, nowMs: number): StartedRun {
  return writeTransaction(warehouse, () => {
    closeKilledRuns(warehouse);
    const [last] = readRuns(warehouse, 1);
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
        updateRun(warehouse, last.run_id, { ...again, status: "running", resumed: (last.resumed ?? 0) + 1 });
        return { runId: last.run_id, earlier };
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
    return { runId, earlier: [] };
  });
}

/**
 * The pages of a run as slices; none if the last is too old, their ids were dropped, or one was put together from
 * several answers, as the lack of a request id tells: what it lacks could not be told any more.
 */
function readChain(warehouse: Warehouse, runId: number, nowMs: number): Slice[] {
  const pages = readPages(warehouse, runId);
  const last = pages.at(-1);
  if (last === undefined || nowMs - Date.parse(last.fetched_at) > RESUMABLE_MS) return [];
  if (pages.some(({ request_id }) => request_id === null)) return [];
  const slices = pages.map(({ offset, total, call_ids }) => ({ offset, total, ids: parseIds(call_ids) }));
  return slices.every(({ ids }, index) => ids.length === pages[index]?.row_count) ? slices : [];
}

function parseIds(json: string | null): (number | null)[] {
  const ids: unknown = JSON.parse(json ?? "[]");
  return Array.isArray(ids) ? ids.map((id) => (typeof id === "number" ? id : null)) : [];
}

/** The error for a second run, which says who holds the lock. */
export function lockedError(database: string): CalltallyError {
  const holder = existsSync(database) ? readHolder(database) : undefined;
  const by = holder
    ? `by process ${holder.pid} since ${holder.started_at}`
    : "by another process that has just started";
  return new CalltallyError(EXIT.locked, `Cannot sync into ${database}: it is being synced ${by}`, {
    hint: "Wait for it to end; its lock goes with the process, so there is nothing to clean up.",
  });
}

function readHolder(database: string) {
  using warehouse = openWarehouseReader(database);
  return readRuns(warehouse, 1).find((run) => run.status === "running");
}
