import { describe, expect, it } from "vitest";
import type { ParsedRow } from "../../src/api/parse-row.ts";
import { InterruptedError } from "../../src/base/errors.ts";
import { type PageSlice, toSlice } from "../../src/sync/fetch.ts";
import type { Run } from "../../src/sync/read-calls.ts";
import { exitCodeOf } from "../../src/sync/run.ts";
import { syncWarehouse } from "../../src/sync/sync-warehouse.ts";
import { readPages } from "../../src/warehouse/runs/page-table.ts";
import { readRuns, type SyncRun } from "../../src/warehouse/runs/runs.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { makeCall } from "../support/calls.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { newWarehouse } from "../support/warehouse.ts";
import { makeRun } from "./scene.ts";

const LIMIT = 20;
const HOUR_MS = 3_600_000;
const FIRST_CALL_MS = Date.parse("2026-10-01T00:00:00.000Z");

/** A service in memory, newest first; a call is as new as its id is high. */
class Listing {
  ids = down(100, 1);
  readonly offsets: number[] = [];
  readonly unit: number | null;
  /** Calls that come twice in a response, at first with another duration. */
  readonly twice: Set<number>;
  /** Calls whose row does not parse. */
  readonly bad = new Set<number>();

  constructor({ unit = null, twice = [] }: { unit?: number | null; twice?: number[] } = {}) {
    this.unit = unit;
    this.twice = new Set(twice);
  }

  fetch = async (offset: number): Promise<PageSlice> => {
    const requestId = `request ${this.offsets.push(offset)}`;
    const rows = this.ids.slice(offset, offset + LIMIT).flatMap((id) => this.#rowsOf(id));
    return toSlice({ rows, total: this.ids.length, limit: LIMIT, offset, requestId });
  };

  #rowsOf(id: number): ParsedRow[] {
    const call_started = new Date(FIRST_CALL_MS + id * HOUR_MS).toISOString();
    if (this.bad.has(id))
      return [{ rejected: { call_id: id, json: "{}", path: "duration", reason: "long" } }];
    const call = makeCall({ call_id: id, call_started, duration: id, org_unit_id: this.unit });
    const row = { call, drift: [] };
    return this.twice.has(id) ? [{ ...row, call: { ...call, duration: -1 } }, row] : [row];
  }
}

function down(first: number, last: number): number[] {
  return Array.from({ length: first - last + 1 }, (_, index) => first - index);
}

/** Syncs until so many pages are stored, then ends as by a signal; returns whether it came to that. */
async function stopAfter(pages: number, run: Run): Promise<boolean> {
  const stop = new AbortController();
  let stored = 0;
  const onProgress = () => {
    if (++stored === pages) stop.abort(new InterruptedError("SIGTERM"));
  };
  return await syncWarehouse({ ...run, signal: stop.signal, onProgress }).then(
    () => false,
    (error: unknown) => {
      expect(error).toBeInstanceOf(InterruptedError);
      return true;
    },
  );
}

/** What the ledger says of a run, but for when it was and how often it was taken up. */
function said(run: SyncRun) {
  const { run_id: _, started_at, finished_at, elapsed_ms, resumed, pid, pages, plan_reason, ...rest } = run;
  return rest;
}

const readAll = ({ sqlite }: Warehouse) =>
  sqlite
    .prepare(
      "SELECT call_id, call_started, duration, org_unit_id, row_hash, missing_since, gone_at FROM calls ORDER BY call_id",
    )
    .all();

/** A whole pass of a new warehouse, never cut short. */
async function passAtOnce(listing: Listing, rules: Partial<Run> = {}) {
  const warehouse = newWarehouse();
  const run = await syncWarehouse(makeRun(warehouse, listing.fetch, new FakeClock(), rules));
  return Object.assign(warehouse, { run });
}

const inUnit = {
  claim: { baseUrl: new URL("https://api.example.com"), token: "x", isRebound: false, orgUnitId: "7" },
};

describe("sync, stopped after each number of pages and taken up again", () => {
  it("says of calls and pages what it says when it is not stopped", async () => {
    // All of another unit than was asked for, so that this count has something to lose as well.
    const world = () => new Listing({ unit: 8 });
    using whole = await passAtOnce(world(), inUnit);
    const pages = whole.run.pages ?? 0;
    expect(pages).toBeGreaterThan(5);
    expect(whole.run).toMatchObject({ verdict: "exact", calls_other_unit: 100, calls_unchanged: 0 });
    const [clock, seen] = [new FakeClock(), new Set<number>()];
    for (let stopAt = 1; stopAt <= pages; stopAt++) {
      using warehouse = newWarehouse();
      const listing = world();
      const run = makeRun(warehouse, listing.fetch, clock, inUnit);
      expect(await stopAfter(stopAt, run)).toBe(true);
      expect(readRuns(warehouse, 2)).toMatchObject([
        { run_id: 1, status: "interrupted", verdict: null, error: "Stopped by SIGTERM" },
      ]);
      const taken = readPages(warehouse, 1);
      expect(taken.map(({ seq }) => seq)).toEqual(Array.from({ length: stopAt }, (_, seq) => seq));
      const asked = listing.offsets.length;
      const again = await syncWarehouse(run);
      expect({ stopAt, ...said(again), resumed: again.resumed }).toEqual({
        stopAt,
        ...said(whole.run),
        resumed: 1,
      });
      expect(readAll(warehouse)).toEqual(readAll(whole));
      // It goes on, and does not begin anew.
      seen.add(listing.offsets[asked] ?? 0);
      expect(readPages(warehouse, 1).slice(0, stopAt)).toEqual(
        taken.map((page) => ({ ...page, call_ids: null, order_members: null })),
      );
    }
    expect([...seen].filter((offset) => offset > 0).length).toBeGreaterThan(3);
  });

  it("counts calls that came back before it was stopped, and after", async () => {
    const clock = new FakeClock();
    let split = 0;
    for (let stopAt = 1; stopAt <= 6; stopAt++) {
      using warehouse = newWarehouse();
      const listing = new Listing({ twice: [99] });
      const run = makeRun(warehouse, listing.fetch, clock, { force: "full" });
      await syncWarehouse(run);
      const away = [95, 50, 5];
      listing.ids = listing.ids.filter((id) => !away.includes(id));
      listing.twice.clear();
      expect(await syncWarehouse(run)).toMatchObject({ calls_missing: 3, calls_unchanged: 97 });
      listing.twice.add(99);
      listing.ids = down(100, 1);
      await stopAfter(stopAt, run);
      const [before] = readRuns(warehouse, 1);
      if (before?.calls_returned === 1 || before?.calls_returned === 2) split++;
      listing.twice.clear();
      expect(await syncWarehouse(run)).toMatchObject({
        run_id: 3,
        calls_returned: 3,
        calls_changed: 1,
        calls_unchanged: 99,
        calls_conflicting: before?.calls_conflicting,
      });
      expect(before?.calls_conflicting).toBeGreaterThan(0);
    }
    expect(split).toBeGreaterThan(2);
  });

  it("stopped again and again ends as the others do", async () => {
    using whole = await passAtOnce(new Listing());
    using warehouse = newWarehouse();
    const run = makeRun(warehouse, new Listing().fetch, new FakeClock());
    let stops = 0;
    // Each time it reads the last page and the front again, and so needs a third to get on.
    while (await stopAfter(3, run)) expect(++stops).toBeLessThan(10);
    const [last] = readRuns(warehouse, 2);
    expect(last).toMatchObject({ run_id: 1, status: "done", resumed: stops });
    expect(last && said(last)).toEqual(said(whole.run));
    expect(stops).toBeGreaterThan(1);
  });
});

describe("sync, stopped after each number of pages, whose chain does not join any more", () => {
  /** Deletes so many calls from the front that the next page begins far behind where the chain ended. */
  const shrink = (listing: Listing) => {
    listing.ids = listing.ids.slice(30);
  };
  /** Another list altogether. */
  const replace = (listing: Listing) => {
    listing.ids = down(1150, 1051);
  };

  it.each([
    { title: "calls were deleted", change: shrink, calls: 70 },
    { title: "all calls are others", change: replace, calls: 100 },
  ])("begins anew, and counts nothing of what it gave up: $title", async ({ change, calls }) => {
    const [clock, met] = [new FakeClock(), { anew: 0, joined: 0 }];
    const later = new Listing();
    change(later);
    using whole = await passAtOnce(later);
    for (let stopAt = 1; stopAt <= 6; stopAt++) {
      using warehouse = newWarehouse();
      const listing = new Listing();
      const run = makeRun(warehouse, listing.fetch, clock);
      await stopAfter(stopAt, run);
      const before = readAll(warehouse).length;
      change(listing);
      const asked = listing.offsets.length;
      const again = await syncWarehouse(run);
      // The witness of the first attempt counts for nothing: the verdict and its figures are those of a pass by itself.
      const { calls_new, calls_missing, calls_withheld, calls_unlisted, calls_unchanged, ...rest } =
        said(again);
      const expected = said(whole.run);
      expect({ stopAt, ...rest }).toEqual({
        stopAt,
        ...expected,
        calls_new: undefined,
        calls_missing: undefined,
        calls_withheld: undefined,
        calls_unlisted: undefined,
        calls_unchanged: undefined,
      });
      expect(again).toMatchObject({ run_id: 1, calls_read: calls, first_total: calls });
      // All calls of either attempt are new, and none was there before.
      expect(calls_unchanged).toBe(0);
      expect(calls_new).toBe(readAll(warehouse).length);
      const absent = [calls_missing, calls_withheld, calls_unlisted].reduce(
        (sum: number, count) => sum + (count ?? 0),
        0,
      );
      expect(absent).toBe((calls_new ?? 0) - calls);
      const isAnew = listing.offsets.slice(asked).filter((offset) => offset === 0).length > 1;
      expect(again.resumed).toBe(isAnew ? null : 1);
      expect(readPages(warehouse, 1).map(({ seq }) => seq)).toEqual(
        Array.from({ length: again.pages ?? 0 }, (_, seq) => seq),
      );
      met[isAnew ? "anew" : "joined"]++;
      expect(before).toBeGreaterThan(0);
    }
    expect(met.anew).toBeGreaterThan(3);
  });

  it("forgets a row that did not parse, where it reads the call well the second time", async () => {
    using warehouse = newWarehouse();
    const listing = new Listing();
    listing.bad.add(95).add(75);
    const run = makeRun(warehouse, listing.fetch, new FakeClock());
    await stopAfter(2, run);
    listing.bad.delete(75);
    listing.ids = listing.ids.filter((id) => id > 70 || id < 40);
    expect(await syncWarehouse(run)).toMatchObject({
      verdict: "exact",
      calls_read: 69,
      calls_rejected: 1,
      calls_unchanged: 0,
    });
  });
});

describe("exitCodeOf", () => {
  it.each([
    { verdict: "exact", code: 0 },
    { verdict: "verified", code: 0 },
    { verdict: "probable", code: 0 },
    { verdict: "unverified", code: 3 },
    { verdict: null, code: 3 },
  ] as const)(
    "is $code for $verdict, and 3 where rows were rejected or calls withheld",
    ({ verdict, code }) => {
      const run = { verdict, calls_rejected: 0, calls_withheld: 0 };
      const bare: Partial<SyncRun> = { verdict, calls_rejected: null, calls_withheld: null };
      for (const each of [run, bare]) expect(exitCodeOf(each as SyncRun)).toBe(code);
      expect(exitCodeOf({ ...run, calls_rejected: 1 } as SyncRun)).toBe(3);
      expect(exitCodeOf({ ...run, calls_withheld: 1 } as SyncRun)).toBe(3);
    },
  );
});
