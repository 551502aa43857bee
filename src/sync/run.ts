import { fetchAttributionPage } from "../api/attribution.ts";
import { ApiClient, type ApiClientOptions } from "../api/client.ts";
import { type Clock, systemClock } from "../clock.ts";
import { describeError, EXIT, type ExitCode, InterruptedError } from "../errors.ts";
import { openWarehouse, type Warehouse } from "../warehouse/open.ts";
import { countDistinctCalls, trimPages } from "../warehouse/pages.ts";
import { countRejected } from "../warehouse/rejected.ts";
import { finishRun, type SyncRun, startRun } from "../warehouse/runs.ts";
import { writeTransaction } from "../warehouse/transaction.ts";
import { PageStore, toSlice } from "./store.ts";
import { type Evidence, judge, noEvidence } from "./verdict.ts";
import { walk } from "./walk.ts";

export interface SyncOptions {
  /** Path of the warehouse. */
  database: string;
  api: Pick<ApiClientOptions, "baseUrl" | "token" | "attemptTimeoutMs" | "retry">;
  /** Calls asked for in one page, 1 to 1000. */
  limit: number;
  /** Pages fetched at once. */
  concurrency: number;
  clock?: Clock;
  /** Ends the run between two pages. */
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: SyncProgress) => void) | undefined;
}

export interface SyncProgress {
  /** Calls read so far, those that pages share counted once. */
  read: number;
  /** All calls, by the service's latest count. */
  total: number;
  /** Attempts that were tried again. */
  retries: number;
}

/** Returns the exit code that a finished run asks for. */
export function exitCodeOf(run: SyncRun): ExitCode {
  const isClean = run.verdict !== null && run.verdict !== "unverified" && run.calls_rejected === 0;
  return isClean ? EXIT.done : EXIT.unverified;
}

/**
 * Reads all attributed calls into the warehouse in one full pass, and returns the run as it stands in the ledger.
 *
 * @throws ApiError, InterruptedError, or CalltallyError of the warehouse; the pages read before are kept
 */
export async function runSync(options: SyncOptions): Promise<SyncRun> {
  const { database, clock = systemClock } = options;
  using warehouse = openWarehouse(database);
  const startedMs = clock.now();
  const runId = startRun(warehouse, { started_at: new Date(startedMs).toISOString(), mode: "full" });
  const failedRequestIds: (string | undefined)[] = [];
  const ended = () => ({
    finished_at: new Date(clock.now()).toISOString(),
    elapsed_ms: clock.now() - startedMs,
    retries: failedRequestIds.length,
    failed_request_ids: JSON.stringify(failedRequestIds.filter((id) => id !== undefined)),
  });
  try {
    const store = new PageStore(warehouse, runId);
    const evidence = await readPages({ ...options, clock }, store, failedRequestIds);
    return writeTransaction(warehouse, () => {
      const outcome = judgeRun(warehouse, runId, store, evidence);
      trimPages(warehouse, runId);
      return finishRun(warehouse, runId, { ...outcome, ...ended(), status: "done" });
    });
  } catch (error) {
    const status = error instanceof InterruptedError ? "interrupted" : "failed";
    finishRun(warehouse, runId, { ...ended(), status, error: describeError(error) });
    throw error;
  }
}

async function readPages(
  { api, limit, concurrency, clock, signal, onProgress }: SyncOptions & { clock: Clock },
  store: PageStore,
  failedRequestIds: (string | undefined)[],
): Promise<Evidence> {
  await using client = new ApiClient({
    ...api,
    clock,
    connections: concurrency,
    onRetry: (error) => void failedRequestIds.push(error.requestId),
  });
  const fetch = async (offset: number, walkSignal: AbortSignal) => {
    const combined = signal ? AbortSignal.any([signal, walkSignal]) : walkSignal;
    return toSlice(await fetchAttributionPage(client, { limit, offset }, combined));
  };
  const evidence = noEvidence();
  for await (const slice of walk(fetch, { concurrency }, evidence)) {
    store.save(slice, new Date(clock.now()).toISOString());
    onProgress?.({ read: evidence.fresh, total: slice.total, retries: failedRequestIds.length });
    signal?.throwIfAborted();
  }
  return evidence;
}

/** Judges a pass that came to its end, by what it saw and what it stored. */
function judgeRun(warehouse: Warehouse, runId: number, { counts }: PageStore, evidence: Evidence) {
  const read = countDistinctCalls(warehouse, runId);
  const rejected = countRejected(warehouse, runId);
  return {
    ...judge(evidence, read),
    first_total: evidence.firstTotal,
    last_total: evidence.lastTotal,
    calls_read: read,
    calls_new: counts.new,
    calls_changed: counts.changed,
    calls_unchanged: read - counts.new - counts.changed - rejected.withId,
    calls_rejected: rejected.rows,
    pages: evidence.slices,
    seams_mended: evidence.seamsMended,
    seams_broken: evidence.seamsBroken,
    inversions: evidence.inversionsNear + evidence.inversionsFar,
  };
}
