import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type Run, readIncremental } from "../../src/sync/read-calls.ts";
import { syncWarehouse } from "../../src/sync/sync-warehouse.ts";
import { readPages } from "../../src/warehouse/runs/page-table.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { newWarehouse } from "../support/warehouses/warehouse.ts";
import { brokenRow, HOUR_MS, hoursAgo, Listing, makeRun, NOW, NOW_MS, rowOf, startStore } from "./scene.ts";

const LIMIT = 120;
const LOOKBACK_HOURS = 72;

/** Calls newest first, each an hour older than the one above it. @param youngest age of the newest in hours */
const listOf = (count: number, youngest: number) =>
  Array.from({ length: count }, (_, at) =>
    rowOf(count - at, { call_started: hoursAgo(youngest + at), duration: 60 }),
  );
const newestAtFront = (count: number, youngest: number) => new Listing(listOf(count, youngest), LIMIT);
const newestAtEnd = (count: number, youngest: number) =>
  new Listing(listOf(count, youngest).reverse(), LIMIT);

/** Calls that begin now. */
const newCalls = (count: number) =>
  Array.from({ length: count }, (_, at) => rowOf(9000 + count - at, { call_started: NOW }));

/** Changes the calls at some places of the list. */
function edit({ rows }: Listing, ...places: number[]): void {
  for (const place of places) {
    const row = rows[place];
    if (row && "call" in row) rows[place] = { ...row, call: { ...row.call, duration: 99 } };
  }
}

/** Verifies all calls, and lets an hour pass; returns how to sync again, and the requested offsets. */
async function readBefore(
  warehouse: Warehouse,
  listing: Listing,
  { clock = new FakeClock(NOW), ...rules }: Partial<Run> & { clock?: FakeClock } = {},
) {
  const run = makeRun(warehouse, listing.fetch, clock, {
    limit: LIMIT,
    lookbackHours: LOOKBACK_HOURS,
    fullEveryHours: 1000,
    ...rules,
  });
  expect(await syncWarehouse(run)).toMatchObject({ mode: "full", verdict: "exact" });
  clock.advance(HOUR_MS);
  return {
    clock,
    sync: async () => {
      listing.offsets = [];
      await setImmediate();
      const { mode, plan_reason, verdict, calls_new, calls_changed } = await syncWarehouse(run);
      return { mode, plan_reason, verdict, calls_new, calls_changed, offsets: listing.offsets };
    },
  };
}

const INCREMENTAL = {
  mode: "incremental",
  plan_reason: expect.stringMatching(/^run 1 found the /),
  verdict: "probable",
  calls_new: 0,
  calls_changed: 0,
};

describe("readIncremental of a service that lists the newest calls first", () => {
  it.each([
    { title: "ends at a page whose last 50 calls are known and old", added: 70, offsets: [0, 0] },
    { title: "reads on if one of these 50 is new", added: 71, offsets: [0, 117, 0] },
  ])("$title", async ({ added, offsets }) => {
    using warehouse = newWarehouse();
    const listing = newestAtFront(300, 100);
    const { sync } = await readBefore(warehouse, listing);
    listing.rows.unshift(...newCalls(added));
    expect(await sync()).toEqual({ ...INCREMENTAL, calls_new: added, offsets });
  });

  it("reads on behind a change among the last 50 calls of a page, and finds the next change", async () => {
    using warehouse = newWarehouse();
    const listing = newestAtFront(400, 100);
    const { sync } = await readBefore(warehouse, listing);
    edit(listing, 119, 150, 399);
    expect(await sync()).toEqual({ ...INCREMENTAL, calls_changed: 2, offsets: [0, 117, 0] });
    edit(listing, 398);
    expect(await sync()).toEqual({ ...INCREMENTAL, offsets: [0, 0] });
  });

  it.each([
    { title: "that cannot be parsed", row: brokenRow(181) },
    { title: "without an id", row: brokenRow(null) },
  ])("reads on if the last 50 calls of a page have rows $title", async ({ row }) => {
    using warehouse = newWarehouse();
    const listing = newestAtFront(400, 100);
    const { sync } = await readBefore(warehouse, listing);
    listing.rows[110] = row;
    expect((await sync()).offsets.slice(0, 2)).toEqual([0, 117]);
  });

  it.each([
    { title: "are older", youngest: 3, offsets: [0, 0] },
    { title: "are just as old", youngest: 2, offsets: [0, 117, 0] },
  ])("counts the look-back from the last sync: the last 50 calls $title", async ({ youngest, offsets }) => {
    using warehouse = newWarehouse();
    const listing = newestAtFront(300, youngest);
    const { sync, clock } = await readBefore(warehouse, listing);
    clock.advance(200 * HOUR_MS);
    expect(await sync()).toEqual({ ...INCREMENTAL, offsets });
    // It was a good sync itself, with only old calls.
    expect(await sync()).toEqual({ ...INCREMENTAL, offsets: [0, 0] });
  });

  it.each([
    { title: "were old when it began", youngest: 3, offsets: [0, 0] },
    { title: "grew old while it ran", youngest: 2, offsets: [0, 117, 0] },
  ])("counts the look-back from the start of a ten-hour sync: the last 50 calls $title", async (row) => {
    using warehouse = newWarehouse();
    const listing = newestAtFront(300, row.youngest);
    const clock = new FakeClock(NOW);
    listing.disturb = (slice, request) => {
      if (request === 1) clock.advance(10 * HOUR_MS);
      return slice;
    };
    const { sync } = await readBefore(warehouse, listing, { clock });
    listing.disturb = (slice) => slice;
    expect(await sync()).toEqual({ ...INCREMENTAL, offsets: row.offsets });
  });

  it("counts the look-back from now if the clock was ahead when the last sync began", async () => {
    using warehouse = newWarehouse();
    const { sync } = await readBefore(warehouse, newestAtFront(300, 1));
    warehouse.sqlite.exec("UPDATE sync_runs SET started_at = '2026-12-24T00:00:00.000Z'");
    expect(await sync()).toEqual({ ...INCREMENTAL, offsets: [0, 117, 0] });
  });

  it("counts the look-back from the last verified pass if the clock was ahead when a later sync began", async () => {
    using warehouse = newWarehouse();
    const { sync, clock } = await readBefore(warehouse, newestAtFront(300, 2));
    clock.advance(200 * HOUR_MS);
    expect(await sync()).toEqual({ ...INCREMENTAL, offsets: [0, 117, 0] });
    const ahead = "UPDATE sync_runs SET started_at = '2031-12-24T00:00:00.000Z' WHERE mode = 'incremental'";
    warehouse.sqlite.exec(ahead);
    expect(await sync()).toEqual({ ...INCREMENTAL, offsets: [0, 117, 0] });
  });

  it("requests the service's own order", async () => {
    using warehouse = newWarehouse();
    const listing = newestAtFront(300, 100);
    const sorts: string[] = [];
    const fetch = (sort: string) => {
      sorts.push(sort);
      return listing.fetch;
    };
    const { sync } = await readBefore(warehouse, listing, { source: { fetch, isRefusal: () => false } });
    await sync();
    expect(sorts).toEqual(["own", "own"]);
  });

  it("becomes a full pass when it meets the end, since nothing was settled", async () => {
    using warehouse = newWarehouse();
    const { sync } = await readBefore(warehouse, newestAtFront(200, 1), { lookbackHours: 500 });
    expect(await sync()).toMatchObject({
      mode: "full",
      plan_reason: "an incremental sync read the list to its end",
      verdict: "exact",
      offsets: [0, 117, 200, 197, 0],
    });
  });
});

describe("readIncremental of a service that lists the oldest calls first", () => {
  it("begins with the last page of the previous run and reads what follows it", async () => {
    using warehouse = newWarehouse();
    const listing = newestAtEnd(300, 100);
    const { sync } = await readBefore(warehouse, listing);
    listing.rows.push(...newCalls(30).reverse());
    expect(await sync()).toEqual({ ...INCREMENTAL, calls_new: 30, offsets: [180, 297, 330, 297] });
  });

  it.each([
    {
      title: "ends if the first 50 calls of that page are old",
      youngest: 3,
      offsets: [180, 297, 300, 297],
    },
    { title: "goes back if one of them is not", youngest: 2, offsets: [180, 63, 297, 300, 297] },
  ])("$title", async ({ youngest, offsets }) => {
    using warehouse = newWarehouse();
    const { sync } = await readBefore(warehouse, newestAtEnd(300, youngest));
    expect(await sync()).toEqual({ ...INCREMENTAL, offsets });
  });

  it("goes back behind a change among these 50, and finds the next change", async () => {
    using warehouse = newWarehouse();
    const listing = newestAtEnd(400, 100);
    const { sync } = await readBefore(warehouse, listing);
    edit(listing, 0, 250, 280);
    expect(await sync()).toEqual({ ...INCREMENTAL, calls_changed: 2, offsets: [280, 163, 397, 400, 397] });
    edit(listing, 1);
    expect(await sync()).toEqual({ ...INCREMENTAL, offsets: [280, 397, 400, 397] });
  });

  it("does not become a full pass if all calls are on one page", async () => {
    using warehouse = newWarehouse();
    const { sync } = await readBefore(warehouse, newestAtEnd(30, 1));
    expect(await sync()).toEqual({ ...INCREMENTAL, offsets: [0, 30, 27] });
  });
});

describe("readIncremental of an unknown service", () => {
  it.each([
    { newestAt: "front", isFull: true },
    { newestAt: "end", isFull: false },
  ] as const)("reads all from the first call: newest at the $newestAt", async ({ newestAt, isFull }) => {
    using warehouse = newWarehouse();
    const listing = newestAt === "front" ? newestAtFront(200, 1) : newestAtEnd(200, 1);
    const run = makeRun(warehouse, listing.fetch, new FakeClock(NOW), { limit: LIMIT });
    const { store } = startStore(run, "incremental");
    expect(await readIncremental(run, store, newestAt)).toMatchObject({
      isFull,
      sort: "own",
      evidence: { startsAtFront: true, fresh: 200, end: "nothing behind" },
    });
    expect(listing.offsets[0]).toBe(0);
    expect(store.counts).toMatchObject({ calls_new: 200 });
  });
});

describe("reading page by page", () => {
  const readFetched = (warehouse: Warehouse) =>
    readPages(warehouse, 1).map(({ seq, offset, fetched_at }) => [seq, offset, fetched_at]);

  it("stores each page when it arrives, and reports progress", async () => {
    using warehouse = newWarehouse();
    const [listing, clock] = [newestAtFront(300, 1), new FakeClock(NOW)];
    const progress: unknown[] = [];
    listing.disturb = (slice) => {
      clock.advance(1000);
      return slice;
    };
    const onProgress = (done: unknown) =>
      progress.push([done, warehouse.sqlite.prepare("SELECT count(*) FROM calls").pluck().get()]);
    await syncWarehouse(makeRun(warehouse, listing.fetch, clock, { limit: LIMIT, onProgress }));
    expect(progress).toEqual([
      [{ read: 120, total: 300 }, 120],
      [{ read: 237, total: 300 }, 237],
      [{ read: 300, total: 300 }, 300],
      [{ read: 300, total: 300 }, 300],
      [{ read: 300, total: 300 }, 300],
    ]);
    const offsets = readPages(warehouse, 1).map(({ offset }) => offset);
    expect(offsets).toEqual([0, 117, 234, 297, 0]);
    const times = readPages(warehouse, 1).map(({ fetched_at }) => Date.parse(fetched_at));
    expect(times.every((time, at) => time >= NOW_MS + (at + 1) * 1000 && time <= clock.now())).toBe(true);
  });

  it("stops between two pages at a signal, keeps what was read, and resumes there", async () => {
    using warehouse = newWarehouse();
    const [listing, clock, stop] = [newestAtFront(300, 1), new FakeClock(NOW), new AbortController()];
    const onProgress = () => stop.abort(new Error("Enough"));
    const run = makeRun(warehouse, listing.fetch, clock, { limit: LIMIT });
    await expect(syncWarehouse({ ...run, onProgress, signal: stop.signal })).rejects.toThrow("Enough");
    expect(readFetched(warehouse)).toEqual([[0, 0, NOW]]);
    clock.advance(5);
    listing.offsets = [];
    expect(await syncWarehouse(run)).toMatchObject({
      run_id: 1,
      resumed: 1,
      verdict: "exact",
      calls_new: 300,
    });
    expect(listing.offsets[0]).toBe(117);
    expect(readFetched(warehouse).slice(0, 2)).toEqual([
      [0, 0, NOW],
      [1, 117, "2026-11-20T15:00:00.005Z"],
    ]);
  });

  it("forgets the pages of an abandoned chain once another has begun", async () => {
    using warehouse = newWarehouse();
    const [listing, clock] = [newestAtFront(400, 1), new FakeClock(NOW)];
    const run = makeRun(warehouse, listing.fetch, clock, { limit: LIMIT });
    listing.disturb = (slice, request) => {
      if (request === 3) throw new Error("The line is dead");
      return slice;
    };
    await expect(syncWarehouse(run)).rejects.toThrow("The line is dead");
    expect(readFetched(warehouse)).toHaveLength(2);
    listing.disturb = (slice) => slice;
    listing.rows = listing.rows.slice(100);
    const again = await syncWarehouse(run);
    // What the service counted during the abandoned chain says nothing of this one.
    expect(again).toMatchObject({
      run_id: 1,
      resumed: null,
      verdict: "exact",
      calls_read: 300,
      pages: 5,
    });
    expect(readFetched(warehouse).map(([seq, offset]) => [seq, offset])).toEqual([
      [0, 0],
      [1, 117],
      [2, 234],
      [3, 297],
      [4, 0],
    ]);
  });
});
