import { type Clock, isFuture } from "../base/clock.ts";
import { ApiError } from "../service/api/api-errors.ts";
import type { Evidence } from "../service/paging/evidence.ts";
import type { Sort } from "../service/paging/order-key.ts";
import type { WalkOptions } from "../service/paging/pass.ts";
import {
  type Source,
  type Walk,
  type WalkStart,
  walk,
  walkFromEnd,
  walkFromFront,
} from "../service/paging/walk.ts";
import type { Keeping } from "../warehouse/calls/call-guard.ts";
import { type RunChanges, readLastTrustedRun, readLastVerifiedPass } from "../warehouse/runs/runs.ts";
import type { Warehouse } from "../warehouse/warehouse.ts";
import type { FileCheck, FileCheckRules } from "./check-file.ts";
import type { Claim } from "./claim-warehouse.ts";
import type { PageSlice } from "./fetch.ts";
import type { PageStore } from "./store.ts";

const HOUR_MS = 3_600_000;
/** Rows at the far edge of a page that must be known and old for an incremental walk to end there. */
const SETTLED_ROWS = 50;

/** Pages of one run that are fetched again because responses disagree on a call. */
const MAX_ASKED_AGAIN = 100;

export interface SyncRules extends FileCheckRules {
  /** Calls younger than this at the last good sync are read again, since transcripts and corrections arrive late. */
  lookbackHours: number;
  /** Age of the last verified full pass at which the next is due. */
  fullEveryHours: number;
  /** Hours a call must be missing before it counts as gone. */
  goneAfterHours: number;
  /** Raises the missing-call threshold to this many calls. */
  acceptGone: number;
  /** Members of a recording link that sign it, besides the usual ones. @default none */
  recordingSignature?: ReadonlySet<string> | undefined;
  /** Whether to start although the service asked for a pause. @default false */
  now?: boolean | undefined;
  /** Takes precedence over the plan. */
  force?: "full" | "incremental" | undefined;
}

export interface SyncProgress {
  /** Calls read so far; calls that pages share count once. */
  read: number;
  /** The service's latest `total`. */
  total: number;
}

export interface Run extends SyncRules, WalkOptions {
  warehouse: Warehouse;
  source: Source<PageSlice>;
  claim: Claim;
  keeping: Keeping;
  clock: Clock;
  fileCheck?: FileCheck;
  signal?: AbortSignal | undefined;
  /** The run awaits it, and fails with its error. */
  onProgress?: ((progress: SyncProgress) => unknown) | undefined;
  /** Returns what `sync_runs` records of the requests so far. */
  attempts: () => Pick<RunChanges, "retries" | "failed_request_ids" | "clock_ahead_ms" | "page_rows">;
}

export interface Reading {
  /** Whether it read from one end of the list to the other. */
  isFull: boolean;
  evidence: Evidence;
  sort: Sort;
  /** Why it is full, if it was planned as incremental. */
  reason?: string | undefined;
}

/** Reads all calls; continues an earlier chain if it still joins. */
export async function readAll(run: Run, store: PageStore, start: WalkStart): Promise<Reading> {
  const pages = walk(run.source, run, start);
  await storeSlices(run, store, pages);
  return { isFull: true, evidence: pages.evidence, sort: pages.sort };
}

/** Reads from the end of the list where new calls arrive, until it meets calls that are known and too old to change. */
export async function readIncremental(
  run: Run,
  store: PageStore,
  newestAt: "front" | "end",
): Promise<Reading> {
  const { warehouse, source, clock, lookbackHours, limit } = run;
  // A call may have changed since the last sync if it was within the look-back then.
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
  const isFull =
    newestAt === "front" && (evidence.end === "short slice" || evidence.end === "nothing behind");
  const reason = isFull ? "an incremental sync read the list to its end" : undefined;
  return { isFull, evidence, sort, reason };
}

async function storeSlices(run: Run, store: PageStore, pages: Walk<PageSlice>): Promise<void> {
  const { clock, onProgress, signal } = run;
  let again = MAX_ASKED_AGAIN;
  for await (const slice of pages) {
    // At the first slice of a new chain, earlier pages of the run belong to a chain that was given up.
    if (pages.evidence.slices === 1) store.startOver(pages.sort);
    store.save(slice, new Date(clock.now()).toISOString());
    const isDisputed = slice.rows.some(({ id }) => id !== null && store.disputed.has(id));
    if (isDisputed && again-- > 0) await settleDisputed(run, store, slice, pages.sort);
    await onProgress?.({ read: pages.evidence.fresh, total: slice.total });
    signal?.throwIfAborted();
  }
}

/**
 * Fetches the part of the list with the disputed calls of a slice again: this response is newer than all before. A call that
 * it lacks, because calls have moved or the service fails, stays disputed.
 */
async function settleDisputed(
  { source, throttle, signal = new AbortController().signal }: Run,
  store: PageStore,
  { offset, rows }: PageSlice,
  sort: Sort,
): Promise<void> {
  const places = rows.flatMap(({ id }, index) => (store.disputed.has(id ?? Number.NaN) ? index : []));
  // Puts them in the middle of the page, since calls that come or go may have moved them.
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
