import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { type ExitCode, InterruptedError } from "../../src/base/errors.ts";
import { ApiError } from "../../src/service/api/api-errors.ts";
import type { ParsedRow } from "../../src/service/api/parse-row.ts";
import { type PageSlice, toSlice } from "../../src/sync/fetch.ts";
import { judgeReading } from "../../src/sync/judge-reading.ts";
import { type Run, readIncremental } from "../../src/sync/read-calls.ts";
import { syncWarehouse } from "../../src/sync/sync-warehouse.ts";
import { countCalls } from "../../src/warehouse/calls/call-table.ts";
import { readMissing } from "../../src/warehouse/calls/gone.ts";
import { readRuns, type SyncRun } from "../../src/warehouse/runs/runs.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { newWarehouse } from "../support/warehouses/warehouse.ts";
import {
  brokenRow,
  HOUR_MS,
  Listing,
  makeRun,
  NOW,
  NOW_MS,
  newestFirst,
  rowOf,
  startOf,
  startStore,
} from "./scene.ts";

const FULL = { force: "full" } as const;
const NO_ABSENCE = { calls_missing: 0, calls_gone: 0, calls_withheld: 0, calls_unlisted: 0 };

const keptByCache = ({ page }: PageSlice) => toSlice({ ...page, requestId: "kept" });
const fromThePast = (slice: PageSlice) => ({ ...slice, isOld: true });

/** Sixty calls in no order that a key explains. */
const shuffled = () =>
  Array.from({ length: 60 }, (_, at) => 60 - at)
    .sort((a, b) => ((a * 37) % 61) - ((b * 37) % 61))
    .map((id) => rowOf(id));

/** Opens a warehouse, and syncs from a service on request; by default of sixty calls. */
function open(rows: readonly ParsedRow[] = newestFirst(60), rules: Partial<Run> = {}) {
  const listing = new Listing(rows);
  const [warehouse, clock] = [newWarehouse(), new FakeClock(NOW)];
  const sync = async (more: Partial<Run> = {}): Promise<SyncRun> => {
    await setImmediate();
    listing.offsets = [];
    const run = makeRun(warehouse, listing.fetch, clock, { fullEveryHours: 1000, ...rules, ...more });
    return await syncWarehouse(run);
  };
  const readAll = (query: string) => warehouse.sqlite.prepare(query).all();
  return {
    listing,
    warehouse,
    clock,
    sync,
    readAll,
    /** A full pass; returns its verdict, and what it counts of calls that it did not meet. */
    pass: async (more: Partial<Run> = {}) => {
      const { verdict, calls_missing, calls_gone, calls_withheld, calls_unlisted } = await sync({
        ...FULL,
        ...more,
      });
      const counts = Object.entries({ calls_missing, calls_gone, calls_withheld, calls_unlisted });
      return { verdict, ...Object.fromEntries(counts.filter(([, count]) => count !== 0)) };
    },
    readMarks: () =>
      readAll("SELECT call_id, missing_since, gone_at FROM calls WHERE missing_since IS NOT NULL ORDER BY 1"),
    [Symbol.dispose]: () => warehouse[Symbol.dispose](),
  };
}

describe("syncWarehouse, in the ledger", () => {
  it("records what was read, how long that took, and the verdict", async () => {
    using scene = open();
    const { listing, clock, readAll } = scene;
    listing.disturb = (slice) => {
      clock.advance(1000);
      return slice;
    };
    const attempts = () => ({ retries: 3, failed_request_ids: '["a"]', clock_ahead_ms: 5 });
    const run = await scene.sync({ attempts });
    expect(readRuns(scene.warehouse, 2)).toEqual([run]);
    expect(run).toMatchObject({
      status: "done",
      mode: "full",
      verdict: "exact",
      advice: null,
      sort: "own",
      order_key: expect.stringContaining("call_started desc"),
      finished_at: new Date(NOW_MS + Number(run.elapsed_ms)).toISOString(),
      first_total: 60,
      last_total: 60,
      calls_read: 60,
      calls_new: 60,
      calls_unchanged: 0,
      calls_other_unit: 0,
      calls_rejected: 0,
      ...NO_ABSENCE,
      seams_mended: 0,
      seams_broken: 0,
      retries: 3,
      failed_request_ids: '["a"]',
      clock_ahead_ms: 5,
    });
    expect(run.elapsed_ms).toBe(listing.offsets.length * 1000);
    expect(readAll("SELECT 1 FROM sync_pages")).toHaveLength(run.pages ?? -1);
    // Values that only the walk needed are not kept.
    expect(readAll("SELECT 1 FROM sync_pages WHERE call_ids IS NOT NULL")).toEqual([]);
    // A first load determines its callers at the end.
    expect(readAll("SELECT count(*) AS callers FROM callers")).toEqual([{ callers: 60 }]);
  });

  it("counts the calls of another organization unit than the requested one", async () => {
    using scene = open([rowOf(1, { org_unit_id: 8 })]);
    const claim = { baseUrl: new URL("https://api.example.com"), token: "secret", isRebound: false };
    expect(await scene.sync({ claim: { ...claim, orgUnitId: "7" } })).toMatchObject({ calls_other_unit: 1 });
  });

  it.each([
    ["failed", new Error("The line is dead"), { status: "failed", not_before: null }],
    [
      "was stopped",
      new InterruptedError("SIGTERM"),
      { status: "interrupted", error: "Stopped by SIGTERM", not_before: null },
    ],
    [
      "failed, and how long no request may be sent",
      unwell(5000),
      { status: "failed", not_before: "2026-11-20T15:00:06.000Z" },
    ],
    [
      "failed, and blocks requests for at most an hour",
      unwell(5 * HOUR_MS),
      { status: "failed", not_before: "2026-11-20T16:00:01.000Z" },
    ],
    ["failed without a requested pause", unwell(undefined), { status: "failed", not_before: null }],
  ])("records that a run %s", async (_title, error, expected) => {
    using scene = open();
    scene.listing.disturb = (slice, request) => {
      if (request < 2) return slice;
      if (request === 2) scene.clock.advance(1000);
      throw error;
    };
    await expect(scene.sync()).rejects.toBe(error);
    const ended = { finished_at: "2026-11-20T15:00:01.000Z", elapsed_ms: 1000 };
    expect(readRuns(scene.warehouse, 2)).toMatchObject([
      { error: error.message, ...ended, calls_new: 20, ...expected },
    ]);
  });

  it("does not change a run that another process has taken over", async () => {
    using scene = open();
    scene.listing.disturb = (slice, request) => {
      if (request < 2) return slice;
      scene.warehouse.sqlite.exec("UPDATE sync_runs SET pid = 1");
      throw new Error("The line is dead");
    };
    await expect(scene.sync()).rejects.toThrow("The line is dead");
    expect(readRuns(scene.warehouse, 2)).toMatchObject([{ status: "running", pid: 1, error: null }]);
  });

  it("does not end a run that another process took over after its last page", async () => {
    using scene = open();
    const { pages } = await scene.sync();
    let stored = 0;
    const onProgress = () => {
      if (++stored === pages) scene.warehouse.sqlite.exec("UPDATE sync_runs SET pid = 1 WHERE run_id = 2");
    };
    await expect(scene.sync({ ...FULL, onProgress })).rejects.toMatchObject({ exitCode: 6 });
    expect(readRuns(scene.warehouse, 1)).toMatchObject([{ status: "running", pid: 1, verdict: null }]);
  });
});

function unwell(retryAfterMs: number | undefined): ApiError {
  const exitCode: ExitCode = 5;
  return Object.assign(new ApiError(exitCode, "Maintenance", { hint: "" }), { retryAfterMs });
}

describe("syncWarehouse, in its verdict", () => {
  it("counts responses that repeat one of an earlier run", async () => {
    using scene = open();
    scene.listing.disturb = (slice, request) => (request === 2 ? keptByCache(slice) : slice);
    expect(await scene.sync()).toMatchObject({ verdict: "exact" });
    expect(await scene.sync(FULL)).toMatchObject({
      verdict: "probable",
      verdict_reason: expect.stringContaining("1 response repeated an earlier request_id"),
    });
  });

  it("refers to the last verified pass when only new calls were read", async () => {
    using scene = open(newestFirst(60).with(50, brokenRow(10)));
    const { listing, sync } = scene;
    await sync();
    // Nothing is expected of a row that no longer exists.
    listing.rows.splice(50, 1);
    expect(await sync(FULL)).toMatchObject({ verdict: "exact", calls_read: 59 });
    scene.clock.advance(5);
    listing.rows.unshift(rowOf(61));
    expect(await sync()).toMatchObject({
      mode: "incremental",
      verdict: "probable",
      verdict_reason: expect.stringMatching(
        /60 calls here and at the service; all were verified 2026-11-20 15:00 UTC$/,
      ),
      calls_new: 1,
      calls_read: 37,
      calls_unchanged: 36,
      ...NO_ABSENCE,
    });
  });

  it("does not accept an order by id alone in place of an earlier order by start", async () => {
    using scene = open();
    expect(await scene.sync()).toMatchObject({ order_key: expect.stringContaining("call_id desc") });
    const late = [62, 61].map((id) => rowOf(id, { call_started: startOf(id - 100) }));
    scene.listing.rows.unshift(...late);
    expect(await scene.sync()).toMatchObject({
      mode: "full",
      plan_reason: "the calls are not listed as before, newest start first",
    });
  });

  it("ignores an untrusted incremental read when the full pass after it fails", async () => {
    using scene = open();
    const { listing, sync, warehouse } = scene;
    await sync();
    listing.rows.reverse();
    const isFull = () => readRuns(warehouse, 1)[0]?.plan_reason?.includes("not listed as before");
    listing.disturb = (slice) => {
      if (isFull()) throw new Error("The line is dead");
      return slice;
    };
    await expect(sync()).rejects.toThrow("The line is dead");
    expect(readRuns(warehouse, 1)).toMatchObject([{ run_id: 2, mode: "full", status: "failed" }]);
    expect(scene.readAll("SELECT 1 FROM sync_pages WHERE run_id = 2")).toEqual([]);
    listing.disturb = (slice) => slice;
    expect(await sync()).toMatchObject({ run_id: 3, mode: "full", verdict: "exact", resumed: null });
  });

  it("trusts no incremental read when no pass was verified before", async () => {
    using warehouse = newWarehouse();
    const run = makeRun(warehouse, new Listing(newestFirst(60)).fetch, new FakeClock(NOW));
    const { runId, store } = startStore(run, "incremental");
    const reading = await readIncremental(run, store, "end");
    expect(judgeReading(run, runId, reading)).toMatchObject({
      read: 60,
      judgement: {
        verdict: "unverified",
        verdict_reason: "the calls are not listed as before, in order",
      },
    });
  });
});

it("syncWarehouse removes rows without an id by a verified pass that does not meet them, and by no other", async () => {
  using scene = open();
  const { listing, sync } = scene;
  const count = () => scene.readAll("SELECT 1 FROM rejected_calls").length;
  await sync();
  listing.rows.splice(30, 0, brokenRow(null, "null"));
  expect(await sync(FULL)).toMatchObject({ verdict: "probable", calls_rejected: 1 });
  listing.rows = newestFirst(60);
  expect(await sync({ force: "incremental" })).toMatchObject({ verdict: "unverified" });
  expect(count()).toBe(1);
  listing.disturb = fromThePast;
  expect(await sync(FULL)).toMatchObject({ verdict: "probable" });
  expect(count()).toBe(1);
  listing.disturb = (slice, request) => {
    if (request === 2) listing.rows.unshift(rowOf(61));
    return slice;
  };
  expect(await sync(FULL)).toMatchObject({ verdict: "verified" });
  expect(count()).toBe(0);
});

// Which calls are missing, gone or unlisted is tested with their table, in test/warehouse/calls/gone.test.ts.
describe("syncWarehouse, by a full pass that does not meet a call", () => {
  it.each([
    { title: "gone once it has been missing for six hours", afterMs: 6 * HOUR_MS, gone: { calls_gone: 1 } },
    { title: "missing before that", afterMs: 6 * HOUR_MS - 1, gone: {} },
  ])("marks the call as $title", async ({ afterMs, gone }) => {
    using scene = open();
    const { listing, pass, clock } = scene;
    await pass();
    listing.remove(7);
    clock.advance(1000);
    expect(await pass()).toEqual({ verdict: "exact", calls_missing: 1 });
    clock.advance(afterMs);
    expect(await pass()).toEqual({ verdict: "exact", ...gone });
    const gone_at = gone.calls_gone ? new Date(clock.now()).toISOString() : null;
    const missing_since = "2026-11-20T15:00:01.000Z";
    expect(scene.readMarks()).toEqual([{ call_id: 7, missing_since, gone_at }]);
    listing.rows = newestFirst(60);
    expect(await scene.sync(FULL)).toMatchObject({ ...NO_ABSENCE, calls_returned: 1 });
    expect(scene.readMarks()).toEqual([]);
  });

  it.each([
    { of: 60, left: 50, acceptGone: 3, found: { calls_missing: 10 } },
    { of: 60, left: 49, acceptGone: 3, found: { calls_withheld: 11 } },
    { of: 60, left: 49, acceptGone: 11, found: { calls_missing: 11 } },
    // An empty list is no proof that calls are gone.
    { of: 3, left: 0, acceptGone: 0, found: { calls_withheld: 3 } },
    { of: 3, left: 0, acceptGone: 3, found: { calls_missing: 3 } },
    { of: 3, left: 1, acceptGone: 0, found: { calls_missing: 2 } },
  ])(
    "marks or withholds missing calls, of $of with $left left and a threshold of $acceptGone",
    async (given) => {
      using scene = open(newestFirst(given.of), { acceptGone: given.acceptGone });
      await scene.pass();
      scene.listing.rows.splice(0, given.of - given.left);
      expect(await scene.pass()).toEqual({ verdict: "exact", ...given.found });
      expect(scene.readMarks()).toHaveLength(given.found.calls_missing ?? 0);
    },
  );

  it.each([
    { order: "with", rows: newestFirst(60), hours: 7 },
    { order: "without", rows: shuffled(), hours: 24 },
  ])("records until when missing calls count, $order an order key", async ({ rows, hours }) => {
    using scene = open(rows, { goneAfterHours: 7 });
    await scene.pass();
    expect(readMissing(scene.warehouse)).toBeNull();
    for (const [minutes, id] of [7, 13].entries()) {
      scene.listing.remove(id);
      scene.clock.advance((minutes + 1) * 60_000);
      await scene.pass();
    }
    const until = new Date(NOW_MS + 3 * 60_000 + hours * HOUR_MS).toISOString();
    expect(readMissing(scene.warehouse)).toEqual({ calls: 2, until });
    // An incremental sync marks nothing, and changes no wait.
    await scene.sync({ goneAfterHours: 8 });
    expect(readMissing(scene.warehouse)).toEqual({ calls: 2, until });
  });

  it("counts a new call that an exact pass misses because a replica lags", async () => {
    using scene = open();
    const { listing, pass } = scene;
    await pass();
    const current = [rowOf(61), ...listing.rows];
    listing.rows = current;
    expect(await scene.sync()).toMatchObject({ mode: "incremental", calls_new: 1 });
    listing.rows = newestFirst(60);
    expect(await pass()).toEqual({ verdict: "exact", calls_missing: 1 });
    expect(countCalls(scene.warehouse)).toEqual({ live: 61, gone: 0 });
    listing.rows = current;
    expect(await scene.sync(FULL)).toMatchObject({ verdict: "exact", calls_returned: 1 });
  });

  it("marks the call as gone after two passes that began six hours apart, however long they took", async () => {
    using scene = open();
    const { listing, pass, clock } = scene;
    await pass();
    listing.remove(7);
    listing.disturb = (slice, request) => {
      if (request === 3) clock.advance(6 * HOUR_MS);
      return slice;
    };
    expect(await pass()).toEqual({ verdict: "exact", calls_missing: 1 });
    expect(await pass()).toEqual({ verdict: "exact", calls_gone: 1 });
    expect(scene.readMarks()).toEqual([
      { call_id: 7, missing_since: NOW, gone_at: "2026-11-20T21:00:00.000Z" },
    ]);
  });

  it("marks the call as gone no sooner by the service's clock when the local clock was set a year ahead", async () => {
    using scene = open();
    const pass = async (clock_ahead_ms: number) => {
      const attempts = () => ({ retries: 0, failed_request_ids: "[]", clock_ahead_ms });
      return (await scene.sync({ ...FULL, attempts })).calls_gone;
    };
    expect(await pass(0)).toBe(0);
    scene.listing.remove(7);
    expect(await pass(0)).toBe(0);
    const yearMs = 365 * 24 * HOUR_MS;
    scene.clock.advance(yearMs);
    expect(await pass(-yearMs)).toBe(0);
    scene.clock.advance(6 * HOUR_MS);
    expect(await pass(-yearMs)).toBe(1);
  });

  it("marks nothing if the pass is not verified", async () => {
    using scene = open();
    await scene.pass();
    scene.listing.remove(7, 1, 2);
    scene.listing.disturb = fromThePast;
    expect(await scene.pass()).toEqual({ verdict: "probable" });
    expect(scene.readMarks()).toEqual([]);
  });

  it("marks the call as unlisted if it is older than all of the list, or has a lower id in a list by ids", async () => {
    using scene = open();
    await scene.pass();
    scene.listing.rows.splice(50);
    expect(await scene.pass()).toEqual({ verdict: "exact", calls_unlisted: 10 });
    // Calls 4 and 50 have each other's start.
    const swapped = newestFirst(60)
      .with(10, rowOf(50, { call_started: startOf(4) }))
      .with(56, rowOf(4, { call_started: startOf(50) }));
    using byId = open(swapped);
    await byId.pass();
    byId.listing.rows.splice(54);
    expect(await byId.pass()).toEqual({ verdict: "exact", calls_unlisted: 6 });
    expect(readRuns(byId.warehouse, 1)).toMatchObject([{ order_key: "call_id desc" }]);
  });
});

describe("syncWarehouse, by a pass over a service without an order that does not meet a call", () => {
  const readAbsent = ({ readAll }: ReturnType<typeof open>) =>
    readAll("SELECT call_id, absent_since, absent_passes FROM calls WHERE absent_since IS NOT NULL");

  it("marks the call as gone after three counted passes over at least a day", async () => {
    using scene = open(shuffled());
    const { listing, pass, clock } = scene;
    expect(await pass()).toEqual({ verdict: "probable" });
    listing.remove(7);
    const seen: unknown[] = [];
    for (const afterMs of [0, HOUR_MS, 23 * HOUR_MS - 1, 1]) {
      clock.advance(afterMs);
      seen.push(await pass());
    }
    const found = [{ calls_missing: 1 }, {}, {}, { calls_gone: 1 }];
    expect(seen).toEqual(found.map((counts) => ({ verdict: "probable", ...counts })));
    expect(scene.readMarks()).toEqual([
      { call_id: 7, missing_since: NOW, gone_at: "2026-11-21T15:00:00.000Z" },
    ]);
  });

  it.each<{ title: string; disturb: (listing: Listing) => Listing["disturb"] }>([
    {
      title: "has a page that was read in pieces",
      disturb: () => (slice, request) => ({ ...slice, fragmented: request === 3 }),
    },
    {
      title: "met another total on its way",
      disturb: () => (slice, request) => ({ ...slice, total: slice.total + (request === 3 ? 1 : 0) }),
    },
    {
      title: "read more calls than there are, since one went and another came",
      disturb: (listing) => (slice, request) => {
        if (request === 3) listing.rows = [...listing.rows.slice(1), rowOf(99)];
        return slice;
      },
    },
    {
      title: "met a response that a cache has kept and one from the past",
      disturb: () => (slice, request) =>
        request === 3 || request === 4 ? keptByCache(slice) : { ...slice, isOld: request === 5 },
    },
    {
      title: "met a row that may be the call",
      disturb: () => (slice, request) =>
        request > 1 ? slice : toSlice({ ...slice.page, rows: slice.page.rows.with(0, brokenRow(null)) }),
    },
  ])("marks nothing and counts from the start if the pass $title", async ({ disturb }) => {
    using scene = open(shuffled());
    const { listing, sync } = scene;
    await sync();
    listing.remove(7);
    expect(await sync()).toMatchObject({ ...NO_ABSENCE, calls_missing: 1 });
    expect(readAbsent(scene)).toEqual([{ call_id: 7, absent_since: NOW, absent_passes: 1 }]);
    listing.disturb = disturb(listing);
    expect(await sync()).toMatchObject(NO_ABSENCE);
    // Passes count if they are consecutive.
    expect(readAbsent(scene)).toEqual([]);
  });

  it("counts nothing when more calls than fit on a page begin at the same moment", async () => {
    using scene = open(
      shuffled().map((row) => ("call" in row ? rowOf(row.call.call_id, { call_started: NOW }) : row)),
    );
    await scene.sync();
    scene.listing.remove(7);
    expect(await scene.sync()).toMatchObject({
      verdict: "probable",
      verdict_reason: expect.stringContaining("more calls than fit on a page have the same place"),
      calls_read: 59,
      ...NO_ABSENCE,
    });
    expect(readAbsent(scene)).toEqual([]);
  });

  it("judges nothing by an incremental read", async () => {
    using scene = open();
    await scene.sync();
    const { sqlite } = scene.warehouse;
    sqlite.prepare("UPDATE calls SET absent_since = ?, absent_passes = 2 WHERE call_id = 7").run(NOW);
    expect(await scene.sync()).toMatchObject({ mode: "incremental", ...NO_ABSENCE });
    expect(readAbsent(scene)).toEqual([{ call_id: 7, absent_since: NOW, absent_passes: 2 }]);
  });
});
