import { ApiError } from "../api/api-errors.ts";
import { type Clock, isFuture } from "../base/clock.ts";
import type { Evidence } from "../paging/evidence.ts";
import type { Sort } from "../paging/order-key.ts";
import type { WalkOptions } from "../paging/pass.ts";
import { type Source, type Walk, type WalkStart, walk, walkFromEnd, walkFromFront } from "../paging/walk.ts";
import type { Keeping } from "../warehouse/calls/call-guard.ts";
import { type RunChanges, readLastTrustedRun, readLastVerifiedPass } from "../warehouse/runs/runs.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { Claim } from "./claim-warehouse.ts";
import type { PageSlice } from "./fetch.ts";
import type { PageStore } from "./store.ts";

const HOUR_MS = 3_600_000;
/** Rows at the far edge of a page that must be known and old before an incremental walk ends there. */
const SETTLED_ROWS = 50;

/** Pages of one run that are asked for again since responses disagree on their calls. */
const MAX_ASKED_AGAIN = 100;

/** What decides how much is read, and what is inferred from calls that did not come. */
export interface SyncRules {
  /** Calls younger than this at the last good sync are read again: transcripts and corrections come late. */
  lookbackHours: number;
  /** Age of the last verified full pass from which the next is due. */
  fullEveryHours: number;
  /** Hours after which the whole file is checked for damage again, before the next run. */
  checkEveryHours: number;
  /** Hours a call must be missing before it counts as gone. */
  goneAfterHours: number;
  /** Calls that may go missing at once, where the missing-call threshold is lower. */
  acceptGone: number;
  /** Members of a recording link that sign it, besides the usual ones. @default none */
  recordingSignature?: ReadonlySet<string> | undefined;
  /** Whether to go at once though the service asked for a pause. @default false */
  now?: boolean | undefined;
  /** A mode that was asked for, whatever the plan would be. */
  force?: "full" | "incremental" | undefined;
}

export interface SyncProgress {
  /** Calls read so far, those that pages share counted once. */
  read: number;
  /** All calls, by the service's latest count. */
  total: number;
}

export interface Run extends SyncRules, WalkOptions {
  warehouse: Warehouse;
  source: Source<PageSlice>;
  claim: Claim;
  keeping: Keeping;
  clock: Clock;
  /** When the whole file was checked for damage, if it was before this run; ISO 8601 UTC. */
  fileCheckedAt?: string | undefined;
  signal?: AbortSignal | undefined;
  /** The run waits for what it returns, and ends with the error that it throws or rejects with. */
  onProgress?: ((progress: SyncProgress) => unknown) | undefined;
  /** What the ledger should know of the requests so far. */
  attempts: () => Pick<RunChanges, "retries" | "failed_request_ids" | "clock_ahead_ms">;
}

export interface Reading {
  /** Whether it went from one end of the calls to the other. */
  isFull: boolean;
  evidence: Evidence;
  /** The order it was read in. */
  sort: Sort;
}

/** Reads all calls; goes on where an earlier chain ended, if that still joins. */
export async function readAll(run: Run, store: PageStore, start: WalkStart): Promise<Reading> {
  const pages = walk(run.source, run, start);
  await storeSlices(run, store, pages);
  return { isFull: true, evidence: pages.evidence, sort: pages.sort };
}

/** Incremental sync: reads from the end where new calls arrive, until it meets calls that are known and too old to change. */
export async function readIncremental(
  run: Run,
  store: PageStore,
  newestAt: "front" | "end",
): Promise<Reading> {
  const { warehouse, source, clock, lookbackHours, limit } = run;
  // What changed since the last sync may be as old as the look-back was then.
  const nowMs = clock.now();
  const lastPass = readLastVerifiedPass(warehouse);
  const isKnown = (run: { started_at: string } | undefined) => !isFuture(run?.started_at, nowMs);
  const lastSync = [readLastTrustedRun(warehouse), lastPass].find(isKnown)?.started_at;
  const sinceMs = lastSync === undefined ? nowMs : Math.min(nowMs, Date.parse(lastSync));
  const oldBefore = new Date(sinceMs - lookbackHours * HOUR_MS).toISOString();
  const isSettled = ({ rows }: PageSlice) =>
    (newestAt === "front" ? rows.slice(-SETTLED_ROWS) : rows.slice(0, SETTLED_ROWS)).every(
      ({ id, started }) =>
        id !== null && !store.lastWritten.has(id) && started !== null && started < oldBefore,
    );
  const lastTotal = lastPass?.last_total ?? 0;
  const fetch = source.fetch("own");
  const pages =
    newestAt === "front"
      ? walkFromFront(fetch, run, isSettled)
      : walkFromEnd(fetch, run, isSettled, Math.max(0, lastTotal - limit));
  await storeSlices(run, store, pages);
  const { evidence, sort } = pages;
  const isFull = newestAt === "front" && evidence.end !== "unseen" && evidence.end !== "disputed";
  return { isFull, evidence, sort };
}

async function storeSlices(run: Run, store: PageStore, pages: Walk<PageSlice>): Promise<void> {
  const { clock, onProgress, signal } = run;
  let again = MAX_ASKED_AGAIN;
  for await (const slice of pages) {
    // With the first slice of a chain, what the run had read before belongs to another, which was given up.
    if (pages.evidence.slices === 1) store.startOver(pages.sort);
    store.save(slice, new Date(clock.now()).toISOString());
    const isDisputed = slice.rows.some(({ id }) => id !== null && store.disputed.has(id));
    if (isDisputed && again-- > 0) await settleDisputed(run, store, slice, pages.sort);
    await onProgress?.({ read: pages.evidence.fresh, total: slice.total });
    signal?.throwIfAborted();
  }
}

/**
 * Asks again for the part of the list that has the disputed calls of a slice: what it says of them is newer than all that came
 * before. What it does not have, since calls have moved or the service fails, stays disputed.
 */
async function settleDisputed(
  { source, throttle, signal = new AbortController().signal }: Run,
  store: PageStore,
  { offset, rows }: PageSlice,
  sort: Sort,
): Promise<void> {
  const places = rows.flatMap(({ id }, index) => (store.disputed.has(id ?? Number.NaN) ? index : []));
  // In the middle of the page, since calls that come or go have moved them.
  const middle = offset + Math.floor((Math.min(...places) + Math.max(...places) - rows.length) / 2);
  const fetchPage = source.fetch(sort);
  const ask = () => fetchPage(Math.max(0, middle), signal);
  try {
    const slice = await (throttle === undefined ? ask() : throttle.limit(ask));
    if (!slice.isOld) store.settle(slice);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
