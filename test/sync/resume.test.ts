import { describe, expect, it } from "vitest";
import { type PageSlice, toSlice } from "../../src/sync/fetch.ts";
import type { Run } from "../../src/sync/read-calls.ts";
import { syncWarehouse } from "../../src/sync/sync-warehouse.ts";
import { readPages } from "../../src/warehouse/runs/page-table.ts";
import { closeKilledRuns, readRuns, startRun, updateRun } from "../../src/warehouse/runs/runs.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { makeCall } from "../support/calls.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { newWarehouse } from "../support/warehouse.ts";
import { makeRun } from "./scene.ts";

const LIMIT = 20;
const OVERLAP = 3;
const HOUR_MS = 3_600_000;
const FIRST_CALL_MS = Date.parse("2026-10-01T00:00:00.000Z");

/** A service in memory, newest first, that can stop responding. */
class Listing {
  /** Newest first; a higher id is a newer call. */
  calls = idsDown(100, 1);
  readonly offsets: number[] = [];
  #requests = 0;
  /** Requests that get a response. */
  answered = Number.POSITIVE_INFINITY;
  /** Assembles pages from several responses if given. */
  tear: (slice: PageSlice) => PageSlice = (slice) => slice;

  fetch = async (offset: number): Promise<PageSlice> => {
    this.offsets.push(offset);
    if (this.offsets.length > this.answered) return await new Promise<never>(() => undefined);
    const rows = this.calls.slice(offset, offset + LIMIT).map((id) => ({
      call: makeCall({ call_id: id, call_started: new Date(FIRST_CALL_MS + id * HOUR_MS).toISOString() }),
      drift: [],
    }));
    const requestId = `request ${this.#requests++}`;
    return this.tear(toSlice({ rows, total: this.calls.length, limit: LIMIT, offset, requestId }));
  };
}

function idsDown(first: number, last: number): number[] {
  return Array.from({ length: first - last + 1 }, (_, index) => first - index);
}

const runOver = (warehouse: Warehouse, { fetch }: Listing, clock: FakeClock): Run =>
  makeRun(warehouse, fetch, clock, { limit: LIMIT, overlap: OVERLAP });

function countPages(warehouse: Warehouse): number {
  return readRuns(warehouse, 10).flatMap(({ run_id }) => readPages(warehouse, run_id)).length;
}

/** Leaves a run like a kill: the service stops responding after some pages, and the run never continues. */
async function abandon(
  warehouse: Warehouse,
  listing: Listing,
  clock: FakeClock,
  pages: number,
): Promise<void> {
  listing.answered = listing.offsets.length + pages;
  const before = countPages(warehouse);
  void syncWarehouse(runOver(warehouse, listing, clock));
  while (countPages(warehouse) < before + pages) await new Promise(setImmediate);
  listing.answered = Number.POSITIVE_INFINITY;
  listing.offsets.length = 0;
}

/** What a run leaves of the calls that are not missing, without the run each came by. */
function readCalls({ sqlite }: Warehouse): unknown[] {
  return sqlite
    .prepare("SELECT call_id, call_started, row_hash FROM calls WHERE missing_since IS NULL ORDER BY call_id")
    .all();
}

/** What a single uninterrupted run leaves of a service. */
async function readCleanCalls({ calls }: Listing): Promise<unknown[]> {
  const listing = new Listing();
  listing.calls = calls;
  using warehouse = newWarehouse();
  await syncWarehouse(runOver(warehouse, listing, new FakeClock()));
  return readCalls(warehouse);
}

describe("syncWarehouse after a full pass that was killed", () => {
  it.each([0, HOUR_MS])("resumes after the last page if that is %i ms old", async (ageMs) => {
    using warehouse = newWarehouse();
    const [listing, clock] = [new Listing(), new FakeClock()];
    const run = runOver(warehouse, listing, clock);
    await abandon(warehouse, listing, clock, 3);
    expect(readRuns(warehouse, 2)).toMatchObject([{ run_id: 1, status: "running" }]);
    clock.advance(ageMs);
    expect(await syncWarehouse(run)).toMatchObject({
      run_id: 1,
      status: "done",
      resumed: 1,
      verdict: "exact",
      calls_read: 100,
      calls_new: 100,
      calls_unchanged: 0,
      error: null,
    });
    // The pages start at 0, 17, 34 and 51; the last request is the closing look at the front.
    expect(listing.offsets[0]).toBe(51);
    expect(listing.offsets.slice(0, -1).every((offset) => offset >= 51)).toBe(true);
    expect(listing.offsets.at(-1)).toBe(0);
    expect(readCalls(warehouse)).toEqual(await readCleanCalls(listing));
  });

  it("starts again if the seam no longer joins, and does not report a resumption", async () => {
    using warehouse = newWarehouse();
    const [listing, clock] = [new Listing(), new FakeClock()];
    const run = runOver(warehouse, listing, clock);
    await abandon(warehouse, listing, clock, 3);
    listing.calls = idsDown(92, 1);
    expect(await syncWarehouse(run)).toMatchObject({
      run_id: 1,
      resumed: null,
      verdict: "exact",
      calls_read: 92,
      first_total: 92,
      calls_missing: 8,
    });
    expect(listing.offsets.slice(0, 2)).toEqual([51, 0]);
    // Every response since it restarted is a page, including the last look at the front and the one before it at the end.
    const pages = listing.offsets.slice(1).filter((offset) => offset < 92);
    expect(pages.slice(-2)).toEqual([89, 0]);
    expect(readPages(warehouse, 1).map(({ seq, offset }) => [seq, offset])).toEqual(
      pages.map((offset, seq) => [seq, offset]),
    );
    expect(readCalls(warehouse)).toEqual(await readCleanCalls(listing));
  });

  it("finds calls that arrived at the front meanwhile", async () => {
    using warehouse = newWarehouse();
    const [listing, clock] = [new Listing(), new FakeClock()];
    const run = runOver(warehouse, listing, clock);
    await abandon(warehouse, listing, clock, 3);
    listing.calls = idsDown(110, 1);
    expect(await syncWarehouse(run)).toMatchObject({
      run_id: 1,
      resumed: 1,
      verdict: "verified",
      calls_read: 110,
      calls_new: 110,
    });
    expect(readCalls(warehouse)).toEqual(await readCleanCalls(listing));
  });
});

describe("syncWarehouse after an incremental pass that was killed", () => {
  it("starts again at the live end", async () => {
    using warehouse = newWarehouse();
    const [listing, clock] = [new Listing(), new FakeClock("2026-10-05T05:00:00.000Z")];
    const run = runOver(warehouse, listing, clock);
    await syncWarehouse(run);
    listing.calls = idsDown(103, 1);
    await abandon(warehouse, listing, clock, 1);
    expect(await syncWarehouse(run)).toMatchObject({
      run_id: 3,
      mode: "incremental",
      resumed: null,
      verdict: "probable",
    });
    expect(listing.offsets[0]).toBe(0);
    expect(readRuns(warehouse, 3)[1]).toMatchObject({ run_id: 2, status: "interrupted" });
    expect(readCalls(warehouse)).toEqual(await readCleanCalls(listing));
  });
});

describe("closeKilledRuns", () => {
  it("closes the runs that still seem to run, and no others", () => {
    using warehouse = newWarehouse();
    const statuses = ["done", "running", "failed", "interrupted", "running"] as const;
    for (const status of statuses) {
      const started = { started_at: "2026-10-01T00:00:00.000Z", plan_reason: "a test", pid: 1 };
      updateRun(warehouse, startRun(warehouse, { ...started, mode: "full" }), { status, error: "as it was" });
    }
    closeKilledRuns(warehouse);
    expect(
      readRuns(warehouse, 5)
        .toReversed()
        .map(({ status, error }) => [status, error]),
    ).toEqual([
      ["done", "as it was"],
      ["interrupted", "The process was killed"],
      ["failed", "as it was"],
      ["interrupted", "as it was"],
      ["interrupted", "The process was killed"],
    ]);
  });
});
