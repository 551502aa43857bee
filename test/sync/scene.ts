import type { Clock } from "../../src/base/clock.ts";
import type { Call } from "../../src/calls/columns.ts";
import type { ParsedRow } from "../../src/service/api/parse-row.ts";
import type { FetchSlice } from "../../src/service/paging/prefetch.ts";
import { Throttle } from "../../src/service/paging/throttle.ts";
import { type PageSlice, toSlice } from "../../src/sync/fetch.ts";
import type { Run } from "../../src/sync/read-calls.ts";
import { PageStore } from "../../src/sync/store.ts";
import { keepingAll } from "../../src/warehouse/calls/call-guard.ts";
import { startRun } from "../../src/warehouse/runs/runs.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { makeCall } from "../support/warehouses/calls.ts";

export const NOW = "2026-11-20T15:00:00.000Z";
export const NOW_MS = Date.parse(NOW);
export const HOUR_MS = 3_600_000;
export const hoursAgo = (hours: number): string => new Date(NOW_MS - hours * HOUR_MS).toISOString();

/** Call 1 begins 999 hours ago, each next one an hour later. */
export const startOf = (id: number): string => hoursAgo(1000 - id);

/** A call as parsed from a page. */
export function rowOf(call_id: number, members: Partial<Call> = {}): ParsedRow {
  const own = { call_started: startOf(call_id), caller_id: `+4930${call_id}` };
  return { call: makeCall({ call_id, ...own, ...members }), drift: [] };
}

/** A row that cannot be parsed, whose id may be readable. */
export const brokenRow = (call_id: number | null, json = "{}"): ParsedRow => ({
  rejected: { call_id, json, path: "duration", reason: "no integer" },
});

/** Calls 1 to `last`, newest first. */
export const newestFirst = (last: number): ParsedRow[] =>
  Array.from({ length: last }, (_, at) => rowOf(last - at));

/** A service in memory. */
export class Listing {
  rows: ParsedRow[];
  readonly limit: number;
  /** The offset of each request so far. */
  offsets: number[] = [];
  /** Changes the response to a request; they count from 1 since {@link offsets} were emptied. */
  disturb: (slice: PageSlice, request: number) => PageSlice = (slice) => slice;
  #requests = 0;

  constructor(rows: readonly ParsedRow[], limit = 20) {
    this.rows = [...rows];
    this.limit = limit;
  }

  fetch = async (offset: number): Promise<PageSlice> => {
    const rows = this.rows.slice(offset, offset + this.limit);
    const requestId = `request ${this.#requests++}`;
    const slice = toSlice({ rows, total: this.rows.length, limit: this.limit, offset, requestId });
    return this.disturb(slice, this.offsets.push(offset));
  };

  remove(...ids: number[]): void {
    this.rows = this.rows.filter((row) => !("call" in row && ids.includes(row.call.call_id)));
  }
}

/** A run over a service in memory, one request at a time. */
export function makeRun(
  warehouse: Warehouse,
  fetch: FetchSlice<PageSlice>,
  clock: Clock,
  rules: Partial<Run> = {},
): Run {
  return {
    warehouse,
    source: { fetch: () => fetch, isRefusal: () => false },
    claim: { baseUrl: new URL("https://api.example.com"), token: "secret", isRebound: false },
    keeping: keepingAll(warehouse),
    clock,
    limit: 20,
    overlap: 3,
    throttle: new Throttle(1), // its own: an abandoned run keeps its place in it for ever
    lookbackHours: 72,
    fullEveryHours: 24,
    goneAfterHours: 6,
    checkEveryHours: 168,
    acceptGone: 0,
    attempts: () => ({ retries: 0, failed_request_ids: "[]" }),
    ...rules,
  };
}

/** Begins a run in the ledger, and the store of its pages. */
export function startStore({ warehouse, claim, keeping }: Run, mode: "full" | "incremental" = "full") {
  const runId = startRun(warehouse, { started_at: NOW, mode, plan_reason: "", pid: process.pid });
  const hold = { runId, pid: process.pid };
  return { runId, store: new PageStore(warehouse, hold, 0, { claim, keeping, signature: new Set() }) };
}
