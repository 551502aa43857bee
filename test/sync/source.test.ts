import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/service/api/api-errors.ts";
import { ApiClient } from "../../src/service/api/client.ts";
import type { Sort } from "../../src/service/paging/order-key.ts";
import { Throttle } from "../../src/service/paging/throttle.ts";
import { createSource, type FetchOptions, type PageSlice } from "../../src/sync/fetch.ts";
import { ServiceClock } from "../../src/sync/service-clock.ts";
import { FakeClock } from "../support/fake-clock.ts";
import {
  type Disturb,
  failsOn,
  rowsOf,
  serverError,
  startRowService,
} from "../support/services/call-service.ts";
import { type Answer, json, reset, text } from "../support/services/server.ts";

const TOTAL = 60;
/** One attempt per page; pieces have their own number. */
const ONCE = { attempts: 1 };

/** A service of 60 calls, and the source over it. */
async function open(disturb: Disturb<string> = () => undefined, options: Partial<FetchOptions> = {}) {
  await using scope = new AsyncDisposableStack();
  const service = scope.use(await startRowService(rowsOf(1, TOTAL), disturb));
  const clock = new FakeClock();
  const client = scope.use(
    new ApiClient({ baseUrl: service.url, token: "secret", clock, retry: ONCE, random: () => 0 }),
  );
  const throttle = new Throttle(4);
  const serviceClock = new ServiceClock(null);
  const source = createSource(client, { limit: 20, throttle, ...options }, serviceClock);
  const kept = scope.move();
  return {
    service,
    source,
    throttle,
    clock,
    read: (offset: number, sort: Sort = "own", signal = new AbortController().signal) =>
      source.fetch(sort)(offset, signal),
    /** The requested calls, in order: offset and limit. */
    asked: () =>
      service.requests.map(({ url }) => {
        const query = new URL(url ?? "", "http://localhost").searchParams;
        return [Number(query.get("offset")), Number(query.get("limit"))];
      }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

const idsOf = ({ rows }: PageSlice) => rows.map(({ id }) => id);
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The places of rows that the service does not deliver. */
const undelivered = ({ page: { rows } }: PageSlice) =>
  rows.flatMap((row) => ("rejected" in row ? [[JSON.parse(row.rejected.json), row.rejected.reason]] : []));

const follows = (undelivered_after_call_id: number | null, rows_after: number) => ({
  undelivered_after_call_id,
  rows_after,
});

describe("a page of the source", () => {
  it("contains the service's rows from an offset, as the walk sees them", async () => {
    await using scene = await open();
    scene.service.calls[21] = '{"call_id":22,"duration":"long"}';
    scene.service.calls[22] = '{"call_id":23,"insight_name":"Website"}';
    const slice = await scene.read(20);
    expect(slice).toMatchObject({
      offset: 20,
      total: TOTAL,
      requestId: expect.stringMatching(/^service-\d+-0$/),
      isOld: false,
    });
    expect(slice.fragmented).toBeUndefined();
    expect(slice.rows.slice(0, 3)).toEqual([
      { id: 21, started: "2026-11-19T03:00:00.000Z", name: null },
      { id: 22, started: null, name: null, isRejected: true },
      { id: 23, started: null, name: "Website" },
    ]);
    expect(idsOf(slice)).toEqual(range(21, 40));
    expect(scene.asked()).toEqual([[20, 20]]);
  });

  it.each([
    { sort: "own", query: "" },
    { sort: "source_name asc", query: "&sort_by=source_name&sort_order=asc" },
  ] as const)("requests a page in the order $sort, for one organization unit", async ({ sort, query }) => {
    await using scene = await open(undefined, { orgUnitId: "7" });
    await scene.read(0, sort);
    const { searchParams } = new URL(scene.service.requests[0]?.url ?? "", "http://localhost");
    expect(Object.fromEntries(searchParams)).toEqual({
      ...Object.fromEntries(new URLSearchParams(query)),
      limit: "20",
      offset: "0",
      org_unit_id: "7",
    });
  });

  it("reads pieces of a page in the same order and for the same organization unit", async () => {
    await using scene = await open(failsOn([7]), { orgUnitId: "7" });
    await scene.read(0, "source_name asc");
    const queries = scene.service.requests.map(({ url }) => {
      const query = new URL(url ?? "", "http://localhost").searchParams;
      for (const name of ["limit", "offset"]) query.delete(name);
      return String(query);
    });
    expect(queries.length).toBeGreaterThan(3);
    expect(new Set(queries)).toEqual(new Set(["sort_by=source_name&sort_order=asc&org_unit_id=7"]));
  });

  it.each([
    { title: "in the usual notation", spaces: undefined },
    { title: "in another notation", spaces: 2 },
  ])("recognizes an old page by the service's own time: $title", async ({ spaces }) => {
    const times = ["2026-11-20T15:00:00.000Z", "2026-11-20T14:00:00.000Z"];
    await using scene = await open(({ rows, offset, limit, before }) => {
      const data = { calls: rows.map((row) => JSON.parse(row)), total: TOTAL, limit, offset };
      return text(JSON.stringify({ code: 200, timestamp: times[before], data }, null, spaces));
    });
    expect([(await scene.read(0)).isOld, (await scene.read(20)).isOld]).toEqual([false, true]);
  });

  it("counts as a success for the throttle", async () => {
    await using scene = await open();
    scene.throttle.slowDown();
    for (let pages = 0; pages < 10; pages++) await scene.read(0);
    expect(scene.throttle.limit.concurrency).toBe(3);
  });

  it.each(["the walk", "the run"])("aborts a page with %s", async (which) => {
    const stop = new AbortController();
    const whole = which === "the run" ? { signal: stop.signal } : {};
    await using scene = await open(() => {
      stop.abort(new Error("Enough"));
      return () => undefined;
    }, whole);
    const walkSignal = which === "the walk" ? stop.signal : undefined;
    await expect(scene.read(0, "own", walkSignal)).rejects.toThrow("Enough");
    expect(scene.asked()).toEqual([[0, 20]]);
  });

  it("beyond the offsets that the service lists is refused with a hint at that limit", async () => {
    const refusal = json({ code: 400, message: "No" }, 400);
    await using scene = await open(({ offset }) => (offset >= 40 ? refusal : undefined));
    const fetch = scene.source.fetch("own");
    const { signal } = new AbortController();
    await expect(fetch(40, signal)).rejects.toMatchObject({
      status: 400,
      hint: expect.stringContaining("Correct what the service names"),
    });
    await fetch(20, signal);
    await expect(fetch(40, signal)).rejects.toMatchObject({
      exitCode: 8,
      hint: expect.stringContaining("took offset 20 and refuses 40 (limit 20)"),
    });
  });

  it("counts as refused after an API error, not after an internal error", async () => {
    await using scene = await open();
    expect(scene.source.isRefusal(new ApiError(5, "No", { hint: "" }))).toBe(true);
    expect(scene.source.isRefusal(new TypeError("A defect"))).toBe(false);
  });
});

/** Consecutive requests with the number of repetitions: `[offset, limit, times]`. */
function squash(requests: readonly number[][]): number[][] {
  const squashed: number[][] = [];
  for (const [offset = 0, limit = 0] of requests) {
    const last = squashed.at(-1);
    if (last?.[0] === offset && last[1] === limit) last[2] = (last[2] ?? 0) + 1;
    else squashed.push([offset, limit, 1]);
  }
  return squashed;
}

describe("a page that fails as a whole", () => {
  it("reads a failing page in ever smaller pieces down to the bad row, and in larger ones behind it", async () => {
    await using scene = await open(failsOn([25]));
    const slice = await scene.read(20);
    expect(slice).toMatchObject({ offset: 20, total: TOTAL, fragmented: true, isOld: false });
    expect(slice.requestId).toBeUndefined();
    expect(idsOf(slice)).toEqual([...range(21, 24), null, ...range(26, 40)]);
    expect(undelivered(slice)).toEqual([
      [follows(24, 1), "the service fails on the row at offset 24: The API returned 500 (46 bytes)"],
    ]);
    expect(squash(scene.asked())).toEqual([
      [20, 20, 1],
      [0, 1, 1],
      [20, 20, 1],
      [20, 10, 3],
      [20, 5, 3],
      [20, 2, 1],
      [22, 3, 3],
      [22, 1, 1],
      [23, 2, 3],
      [23, 1, 1],
      [24, 1, 3],
      [25, 1, 1],
      [26, 2, 1],
      [28, 4, 1],
      [32, 8, 1],
    ]);
  });

  it("ends with the last call although it could be longer", async () => {
    await using scene = await open(failsOn([60]));
    const slice = await scene.read(54);
    expect(idsOf(slice)).toEqual([...range(55, 59), null]);
    expect(squash(scene.asked())).toEqual([
      [54, 20, 1],
      [0, 1, 1],
      [54, 20, 1],
      [54, 10, 3],
      [54, 5, 1],
      [59, 5, 3],
      [59, 2, 3],
      [59, 1, 3],
      [60, 1, 1],
    ]);
  });

  it("reads a failing page without unnecessary requests when the rest is short", async () => {
    await using scene = await open(failsOn([40]));
    expect(idsOf(await scene.read(20))).toEqual([...range(21, 39), null]);
    expect(squash(scene.asked())).toEqual([
      [20, 20, 1],
      [0, 1, 1],
      [20, 20, 1],
      [20, 10, 1],
      [30, 10, 3],
      [30, 5, 1],
      [35, 5, 3],
      [35, 2, 1],
      [37, 3, 3],
      [37, 1, 1],
      [38, 2, 3],
      [38, 1, 1],
      [39, 1, 3],
    ]);
  });

  it.each([
    ["the first of a page is left to the page before", [21], 20, []],
    ["the first of all follows none", [1, 2], 0, [follows(null, 1), follows(null, 2)]],
    ["each counts from the last call before", [25, 26], 20, [follows(24, 1), follows(24, 2)]],
    [
      "five of them, in two places",
      [25, 26, 27, 35, 36],
      20,
      [follows(24, 1), follows(24, 2), follows(24, 3), follows(34, 1), follows(34, 2)],
    ],
  ])("names the failing rows: %s", async (_title, bad, at, told) => {
    await using scene = await open(failsOn(bad));
    const slice = await scene.read(at);
    expect(idsOf(slice)).toEqual(range(at + 1, at + 20).map((id) => (bad.includes(id) ? null : id)));
    expect(undelivered(slice).map(([place]) => place)).toEqual(told);
    const paths = slice.page.rows.flatMap((row) => ("rejected" in row ? row.rejected.path : []));
    expect(paths).toEqual(told.map(() => ""));
    expect(slice.rows.filter(({ id }) => id === null)).toEqual(
      bad.map(() => ({ id: null, started: null, name: null, ...(told.length > 0 && { isRejected: true }) })),
    );
  });

  it("fails with its own error if more than five of its rows fail", async () => {
    await using scene = await open(failsOn([25, 26, 27, 28, 29, 30]));
    const { disturb } = scene.service;
    scene.service.disturb = (asked, rows) =>
      asked.before === 0 ? text("<html>", 502) : disturb(asked, rows);
    await expect(scene.read(20)).rejects.toMatchObject({ status: 502 });
  });

  it.each<[title: string, failure: Answer, isInPieces: boolean]>([
    ["500", serverError, true],
    ["a reset", reset, true],
    ["200 without calls", json({ code: 200, data: {} }), true],
    ["200 with HTML", text("<html>"), true],
    ["503 with a short pause", json({ code: 503 }, 503, { "retry-after": "1" }), true],
    ["503 with a pause of an hour", json({ code: 503 }, 503, { "retry-after": "3600" }), false],
    ["499", json({ code: 499 }, 499), false],
    ["400", json({ code: 400 }, 400), false],
    ["401", json({ code: 401 }, 401), false],
    ["429", json({ code: 429 }, 429), false],
  ])("searches a failing page for a bad row, or not: %s", async (_title, failure, isInPieces) => {
    await using scene = await open(({ before }) => (before === 0 ? failure : undefined));
    if (isInPieces) {
      const slice = await scene.read(20);
      expect(idsOf(slice)).toEqual(range(21, 40));
      // The page itself succeeds the second time.
      expect(slice.fragmented).toBe(undefined);
      expect(scene.asked()).toEqual([
        [20, 20],
        [0, 1],
        [20, 20],
      ]);
    } else {
      await expect(scene.read(20)).rejects.toBeInstanceOf(ApiError);
      expect(scene.asked()).toEqual([[20, 20]]);
    }
  });

  it("searches a failing page even if the very first call fails as well", async () => {
    await using scene = await open(failsOn([1]));
    expect(idsOf(await scene.read(0))).toEqual([null, ...range(2, 20)]);
    expect(scene.asked().slice(0, 4)).toEqual([
      [0, 20],
      [0, 1],
      [20, 1],
      [0, 20],
    ]);
  });

  it("fails with its own error if the service fails on other pages, too", async () => {
    await using scene = await open(() => serverError);
    await expect(scene.read(20)).rejects.toMatchObject({ status: 500 });
    expect(scene.asked()).toEqual([
      [20, 20],
      [0, 1],
      [40, 1],
    ]);
  });

  it("fails with its own error if it has only one row", async () => {
    await using scene = await open(failsOn([21]), { limit: 1 });
    await expect(scene.read(20)).rejects.toMatchObject({ status: 500 });
    expect(scene.asked()).toEqual([[20, 1]]);
  });

  it("fails with the error of a piece that cannot be caused by a row", async () => {
    await using scene = await open((asked) =>
      asked.before > 2 ? json({ code: 401 }, 401) : failsOn([25])(asked),
    );
    await expect(scene.read(20)).rejects.toMatchObject({ status: 401 });
    expect(scene.asked()).toHaveLength(4);
  });

  it.each([
    { title: "another page is tried", at: 1 },
    { title: "it is read in pieces", at: 2 },
  ])("aborts a failing page with the run while $title", async ({ at }) => {
    const stop = new AbortController();
    await using scene = await open(
      (asked) => {
        if (asked.before < at) return failsOn([25])(asked);
        stop.abort(new Error("Enough"));
        return () => undefined;
      },
      { signal: stop.signal },
    );
    await expect(scene.read(20)).rejects.toThrow("Enough");
    expect(scene.asked()).toHaveLength(at + 1);
  });
});
