import type { Clock } from "../clock.ts";
import type { Warehouse } from "../warehouse/open.ts";
import { type RunChanges, readLastVerifiedPass } from "../warehouse/runs.ts";
import { idOf, startOf } from "./page-row.ts";
import type { FetchSlice } from "./prefetch.ts";
import type { Slice } from "./slice.ts";
import type { PageSlice, PageStore } from "./store.ts";
import { type CallOrder, TimeOrder } from "./time-order.ts";
import { type Evidence, noEvidence } from "./verdict.ts";
import { type WalkOptions, walk, walkFromEnd, walkFromFront } from "./walk.ts";

const HOUR_MS = 3_600_000;
/** Rows at the far edge of a page that must be known and old before an incremental walk ends there. */
const SETTLED_ROWS = 50;

/** What decides how much is read, and what is inferred from calls that did not come. */
export interface SyncRules {
  /** Calls younger than this are always read again: transcripts and corrections come late. */
  lookbackHours: number;
  /** Age of the last verified full pass from which the next is due. */
  fullEveryHours: number;
  /** Hours a call must be missing before it counts as gone. */
  goneAfterHours: number;
  /** Calls that may go missing at once, where the brake would hold for fewer. */
  acceptGone: number;
  /** A mode that was asked for, whatever the plan would be. */
  force?: "full" | "incremental" | undefined;
}

export interface SyncProgress {
  /** Calls read so far, those that pages share counted once. */
  read: number;
  /** All calls, by the service's latest count. */
  total: number;
}

/** One run under way. */
export interface Run extends SyncRules, WalkOptions {
  warehouse: Warehouse;
  fetch: FetchSlice<PageSlice>;
  clock: Clock;
  /** Calls asked for in one page. */
  limit: number;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: SyncProgress) => void) | undefined;
  /** What the ledger should know of the requests so far. */
  attempts: () => Pick<RunChanges, "retries" | "failed_request_ids">;
}

/** What a run has read. */
export interface Reading {
  /** Whether it went from one end of the calls to the other. */
  isFull: boolean;
  evidence: Evidence;
  order: CallOrder;
}

/** Reads all calls; goes on where `earlier` ended, if that still joins. */
export async function readAll(run: Run, store: PageStore, earlier: readonly Slice[]): Promise<Reading> {
  const evidence = noEvidence();
  const order = await storeSlices(run, store, evidence, walk(run.fetch, run, evidence, earlier));
  return { isFull: true, evidence, order };
}

/** Reads from the end where new calls come, until it meets calls that are known and too old to have changed. */
export async function readNews(run: Run, store: PageStore, newestAt: "front" | "end"): Promise<Reading> {
  const { warehouse, fetch, clock, lookbackHours, limit } = run;
  const evidence = noEvidence();
  const oldBefore = new Date(clock.now() - lookbackHours * HOUR_MS).toISOString();
  const isSettled = ({ page: { rows } }: PageSlice) =>
    (newestAt === "front" ? rows.slice(-SETTLED_ROWS) : rows.slice(0, SETTLED_ROWS)).every((row) => {
      const [id, started] = [idOf(row), startOf(row)];
      return id !== null && !store.lastWritten.has(id) && started !== null && started < oldBefore;
    });
  const lastTotal = readLastVerifiedPass(warehouse)?.last_total ?? 0;
  const slices =
    newestAt === "front"
      ? walkFromFront(fetch, run, evidence, isSettled)
      : walkFromEnd(fetch, run, evidence, isSettled, Math.max(0, lastTotal - limit));
  const order = await storeSlices(run, store, evidence, slices);
  return { isFull: newestAt === "front" && evidence.endReached, evidence, order };
}

/** Stores each slice as it comes; returns the order of time they came in. */
async function storeSlices(
  { clock, onProgress, signal }: Run,
  store: PageStore,
  evidence: Evidence,
  slices: AsyncIterable<PageSlice>,
): Promise<CallOrder> {
  const order = new TimeOrder();
  for await (const slice of slices) {
    // With the first slice of a chain, what the run had read before belongs to another, which was given up.
    if (evidence.slices === 1) store.startOver();
    store.save(slice, new Date(clock.now()).toISOString());
    order.observe(slice.page.rows.map(startOf));
    onProgress?.({ read: evidence.fresh, total: slice.total });
    signal?.throwIfAborted();
  }
  return order.order;
}
