import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { SyncOptions } from "../../src/sync/sync-options.ts";
import { type Answer, json } from "../support/bad-server.ts";
import { FakeClock } from "../support/fake-clock.ts";
import {
  type Asked,
  callOf,
  honestly,
  type ListService,
  newestFirst,
  type ServedCall,
  startListService,
} from "../support/list-service.ts";
import { syncFrom } from "../support/row-service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readIds, readRows } from "../support/warehouse.ts";

const MARKED = "SELECT call_id FROM calls WHERE missing_since IS NOT NULL OR gone_at IS NOT NULL";
const FULL = { force: "full" } as const;

/** Syncs, and checks invariants of every service: no existing call is marked, and the number of requests is bounded. */
async function sync(service: ListService, folder: string, options: Partial<SyncOptions> = {}) {
  const before = service.requests.length;
  const run = await syncFrom(service, folder, { limit: 100, concurrency: 1, ...options });
  const database = join(folder, "calls.db");
  const live = new Set(service.calls.map(({ call_id }) => Number(call_id)));
  const marked = readRows(database, MARKED).flatMap((row) => Object.values(row ?? {}));
  expect(marked.filter((id) => live.has(Number(id)))).toEqual([]);
  const requests = service.requests.length - before;
  const pages = Math.ceil(service.calls.length / 20);
  expect(requests).toBeLessThan(40 + 5 * pages);
  return { ...run, requests, ids: readIds(database) };
}

const idsOf = ({ calls }: ListService) => calls.map(({ call_id }) => Number(call_id)).sort((a, b) => a - b);

const part = ({ offset, limit }: Asked, calls: readonly ServedCall[], cap = 1000) =>
  calls.slice(offset, offset + Math.min(limit, cap));

describe("sync of a service with a wrong total", () => {
  it.each<{ title: string; calls: number; limit?: number; tell: ListService["tell"]; says: string }>([
    {
      title: "capped at 300 of 900",
      calls: 900,
      limit: 100,
      tell: (asked, calls) => ({ rows: part(asked, calls), total: Math.min(300, calls.length) }),
      says: "go beyond it: 900 calls read, total 300",
    },
    {
      title: "the number of rows on the page",
      calls: 950,
      tell: (asked, calls) => ({ rows: part(asked, calls), total: part(asked, calls).length }),
      says: "go beyond it",
    },
    {
      title: "the number of rows on the page, of which it lists 20",
      calls: 300,
      tell: (asked, calls) => ({ rows: part(asked, calls, 20), total: part(asked, calls, 20).length }),
      says: "go beyond it",
    },
    {
      title: "0",
      calls: 950,
      tell: (asked, calls) => ({ rows: part(asked, calls), total: 0 }),
      says: "go beyond it",
    },
    {
      title: "stale by 300, of pages capped at 100",
      calls: 900,
      limit: 1000,
      tell: (asked, calls) => ({ rows: part(asked, calls, 100), total: calls.length - 300 }),
      says: "go beyond it: 900 calls read, total 600",
    },
    {
      title: "one less, with pages of 20",
      calls: 301,
      limit: 20,
      tell: (asked, calls) => ({ rows: part(asked, calls), total: calls.length - 1 }),
      says: "go beyond it",
    },
    {
      title: "one more, with pages of 20",
      calls: 301,
      limit: 20,
      tell: (asked, calls) => ({ rows: part(asked, calls), total: calls.length + 1 }),
      says: "the service counts more than it lists: 301 calls read, total 302",
    },
  ])("reads all calls but does not verify the pass: $title", async ({ calls, limit = 100, tell, says }) => {
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(calls), tell);
    for (const concurrency of [1, 4]) {
      const run = await sync(service, folder.path, { ...FULL, limit, concurrency });
      expect(run).toMatchObject({ verdict: "probable", calls_read: calls });
      expect(run.verdict_reason).toContain(says);
      expect(run.advice).not.toBeNull();
      expect(run.ids).toEqual(idsOf(service));
    }
  });

  it("does not verify a pass whose total falls from 1,000 to 600 after the first page", async () => {
    using folder = makeTempFolder();
    const replica = newestFirst(1000).slice(400);
    await using service = await startListService(newestFirst(1000), (asked, calls) =>
      asked.before === 0 ? honestly(asked, calls) : { rows: part(asked, replica), total: 600 },
    );
    const run = await sync(service, folder.path, { limit: 200 });
    expect(["probable", "unverified"]).toContain(run.verdict);
  });

  it("gives up soon when offset is ignored and total flickers", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(950), ({ limit, before }, calls) => ({
      rows: calls.slice(0, limit),
      total: 950 + (before % 3),
    }));
    const run = await sync(service, folder.path);
    expect(run).toMatchObject({ verdict: "unverified", calls_read: 100 });
    expect(run.verdict_reason).toContain("the end of the calls was not reached");
  });

  it.each([
    {
      title: "30 rows of each page are dropped after the limit",
      drop: (rows: ServedCall[]) => rows.slice(0, -30),
    },
    {
      title: "every 30th row is dropped",
      drop: (rows: ServedCall[]) => rows.filter(({ call_id }) => Number(call_id) % 30 > 0),
    },
  ])("does not verify a pass when $title", async ({ drop }) => {
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(950), (asked, calls) => ({
      rows: drop(part(asked, calls)),
    }));
    const { verdict, ids } = await sync(service, folder.path);
    if (ids.length < 950) expect(["probable", "unverified"]).toContain(verdict);
    expect(ids.length).toBeGreaterThan(850);
  });

  it("does not verify a pass when the first rows are never listed", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(950), ({ offset, limit }, calls) => ({
      rows: calls.slice(offset + 30, offset + 30 + limit),
    }));
    const run = await sync(service, folder.path);
    expect(run).toMatchObject({ verdict: "unverified", calls_read: 920 });
    expect(run.verdict_reason).toContain("no call came from offset 920 on");
  });
});

describe("sync of a service whose total follows its pages", () => {
  it.each([
    { title: "that never cross a block of 20", rows: 20 },
    { title: "that have at most 40 rows", rows: 1000 },
  ])("reads on behind an alleged end: pages $title", async ({ rows }) => {
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(150), ({ offset, limit }, calls) => {
      const block = Math.min(offset + Math.min(limit, 40), (Math.floor(offset / rows) + 1) * rows);
      const page = calls.slice(offset, block);
      return { rows: page, total: offset + page.length };
    });
    const run = await sync(service, folder.path, { limit: 40 });
    if (run.ids.length < 150) expect(["probable", "unverified"]).toContain(run.verdict);
  });

  it("stops eventually when offsets behind the last call repeat the last ones while calls arrive", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(
      newestFirst(30).reverse(),
      ({ offset, limit, before }, calls) => {
        if (before % 2 === 1) service.calls.push(callOf(1000 + before, -before));
        return {
          rows: offset < calls.length ? calls.slice(offset, offset + limit) : calls.slice(-10),
          total: 1e9,
        };
      },
    );
    const before = service.requests.length;
    const run = await syncFrom(service, folder.path, { limit: 20 });
    expect(["probable", "unverified"]).toContain(run.verdict);
    expect(service.requests.length - before).toBeLessThan(300);
  });
});

describe("sync of a service whose order moves", () => {
  it("does not verify a pass when the busiest source comes first and a new call swaps two between pages", async () => {
    using folder = makeTempFolder();
    const name = (index: number) => (index < 300 ? "B" : index < 599 ? "A" : "C");
    const calls = newestFirst(650).map((call, index) => ({ ...call, insight_name: name(index) }));
    const busiest = (all: readonly ServedCall[]) => {
      const sources = Map.groupBy(all, ({ insight_name }) => insight_name);
      return [...sources.values()].sort((a, b) => b.length - a.length).flat();
    };
    await using service = await startListService(calls, (asked, all) => {
      if (asked.before === 3) {
        service.calls.unshift(
          callOf(1001, -1, { insight_name: "A" }),
          callOf(1002, -2, { insight_name: "A" }),
        );
      }
      const rows = part(asked, busiest(asked.before >= 3 ? service.calls : all));
      return { rows, total: service.calls.length };
    });
    const { verdict } = await sync(service, folder.path);
    expect(["probable", "unverified"]).toContain(verdict);
  });

  it("does not verify a pass when the last updated come first and a bulk update jumps over the reader", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(950), (asked, calls) => {
      // Unread calls move to the front and shift read ones to where unread ones are expected.
      if (asked.before === 4) service.calls = [...calls.slice(600), ...calls.slice(0, 600)];
      return { rows: part(asked, service.calls) };
    });
    const run = await sync(service, folder.path);
    expect(["probable", "unverified"]).toContain(run.verdict);
    // The order was lost, so the documented one was requested; here it is ignored.
    expect(service.requests.some(({ url }) => url?.includes("sort_by=source_name&sort_order=asc"))).toBe(
      true,
    );
  });

  it("reads by source when the service's own order has no key, and reports it", async () => {
    using folder = makeTempFolder();
    const sources = ["A", "B", "C"];
    const calls = newestFirst(950).map((call, index) => ({ ...call, insight_name: sources[index % 3] }));
    const shuffled = calls
      .map((call, index) => ({ call, at: (index * 7919) % 950 }))
      .sort((a, b) => a.at - b.at);
    const bySource = calls.toSorted((a, b) => (String(a.insight_name) < String(b.insight_name) ? -1 : 1));
    await using service = await startListService(
      shuffled.map(({ call }) => call),
      (asked, all) => ({ rows: part(asked, asked.sort === "source_name asc" ? bySource : all) }),
    );
    const run = await sync(service, folder.path);
    expect(run).toMatchObject({ verdict: "exact", sort: "source_name asc", calls_read: 950 });
    expect(run.order_key).toContain("insight_name asc then call_id");
    const first = service.requests.length;
    expect(await sync(service, folder.path)).toMatchObject({ verdict: "exact", mode: "full" });
    // Remembered: it does not try the service's own order first.
    expect(service.requests[first]?.url).toContain("sort_by");
  });

  it.each<{ title: string; refusal: Answer | undefined }>([
    { title: "refused", refusal: json({ code: 400, message: "Bad sort" }, 400) },
    { title: "ignored", refusal: undefined },
  ])("reads a service without a key in its own order when sorting is $title", async ({ refusal }) => {
    using folder = makeTempFolder();
    const calls = newestFirst(950).map((call, index) => ({ call, at: (index * 7919) % 950 }));
    await using service = await startListService(
      calls.sort((a, b) => a.at - b.at).map(({ call }) => call),
      (asked, all) => (asked.sort !== undefined && refusal ? refusal : honestly(asked, all)),
    );
    const run = await sync(service, folder.path);
    expect(run).toMatchObject({ verdict: "probable", sort: "own", order_key: null, calls_read: 950 });
    expect(run.verdict_reason).toMatch(/in no order by id, start or source: call \d+ is out of place/);
  });

  it("reads on when the order is lost halfway, pages are running, and sorting is refused", async () => {
    using folder = makeTempFolder();
    const calls = newestFirst(2000);
    const [moved] = calls.splice(1500, 1);
    if (moved !== undefined) calls.splice(500, 0, moved);
    // Pages are slower than the refusal, so that some still wait for their turn when it arrives.
    await using service = await startListService(calls, (asked, all) => {
      if (asked.sort !== undefined) return json({ code: 400 }, 400);
      const { offset, limit } = asked;
      const data = { calls: part(asked, all), total: all.length, limit, offset };
      const answer = json({ code: 200, data, request_id: `slow-${asked.before}` });
      return (request, response) => void setTimeout(() => answer(request, response), 20);
    });
    const run = await sync(service, folder.path, { limit: 50, concurrency: 2 });
    expect(run).toMatchObject({ verdict: "probable", sort: "own", calls_read: 2000 });
  });

  it("verifies a pass through 150 calls of one second that are shuffled in each response", async () => {
    using folder = makeTempFolder();
    // Pages of 300 that share 50: the first ends at 300.
    for (let start = 130; start <= 310; start += 30) {
      const calls = newestFirst(900);
      const tied = calls[start]?.call_started ?? "";
      for (const call of calls.slice(start, start + 150)) call.call_started = tied;
      await using service = await startListService(calls, (asked, all) => {
        const ties = all
          .slice(start, start + 150)
          .map((call, index) => ({ call, at: (index * 71 + asked.before * 37) % 150 }));
        const shuffled = ties.sort((a, b) => a.at - b.at).map(({ call }) => call);
        return { rows: part(asked, [...all.slice(0, start), ...shuffled, ...all.slice(start + 150)]) };
      });
      const run = await sync(service, join(folder.path, String(start)), { limit: 300, concurrency: 4 });
      expect({ start, verdict: run.verdict, ids: run.ids.length }).toEqual({
        start,
        verdict: "exact",
        ids: 900,
      });
      expect(run.order_key).toContain("call_started desc");
      expect(run.order_key).not.toContain("call_id");
    }
  });

  it("reports that more calls than fit on a page have the same start", async () => {
    using folder = makeTempFolder();
    const calls = newestFirst(300).map((call) => ({ ...call, call_started: "2026-11-20T00:00:00.000Z" }));
    const shuffle = (all: readonly ServedCall[], seed: number) =>
      all.map((call, index) => ({ call, at: (index * 71 + seed * 37) % 300 })).sort((a, b) => a.at - b.at);
    await using service = await startListService(calls, (asked, all) => ({
      rows: part(
        asked,
        shuffle(all, asked.before < 2 ? 0 : asked.before).map(({ call }) => call),
      ),
    }));
    const run = await sync(service, folder.path, { limit: 50 });
    expect(["probable", "unverified"]).toContain(run.verdict);
  });
});

describe("sync of a service that changes between runs", () => {
  it("marks no call whose id was text while calls arrive", async () => {
    using folder = makeTempFolder();
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    await using service = await startListService(newestFirst(950));
    await sync(service, folder.path, { clock });
    let next = 2000;
    service.tell = (asked, calls) => {
      service.calls.unshift(callOf(next, -next++));
      return {
        rows: part(asked, calls).map((call) =>
          Number(call.call_id) % 24 === 0 ? { ...call, call_id: `${call.call_id}` } : call,
        ),
      };
    };
    for (const hours of [0, 7, 7]) {
      clock.advance(hours * 3_600_000);
      const run = await sync(service, folder.path, { ...FULL, clock });
      expect(["probable", "unverified"]).toContain(run.verdict);
      expect(run).toMatchObject({ calls_missing: 0, calls_gone: 0 });
    }
  });

  it("reads everything when a newest-first list is reversed, although the counts agree", async () => {
    using folder = makeTempFolder();
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    await using service = await startListService(newestFirst(9500));
    expect(await sync(service, folder.path, { clock, limit: 1000 })).toMatchObject({ verdict: "exact" });
    clock.advance(3_600_000);
    // A new call, a removed old one, and a transcript that came late.
    const [newest, ...others] = service.calls.filter(({ call_id }) => call_id !== 7);
    service.calls = [callOf(9501, -60), { ...newest, summary: "A tap." } as ServedCall, ...others].reverse();
    const run = await sync(service, folder.path, { clock, limit: 1000 });
    expect(run).toMatchObject({
      mode: "full",
      verdict: "exact",
      calls_new: 1,
      calls_changed: 1,
      calls_missing: 1,
    });
    expect(run.plan_reason).toContain("not listed as before, newest start first");
    expect(run.order_key).toContain("call_started asc");
    expect(readRows(join(folder.path, "calls.db"), "SELECT summary FROM transcripts")).toEqual([
      { summary: "A tap." },
    ]);
  });

  it("does not verify a pass with cached responses, and marks no call because of it", async () => {
    using folder = makeTempFolder();
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    const kept = new Map<number, ReturnType<ListService["tell"]>>();
    await using service = await startListService(newestFirst(250), (asked, calls) => {
      const told = kept.get(asked.offset) ?? {
        rows: part(asked, calls),
        total: calls.length,
        request_id: `cached-${asked.offset}`,
      };
      kept.set(asked.offset, told);
      return told;
    });
    // The response to the closing look is the first page.
    const first = await sync(service, folder.path, { clock });
    expect(first).toMatchObject({ verdict: "probable", calls_read: 250 });
    expect(first.verdict_reason).toContain("repeated an earlier request_id");
    clock.advance(3_600_000);
    service.calls.unshift(callOf(251, -60));
    const second = await sync(service, folder.path, { clock, ...FULL });
    expect(second).toMatchObject({ verdict: "probable", calls_new: 0, calls_missing: 0 });
    expect(second.advice).toContain("cache");
  });

  it("does not verify responses from the past by the service's own timestamps", async () => {
    using folder = makeTempFolder();
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    // Its clock is two hours ahead, which is not an error.
    await using service = await startListService(newestFirst(250), (asked, calls) => ({
      rows: part(asked, calls),
      timestamp: asked.before === 2 ? "2026-11-20T01:58:59.000Z" : "2026-11-20T02:00:00.000Z",
    }));
    const run = await sync(service, folder.path, { clock });
    expect(run).toMatchObject({ verdict: "probable", calls_read: 250 });
    expect(run.verdict_reason).toContain("1 response came from the past");
    service.tell = (asked, calls) => ({ rows: part(asked, calls), timestamp: "2026-11-20T02:00:00.000Z" });
    expect(await sync(service, folder.path, { clock, ...FULL })).toMatchObject({ verdict: "exact" });
  });

  it("finds a correction made before the last sync after five days without a sync", async () => {
    using folder = makeTempFolder();
    const clock = new FakeClock("2026-11-20T00:10:00.000Z");
    await using service = await startListService(newestFirst(6000));
    const options = { clock, fullEveryHours: 168, limit: 1000 };
    await sync(service, folder.path, options);
    clock.advance(5 * 24 * 3_600_000);
    // A day old at the last sync, six days by now, and behind a page of newer ones.
    const index = 24 * 60;
    service.calls[index] = { ...service.calls[index], disposition: "TRANSFERRED" } as ServedCall;
    const run = await sync(service, folder.path, options);
    expect(run).toMatchObject({ mode: "incremental", verdict: "probable", calls_changed: 1 });
  });

  it("keeps the later requested of two responses for a call, and counts a call that one response repeats", async () => {
    using folder = makeTempFolder();
    await using service = await startListService(newestFirst(250), (asked, calls) => {
      const rows = part(asked, calls).map((call) => ({ ...call, duration: 100 + asked.before }));
      const twice = { ...rows[0], disposition: "BUSY" } as ServedCall;
      return { rows: asked.offset === 0 ? [...rows.slice(0, 1), twice, ...rows.slice(1)] : rows };
    });
    const run = await sync(service, folder.path);
    expect(run).toMatchObject({ verdict: "exact", calls_read: 250 });
    expect(run.calls_conflicting).toBeGreaterThan(0);
    const last = service.requests.length - 1;
    // The closing look at the front was the last request.
    expect(
      readRows(
        join(folder.path, "calls.db"),
        "SELECT duration, disposition FROM calls WHERE call_id IN (250, 200)",
      ),
    ).toEqual([
      { duration: 100 + last, disposition: null },
      { duration: 100 + last, disposition: "BUSY" },
    ]);
  });

  it.each([
    { title: "and stores the newer one", again: undefined, expected: { duration: 99, calls_conflicting: 0 } },
    {
      title: "and reports it if that fails",
      again: () => json({ code: 500, message: "Internal server error" }, 500),
      expected: { duration: 60, calls_conflicting: 1 },
    },
    {
      title: "and reports it if the call has moved",
      again: (calls: readonly ServedCall[]) => ({ rows: calls.slice(40) }),
      expected: { duration: 60, calls_conflicting: 1 },
    },
  ])("requests a call again when two concurrent requests disagree about it, $title", async (scene) => {
    using folder = makeTempFolder();
    const { promise: isBothAsked, resolve: bothAsked } = Promise.withResolvers<void>();
    await using service = await startListService(newestFirst(60), (asked, calls) => {
      const rows = part(asked, calls);
      if (asked.offset === 15) return scene.again?.(calls) ?? { rows };
      if (asked.offset === 10) {
        // Requested first, and answered last, after an edit.
        return async (request, response) => {
          await isBothAsked;
          const data = { calls: part(asked, service.calls), total: 60, limit: asked.limit, offset: 10 };
          json({ code: 200, message: "Success", data, request_id: "slow" })(request, response);
        };
      }
      if (asked.offset === 20) {
        service.calls = calls.map((call) => (call.call_id === 35 ? { ...call, duration: 99 } : call));
        bothAsked();
      }
      return { rows };
    });
    const { duration, calls_conflicting } = scene.expected;
    const run = await syncFrom(service, folder.path);
    expect(run).toMatchObject({ verdict: "exact", calls_read: 60, calls_new: 60, calls_conflicting });
    const stored = "SELECT duration FROM calls WHERE call_id = 35";
    expect(readRows(join(folder.path, "calls.db"), stored)).toEqual([{ duration }]);
    // The repeated page is not a page of the walk.
    const pages = readRows(join(folder.path, "calls.db"), 'SELECT "offset" FROM sync_pages');
    expect(pages).toHaveLength(run.pages ?? -1);
    expect(pages).not.toContainEqual({ offset: 15 });
  });
});

describe("sync of calls that return or change outside the pages read", () => {
  it("clears the mark of a call that is listed again but cannot be parsed", async () => {
    using folder = makeTempFolder();
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    await using service = await startListService(newestFirst(30));
    const whole = service.calls;
    for (const hours of [0, 7, 7]) {
      clock.advance(hours * 3_600_000);
      await syncFrom(service, folder.path, { clock, ...FULL });
      service.calls = whole.filter(({ call_id }) => call_id !== 9);
    }
    const database = join(folder.path, "calls.db");
    expect(readRows(database, MARKED)).toEqual([{ call_id: 9 }]);
    service.calls = whole.map((call) => (call.call_id === 9 ? { ...call, duration: "12s" } : call));
    expect(await sync(service, folder.path, { clock, ...FULL })).toMatchObject({
      verdict: "exact",
      calls_rejected: 1,
    });
    expect(readRows(database, MARKED)).toEqual([]);
  });

  it("reads all of a service that lists its calls only by id, so that no correction is missed", async () => {
    using folder = makeTempFolder();
    const clock = new FakeClock("2026-11-20T01:00:00.000Z");
    const calls = newestFirst(400).map((call, index) => ({
      ...call,
      call_started: callOf(1, (index * 7919) % 12_000).call_started,
    }));
    await using service = await startListService(calls);
    expect(await sync(service, folder.path, { clock })).toMatchObject({
      verdict: "exact",
      order_key: expect.stringMatching(/^call_id desc/),
    });
    service.calls = calls.map((call) => (call.call_id === 100 ? { ...call, duration: 99 } : call));
    const run = await sync(service, folder.path, { clock });
    expect(run).toMatchObject({ mode: "full", verdict: "exact", calls_changed: 1 });
  });

  it("returns to the service's own order when the service stops sorting", async () => {
    using folder = makeTempFolder();
    const calls = newestFirst(250).map((call, index) => ({ ...call, insight_name: `source ${index % 3}` }));
    const shuffled = calls
      .map((call, index) => ({ call, at: (index * 7919) % 250 }))
      .sort((a, b) => a.at - b.at);
    const bySource = calls.toSorted((a, b) => (a.insight_name < b.insight_name ? -1 : 1));
    await using service = await startListService(
      shuffled.map(({ call }) => call),
      (asked, all) => ({
        rows: part(asked, asked.sort === "source_name asc" ? bySource : all),
      }),
    );
    expect(await sync(service, folder.path)).toMatchObject({ verdict: "exact", sort: "source_name asc" });
    for (const status of [400, 403, 405, 422]) {
      service.tell = (asked, all) => (asked.sort ? json({ code: status }, status) : honestly(asked, all));
      expect(await sync(service, folder.path)).toMatchObject({
        verdict: "probable",
        sort: "own",
        calls_read: 250,
      });
    }
  });

  it("detects that a whole pass comes from a cache by the service's time in the previous run", async () => {
    using folder = makeTempFolder();
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    const stamp = () => new Date(clock.now()).toISOString();
    await using service = await startListService(newestFirst(250), (asked, all) => ({
      rows: part(asked, all),
      timestamp: stamp(),
    }));
    const [old, stale] = [service.calls, stamp()];
    clock.advance(3_600_000);
    service.calls = [callOf(251, -1), ...old];
    expect(await sync(service, folder.path, { clock })).toMatchObject({ verdict: "exact", calls_read: 251 });
    clock.advance(60_000);
    service.tell = (asked) => ({ rows: part(asked, old), total: old.length, timestamp: stale });
    const run = await sync(service, folder.path, { clock, ...FULL });
    expect(run).toMatchObject({ verdict: "probable", calls_missing: 0 });
    expect(run.verdict_reason).toContain("came from the past");
  });

  it("keeps a link to a recording that has lost its query", async () => {
    using folder = makeTempFolder();
    const link = (query: string) => ({ recording_url: `https://r.example/1.mp3${query}` });
    await using service = await startListService([callOf(1, 1, link("?track=1&Signature=a")), callOf(0, 2)]);
    const readLink = () =>
      readRows(join(folder.path, "calls.db"), "SELECT recording_url FROM calls WHERE call_id = 1");
    await sync(service, folder.path);
    for (const [query, calls_changed] of [
      ["?track=1&Signature=b", 0],
      ["?track=2&Signature=b", 1],
      ["", 1],
      ["?track=2", 1],
    ] as const) {
      service.calls = [callOf(1, 1, link(query)), callOf(0, 2)];
      expect(await sync(service, folder.path, FULL)).toMatchObject({ calls_changed });
      expect(readLink()).toEqual([link(query)]);
    }
  });
});

describe("sync after it was killed", () => {
  it("does not verify the resumed pass of a service that rounds offsets, killed at the closing look", async () => {
    using folder = makeTempFolder();
    const stop = new AbortController();
    const rounded: ListService["tell"] = ({ offset, limit }, calls) => {
      const start = Math.floor(offset / limit) * limit;
      return { rows: calls.slice(start, start + limit) };
    };
    let fronts = 0;
    await using service = await startListService(newestFirst(950), (asked, calls) => {
      if (asked.offset === 0 && ++fronts === 2) stop.abort(new Error("killed"));
      return rounded(asked, calls);
    });
    await expect(sync(service, folder.path, { signal: stop.signal })).rejects.toThrow("killed");
    service.tell = rounded;
    const again = await sync(service, folder.path);
    expect(again.verdict).toBe("unverified");
  });

  it.each([1, 3, 6, 9, 11])(
    "ends in the same verdict as without the interruption, killed after %i pages",
    async (pages) => {
      using folder = makeTempFolder();
      const stop = new AbortController();
      const clock = new FakeClock("2026-11-20T00:00:00.000Z");
      await using service = await startListService(newestFirst(950), (asked, calls) => {
        if (asked.before === pages) stop.abort(new Error("killed"));
        return honestly(asked, calls);
      });
      await expect(sync(service, folder.path, { clock, signal: stop.signal })).rejects.toThrow("killed");
      clock.advance(59 * 60_000);
      const run = await sync(service, folder.path, { clock });
      expect(run).toMatchObject({ run_id: 1, resumed: 1, verdict: "exact", calls_new: 950, calls_read: 950 });
    },
  );

  it("dates absence by the start of the resumed pass", async () => {
    using folder = makeTempFolder();
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    await using service = await startListService(newestFirst(950));
    await sync(service, folder.path, { clock });
    service.calls = service.calls.filter(({ call_id }) => call_id !== 7);
    clock.advance(24 * 3_600_000);
    const stop = new AbortController();
    let asked = 0;
    service.tell = (request, calls) => {
      if (++asked === 5) stop.abort(new Error("killed"));
      return honestly(request, calls);
    };
    await expect(sync(service, folder.path, { clock, ...FULL, signal: stop.signal })).rejects.toThrow(
      "killed",
    );
    service.tell = honestly;
    clock.advance(50 * 60_000);
    expect(await sync(service, folder.path, { clock, ...FULL })).toMatchObject({
      run_id: 2,
      resumed: 1,
      calls_missing: 1,
    });
    expect(readRows(join(folder.path, "calls.db"), MARKED.replace("call_id", "missing_since"))).toEqual([
      { missing_since: "2026-11-21T00:00:00.000Z" },
    ]);
  });
});
