import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/api/api-errors.ts";
import { type ExitCode, InterruptedError } from "../../src/base/errors.ts";
import { type PageSlice, toSlice } from "../../src/sync/fetch.ts";
import { judgeReading } from "../../src/sync/judge-reading.ts";
import { type Run, readIncremental } from "../../src/sync/read-calls.ts";
import { PageStore } from "../../src/sync/store.ts";
import { syncWarehouse } from "../../src/sync/sync-warehouse.ts";
import { countCalls } from "../../src/warehouse/calls/call-table.ts";
import { readUnlisted } from "../../src/warehouse/calls/gone.ts";
import { readRuns, type SyncRun, startRun } from "../../src/warehouse/runs/runs.ts";
import type { Warehouse } from "../../src/warehouse/warehouse.ts";
import { makeCall } from "../support/calls.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { newWarehouse } from "../support/warehouse.ts";
import { makeRun } from "./scene.ts";

const NOW = "2026-11-20T15:00:00.000Z";
const NOW_MS = Date.parse(NOW);
const HOUR_MS = 3_600_000;
const LIMIT = 20;
const FULL = { force: "full" } as const;
const NO_ABSENCE = { calls_missing: 0, calls_gone: 0, calls_withheld: 0, calls_unlisted: 0 };

/** A call by its id, newest with the highest; or a row that cannot be parsed, whose id may be readable. */
type Row = number | { broken: string; id: number | null };

/** A service in memory. */
class Listing {
  rows: Row[];
  /** Changes the response; `request` counts from 1 within a sync. */
  disturb: (slice: PageSlice, request: number) => PageSlice = (slice) => slice;
  request = 0;
  #requests = 0;

  constructor(rows: readonly Row[]) {
    this.rows = [...rows];
  }

  fetch = async (offset: number): Promise<PageSlice> => {
    const requestId = `request ${this.#requests++}`;
    const page = { total: this.rows.length, limit: LIMIT, offset, requestId };
    const slice = () => toSlice({ ...page, rows: this.rows.slice(offset, offset + LIMIT).map(toPageRow) });
    return this.disturb(slice(), ++this.request);
  };

  remove(...ids: number[]): void {
    this.rows = this.rows.filter((row) => typeof row !== "number" || !ids.includes(row));
  }
}

function toPageRow(row: Row) {
  if (typeof row !== "number")
    return { rejected: { call_id: row.id, json: row.broken, path: "duration", reason: "no integer" } };
  return {
    call: makeCall({ call_id: row, call_started: startOf(row), caller_id: `+4930${row}` }),
    drift: [],
  };
}

const keptByCache = ({ page }: PageSlice) => toSlice({ ...page, requestId: "kept" });

const startOf = (id: number) => new Date(NOW_MS - (1000 - id) * HOUR_MS).toISOString();

const newestFirst = (count: number) => Array.from({ length: count }, (_, at) => count - at);
/** In no order that a key explains. */
const shuffled = (count: number) => newestFirst(count).sort((a, b) => ((a * 37) % 61) - ((b * 37) % 61));

/** Opens a warehouse, and syncs from a service on request. */
function open(listing: Listing, rules: Partial<Run> = {}) {
  const [warehouse, clock] = [newWarehouse(), new FakeClock(NOW)];
  return {
    warehouse,
    clock,
    sync: async (more: Partial<Run> = {}): Promise<SyncRun> => {
      await setImmediate();
      listing.request = 0;
      const run = makeRun(warehouse, listing.fetch, clock, { limit: LIMIT, fullEveryHours: 1000, ...rules });
      return await syncWarehouse({ ...run, ...more });
    },
    [Symbol.dispose]: () => warehouse[Symbol.dispose](),
  };
}

const readAll = ({ sqlite }: Warehouse, query: string) => sqlite.prepare(query).all();
const readMarks = (warehouse: Warehouse) =>
  readAll(
    warehouse,
    "SELECT call_id, missing_since, gone_at FROM calls WHERE missing_since IS NOT NULL OR gone_at IS NOT NULL ORDER BY 1",
  );

describe("a run in the ledger", () => {
  it("records what was read, how long that took, and the verdict", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    listing.disturb = (slice) => {
      scene.clock.advance(1000);
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
    expect(run.elapsed_ms).toBe(listing.request * 1000);
    const { warehouse } = scene;
    expect(readAll(warehouse, "SELECT 1 FROM sync_pages")).toHaveLength(run.pages ?? -1);
    // Values that only the walk needed are not kept.
    expect(readAll(warehouse, "SELECT 1 FROM sync_pages WHERE call_ids IS NOT NULL")).toEqual([]);
    // A first load determines its callers at the end.
    expect(readAll(warehouse, "SELECT count(*) AS callers FROM callers")).toEqual([{ callers: 60 }]);
  });

  it("counts the calls of another organization unit than the requested one", async () => {
    const listing = new Listing([1]);
    using scene = open(listing);
    listing.disturb = (slice) => {
      const call = makeCall({ call_id: 1, call_started: startOf(1), org_unit_id: 8 });
      return toSlice({ ...slice.page, rows: [{ call, drift: [] }] });
    };
    const claim = {
      baseUrl: new URL("https://api.example.com"),
      token: "secret",
      isRebound: false,
      orgUnitId: "7",
    };
    expect(await scene.sync({ claim })).toMatchObject({ calls_other_unit: 1 });
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
  ])("records that it %s", async (_title, error, expected) => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    listing.disturb = (slice, request) => {
      if (request < 2) return slice;
      if (request === 2) scene.clock.advance(1000);
      throw error;
    };
    await expect(scene.sync()).rejects.toBe(error);
    expect(readRuns(scene.warehouse, 2)).toMatchObject([
      {
        error: error.message,
        finished_at: "2026-11-20T15:00:01.000Z",
        elapsed_ms: 1000,
        calls_new: 20,
        ...expected,
      },
    ]);
  });

  it("is not changed when another process has taken it over", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    listing.disturb = (slice, request) => {
      if (request < 2) return slice;
      scene.warehouse.sqlite.exec("UPDATE sync_runs SET pid = 1");
      throw new Error("The line is dead");
    };
    await expect(scene.sync()).rejects.toThrow("The line is dead");
    expect(readRuns(scene.warehouse, 2)).toMatchObject([{ status: "running", pid: 1, error: null }]);
  });

  it("is not ended when another process took it over after its last page", async () => {
    using scene = open(new Listing(newestFirst(60)));
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

describe("the verdict of a run", () => {
  it("counts responses that repeat one of an earlier run", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    listing.disturb = (slice, request) => (request === 2 ? keptByCache(slice) : slice);
    expect(await scene.sync()).toMatchObject({ verdict: "exact" });
    expect(await scene.sync(FULL)).toMatchObject({
      verdict: "probable",
      verdict_reason: expect.stringContaining("1 response repeated an earlier request_id"),
    });
  });

  it("refers to the last verified pass when only new calls were read", async () => {
    const listing = new Listing(newestFirst(60));
    listing.rows[50] = { broken: "{}", id: 10 };
    using scene = open(listing);
    await scene.sync();
    // Nothing is expected of a row that no longer exists.
    listing.rows.splice(50, 1);
    expect(await scene.sync(FULL)).toMatchObject({ verdict: "exact", calls_read: 59 });
    scene.clock.advance(5);
    listing.rows.unshift(61);
    expect(await scene.sync()).toMatchObject({
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
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    expect(await scene.sync()).toMatchObject({ order_key: expect.stringContaining("call_id desc") });
    listing.rows.unshift(62, 61);
    listing.disturb = (slice) => {
      const rows = slice.page.rows.map((row) =>
        "call" in row && row.call.call_id > 60
          ? { ...row, call: { ...row.call, call_started: startOf(row.call.call_id - 100) } }
          : row,
      );
      return toSlice({ ...slice.page, rows });
    };
    expect(await scene.sync()).toMatchObject({
      mode: "full",
      plan_reason: "the calls are not listed as before, newest start first",
    });
  });

  it("ignores an untrusted incremental read when the full pass after it fails", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    await scene.sync();
    listing.rows = newestFirst(60).reverse();
    const isFull = () => readRuns(scene.warehouse, 1)[0]?.plan_reason?.includes("not listed as before");
    listing.disturb = (slice) => {
      if (isFull()) throw new Error("The line is dead");
      return slice;
    };
    await expect(scene.sync()).rejects.toThrow("The line is dead");
    expect(readRuns(scene.warehouse, 1)).toMatchObject([{ run_id: 2, mode: "full", status: "failed" }]);
    expect(readAll(scene.warehouse, "SELECT 1 FROM sync_pages WHERE run_id = 2")).toEqual([]);
    listing.disturb = (slice) => slice;
    expect(await scene.sync()).toMatchObject({ run_id: 3, mode: "full", verdict: "exact", resumed: null });
  });

  it("is never trusted when no pass was verified before", async () => {
    using warehouse = newWarehouse();
    const listing = new Listing(newestFirst(60));
    const run = makeRun(warehouse, listing.fetch, new FakeClock(NOW), { limit: LIMIT });
    const started = { started_at: NOW, mode: "incremental", plan_reason: "", pid: process.pid } as const;
    const entry = { runId: startRun(warehouse, started), pid: process.pid, startedMs: NOW_MS };
    const { claim, keeping } = run;
    const store = new PageStore(warehouse, entry, 0, { claim, keeping, signature: new Set() });
    const reading = await readIncremental(run, store, "end");
    expect(judgeReading(run, entry.runId, reading)).toMatchObject({
      read: 60,
      judgement: {
        verdict: "unverified",
        verdict_reason: "the calls are not listed as before, in order",
      },
    });
  });
});

describe("rows without an id", () => {
  it("are removed by a verified pass that does not meet them, and by no other", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    const count = () => readAll(scene.warehouse, "SELECT 1 FROM rejected_calls").length;
    const broken = { broken: "null", id: null };
    await scene.sync();
    listing.rows.splice(30, 0, broken);
    expect(await scene.sync(FULL)).toMatchObject({ verdict: "probable", calls_rejected: 1 });
    listing.rows = newestFirst(60);
    expect(await scene.sync({ force: "incremental" })).toMatchObject({ verdict: "unverified" });
    expect(count()).toBe(1);
    listing.disturb = (slice) => ({ ...slice, isOld: true });
    expect(await scene.sync(FULL)).toMatchObject({ verdict: "probable" });
    expect(count()).toBe(1);
    listing.disturb = (slice, request) => {
      if (request === 2) listing.rows.unshift(61);
      return slice;
    };
    expect(await scene.sync(FULL)).toMatchObject({ verdict: "verified" });
    expect(count()).toBe(0);
  });
});

describe("a call that a full pass does not meet", () => {
  it.each([
    { title: "is gone once it has been missing for six hours", afterMs: 6 * HOUR_MS, gone: 1 },
    { title: "is only missing before that", afterMs: 6 * HOUR_MS - 1, gone: 0 },
  ])("$title", async ({ afterMs, gone }) => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    const { sync, clock, warehouse } = scene;
    await sync();
    listing.remove(7);
    clock.advance(1000);
    expect(await sync(FULL)).toMatchObject({ ...NO_ABSENCE, calls_missing: 1 });
    clock.advance(afterMs);
    expect(await sync(FULL)).toMatchObject({ ...NO_ABSENCE, calls_gone: gone });
    expect(readMarks(warehouse)).toEqual([
      {
        call_id: 7,
        missing_since: "2026-11-20T15:00:01.000Z",
        gone_at: gone ? new Date(clock.now()).toISOString() : null,
      },
    ]);
    listing.rows = newestFirst(60);
    expect(await sync(FULL)).toMatchObject({ ...NO_ABSENCE, calls_returned: 1 });
    expect(readMarks(warehouse)).toEqual([]);
  });

  it.each([
    { title: "ten of 60 in one pass", missing: 10, acceptGone: 3, isMarked: true },
    { title: "eleven in one pass", missing: 11, acceptGone: 3, isMarked: false },
    { title: "eleven in one pass, with a threshold of eleven", missing: 11, acceptGone: 11, isMarked: true },
  ])("is marked as missing, or not: $title", async ({ missing, acceptGone, isMarked }) => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing, { acceptGone });
    await scene.sync();
    listing.rows.splice(10, missing);
    expect(await scene.sync(FULL)).toMatchObject({
      ...NO_ABSENCE,
      ...(isMarked ? { calls_missing: missing } : { calls_withheld: missing }),
    });
    expect(readMarks(scene.warehouse)).toHaveLength(isMarked ? missing : 0);
  });

  it("is gone after two passes that began six hours apart, however long they took", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    await scene.sync();
    listing.remove(7);
    listing.disturb = (slice, request) => {
      if (request === 3) scene.clock.advance(6 * HOUR_MS);
      return slice;
    };
    expect(await scene.sync(FULL)).toMatchObject({ verdict: "exact", ...NO_ABSENCE, calls_missing: 1 });
    expect(await scene.sync(FULL)).toMatchObject({ verdict: "exact", ...NO_ABSENCE, calls_gone: 1 });
    expect(readMarks(scene.warehouse)).toEqual([
      { call_id: 7, missing_since: NOW, gone_at: "2026-11-20T21:00:00.000Z" },
    ]);
  });

  it("is not gone sooner by the service's clock when the local clock was set a year ahead", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    const pass = async (aheadMs: number) =>
      (
        await scene.sync({
          ...FULL,
          attempts: () => ({ retries: 0, failed_request_ids: "[]", clock_ahead_ms: aheadMs }),
        })
      ).calls_gone;
    expect(await pass(0)).toBe(0);
    listing.remove(7);
    expect(await pass(0)).toBe(0);
    const yearMs = 365 * 24 * HOUR_MS;
    scene.clock.advance(yearMs);
    expect(await pass(-yearMs)).toBe(0);
    scene.clock.advance(6 * HOUR_MS);
    expect(await pass(-yearMs)).toBe(1);
  });

  it.each([
    { title: "that lists no calls at all", left: [], acceptGone: 0, isMarked: false },
    { title: "that lists no calls, with a threshold of three", left: [], acceptGone: 3, isMarked: true },
    { title: "that lists only the oldest one", left: [1], acceptGone: 0, isMarked: true },
  ])("is marked as missing, or not: by a pass $title", async ({ left, acceptGone, isMarked }) => {
    const listing = new Listing(newestFirst(3));
    using scene = open(listing, { acceptGone });
    await scene.sync();
    listing.rows = left;
    const absent = 3 - left.length;
    expect(await scene.sync(FULL)).toMatchObject({
      verdict: "exact",
      ...NO_ABSENCE,
      ...(isMarked ? { calls_missing: absent } : { calls_withheld: absent }),
    });
  });

  it("is not marked by a pass that is not verified", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    await scene.sync();
    listing.remove(7);
    listing.disturb = (slice) => ({ ...slice, isOld: true });
    expect(await scene.sync(FULL)).toMatchObject({ verdict: "probable", ...NO_ABSENCE });
    expect(readMarks(scene.warehouse)).toEqual([]);
  });
});

describe("calls older than the oldest that a service lists", () => {
  const readUnlistedIds = (warehouse: Warehouse) =>
    readAll(warehouse, "SELECT call_id FROM calls WHERE unlisted_since IS NOT NULL ORDER BY 1").map(
      (row) => (row as { call_id: number }).call_id,
    );
  const countLive = (warehouse: Warehouse) => countCalls(warehouse).live;

  it("keep counting day after day while the service lists the newest 60", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing, { fullEveryHours: 24 });
    await scene.sync();
    // As many a day as the missing-call threshold allows.
    for (let newest = 70; newest <= 120; newest += 10) {
      listing.rows = newestFirst(newest).slice(0, 60);
      scene.clock.advance(24 * HOUR_MS);
      expect(await scene.sync()).toMatchObject({
        verdict: "exact",
        calls_new: 10,
        ...NO_ABSENCE,
        calls_unlisted: 10,
      });
    }
    expect(readMarks(scene.warehouse)).toEqual([]);
    expect(countLive(scene.warehouse)).toBe(120);
    expect(readUnlisted(scene.warehouse)).toEqual({ calls: 60, since: "2026-11-21T15:00:00.000Z" });
    // The counts of an incremental sync exclude them.
    expect(await scene.sync()).toMatchObject({ mode: "incremental", verdict: "probable", calls_new: 0 });
    // A call within the list is missing as usual.
    listing.remove(90);
    expect(await scene.sync(FULL)).toMatchObject({ ...NO_ABSENCE, calls_missing: 1 });
  });

  it("do not count toward the missing-call threshold, however many there are", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    await scene.sync();
    listing.rows = newestFirst(60).slice(0, 40);
    listing.remove(25, 26, 27);
    expect(await scene.sync(FULL)).toMatchObject({ ...NO_ABSENCE, calls_unlisted: 20, calls_missing: 3 });
    // The threshold is a share of the calls that the service may list: 11 of them are too many.
    listing.rows = listing.rows.filter((row) => typeof row === "number" && (row < 40 || row > 50));
    expect(await scene.sync(FULL)).toMatchObject({ ...NO_ABSENCE, calls_withheld: 11 });
    expect(countLive(scene.warehouse)).toBe(60);
  });

  it("are listed again once they come back, and missing if the list reaches beyond them without them", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    await scene.sync();
    listing.rows = newestFirst(60).slice(0, 50);
    await scene.sync(FULL);
    expect(readUnlistedIds(scene.warehouse)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    listing.rows = newestFirst(60).slice(0, 56);
    listing.remove(8);
    expect(await scene.sync(FULL)).toMatchObject({ ...NO_ABSENCE, calls_returned: 5, calls_missing: 1 });
    expect(readUnlistedIds(scene.warehouse)).toEqual([1, 2, 3, 4]);
    expect(readMarks(scene.warehouse)).toMatchObject([{ call_id: 8 }]);
    // Before it is gone, the end of the list has passed it again.
    scene.clock.advance(24 * HOUR_MS);
    listing.rows = newestFirst(60).slice(0, 50);
    expect(await scene.sync(FULL)).toMatchObject({ ...NO_ABSENCE, calls_unlisted: 6 });
    expect(readMarks(scene.warehouse)).toEqual([]);
  });

  it("are not missing if they began at the same time as the oldest listed call", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    listing.disturb = ({ page }) => {
      const rows = page.rows.map((row) =>
        "call" in row && row.call.call_id < 6
          ? { ...row, call: { ...row.call, call_started: startOf(1) } }
          : row,
      );
      return toSlice({ ...page, rows });
    };
    await scene.sync();
    listing.rows = newestFirst(60).slice(0, 57);
    expect(await scene.sync(FULL)).toMatchObject({ verdict: "exact", ...NO_ABSENCE, calls_unlisted: 3 });
    expect(readUnlistedIds(scene.warehouse)).toEqual([1, 2, 3]);
  });

  it("are those with the lowest ids if the list is in the order of ids", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    listing.disturb = ({ page }) => {
      const rows = page.rows.map((row) =>
        "call" in row && [4, 50].includes(row.call.call_id)
          ? { ...row, call: { ...row.call, call_started: startOf(54 - row.call.call_id) } }
          : row,
      );
      return toSlice({ ...page, rows });
    };
    await scene.sync();
    listing.rows = newestFirst(60).slice(0, 54);
    const run = await scene.sync(FULL);
    expect(run).toMatchObject({ order_key: "call_id desc", ...NO_ABSENCE, calls_unlisted: 6 });
    expect(readUnlistedIds(scene.warehouse)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("are compared with the stored version of a row that could not be parsed", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    await scene.sync();
    listing.rows = [...newestFirst(60).slice(0, 50), { broken: "{}", id: 10 }];
    listing.remove(11);
    expect(await scene.sync(FULL)).toMatchObject({ ...NO_ABSENCE, calls_unlisted: 9, calls_missing: 1 });
  });

  it("are marked only by a verified pass", async () => {
    const listing = new Listing(newestFirst(60));
    using scene = open(listing);
    await scene.sync();
    listing.rows = newestFirst(60).slice(0, 50);
    listing.disturb = (slice) => ({ ...slice, isOld: true });
    expect(await scene.sync(FULL)).toMatchObject({ verdict: "probable", ...NO_ABSENCE });
    expect(readUnlistedIds(scene.warehouse)).toEqual([]);
  });

  it("keep counting if the list has no order", async () => {
    const listing = new Listing(shuffled(60));
    using scene = open(listing);
    await scene.sync();
    listing.rows = shuffled(60).filter((row) => row > 10);
    listing.remove(30);
    for (const expected of [{ calls_unlisted: 10, calls_missing: 1 }, {}, { calls_gone: 1 }]) {
      expect(await scene.sync()).toMatchObject({ verdict: "probable", ...NO_ABSENCE, ...expected });
      scene.clock.advance(12 * HOUR_MS);
    }
    expect(countLive(scene.warehouse)).toBe(59);
  });
});

describe("a call that a pass over a service without an order does not meet", () => {
  const readAbsent = (warehouse: Warehouse) =>
    readAll(
      warehouse,
      "SELECT call_id, absent_since, absent_passes FROM calls WHERE absent_since IS NOT NULL",
    );

  it("is gone after three counted passes over at least a day", async () => {
    const listing = new Listing(shuffled(60));
    using scene = open(listing);
    const { sync, clock, warehouse } = scene;
    expect(await sync()).toMatchObject({ verdict: "probable", order_key: null, ...NO_ABSENCE });
    listing.remove(7);
    const seen: unknown[] = [];
    for (const afterMs of [0, HOUR_MS, 23 * HOUR_MS - 1, 1]) {
      clock.advance(afterMs);
      const { calls_missing, calls_gone } = await sync();
      seen.push([calls_missing, calls_gone]);
    }
    expect(seen).toEqual([
      [1, 0],
      [0, 0],
      [0, 0],
      [0, 1],
    ]);
    expect(readMarks(warehouse)).toEqual([
      { call_id: 7, missing_since: NOW, gone_at: "2026-11-21T15:00:00.000Z" },
    ]);
  });

  const uncounted: { title: string; disturb: (listing: Listing) => Listing["disturb"] }[] = [
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
        if (request === 3) listing.rows = [...listing.rows.slice(1), 99];
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
      disturb: () => (slice, request) => {
        if (request > 1) return slice;
        const [, ...others] = slice.page.rows;
        return toSlice({ ...slice.page, rows: [toPageRow({ broken: "null", id: null }), ...others] });
      },
    },
  ];
  it.each(uncounted)("keeps its state if the pass $title", async ({ disturb }) => {
    const listing = new Listing(shuffled(60));
    using scene = open(listing);
    await scene.sync();
    listing.remove(7);
    expect(await scene.sync()).toMatchObject({ ...NO_ABSENCE, calls_missing: 1 });
    expect(readAbsent(scene.warehouse)).toEqual([{ call_id: 7, absent_since: NOW, absent_passes: 1 }]);
    listing.disturb = disturb(listing);
    expect(await scene.sync()).toMatchObject(NO_ABSENCE);
    // Passes count if they are consecutive.
    expect(readAbsent(scene.warehouse)).toEqual([]);
  });

  it("is not counted as absent when more calls than fit on a page begin at the same moment", async () => {
    const listing = new Listing(shuffled(60));
    using scene = open(listing);
    listing.disturb = ({ page }) => {
      const rows = page.rows.map((row) =>
        "call" in row ? { ...row, call: { ...row.call, call_started: NOW } } : row,
      );
      return toSlice({ ...page, rows });
    };
    await scene.sync();
    listing.remove(7);
    expect(await scene.sync()).toMatchObject({
      verdict: "probable",
      verdict_reason: expect.stringContaining("more calls than fit on a page have the same place"),
      calls_read: 59,
      ...NO_ABSENCE,
    });
    expect(readAbsent(scene.warehouse)).toEqual([]);
  });

  it("is not judged by an incremental read", async () => {
    using scene = open(new Listing(newestFirst(60)));
    await scene.sync();
    const { sqlite } = scene.warehouse;
    sqlite.prepare("UPDATE calls SET absent_since = ?, absent_passes = 2 WHERE call_id = 7").run(NOW);
    expect(await scene.sync()).toMatchObject({ mode: "incremental", ...NO_ABSENCE });
    expect(readAbsent(scene.warehouse)).toEqual([{ call_id: 7, absent_since: NOW, absent_passes: 2 }]);
  });
});
