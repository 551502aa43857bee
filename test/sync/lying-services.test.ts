import { describe, expect, it } from "vitest";
import type { SyncOptions } from "../../src/sync/sync-options.ts";
import {
  type Asked,
  type CallService,
  callOf,
  type Disturb,
  newestFirst,
  type ServedCall,
  startCallService,
} from "../support/call-service.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { type Answer, json } from "../support/server.ts";

const MARKED = "SELECT call_id FROM calls WHERE missing_since IS NOT NULL OR gone_at IS NOT NULL";
const FULL = { force: "full" } as const;

/** Syncs, and checks invariants of every service: no existing call is marked, and the number of requests is bounded. */
async function sync(service: CallService, options: Partial<SyncOptions> = {}) {
  const before = service.requests.length;
  const run = await service.sync({ limit: 100, concurrency: 1, ...options });
  const live = new Set(service.calls.map(({ call_id }) => Number(call_id)));
  const marked = service.read(MARKED).flatMap((row) => Object.values(row));
  expect(marked.filter((id) => live.has(Number(id)))).toEqual([]);
  const requests = service.requests.length - before;
  const pages = Math.ceil(service.calls.length / 20);
  expect(requests).toBeLessThan(40 + 5 * pages);
  return { ...run, requests, ids: service.readIds() };
}

const idsOf = ({ calls }: CallService) => calls.map(({ call_id }) => Number(call_id)).sort((a, b) => a - b);

const part = ({ offset, limit }: Asked, calls: readonly ServedCall[]) => calls.slice(offset, offset + limit);

describe("sync of a service with a wrong total", () => {
  it.each<{ title: string; calls: number; limit?: number; disturb: Disturb; says: string }>([
    {
      title: "capped at 300 of 900",
      calls: 900,
      limit: 100,
      disturb: () => ({ total: 300 }),
      says: "go beyond it: 900 calls read, total 300",
    },
    {
      title: "the number of rows on the page",
      calls: 950,
      disturb: ({ rows }) => ({ total: rows.length }),
      says: "go beyond it",
    },
    {
      title: "the number of rows on the page, of which it lists 20",
      calls: 300,
      disturb: ({ rows }) => ({ rows: rows.slice(0, 20), total: Math.min(20, rows.length) }),
      says: "go beyond it",
    },
    {
      title: "0",
      calls: 950,
      disturb: () => ({ total: 0 }),
      says: "go beyond it",
    },
    {
      title: "stale by 300, of pages capped at 100",
      calls: 900,
      limit: 1000,
      disturb: ({ rows }, calls) => ({ rows: rows.slice(0, 100), total: calls.length - 300 }),
      says: "go beyond it: 900 calls read, total 600",
    },
    {
      title: "one less, with pages of 20",
      calls: 301,
      limit: 20,
      disturb: (_, calls) => ({ total: calls.length - 1 }),
      says: "go beyond it",
    },
    {
      title: "one more, with pages of 20",
      calls: 301,
      limit: 20,
      disturb: (_, calls) => ({ total: calls.length + 1 }),
      says: "the service counts more than it lists: 301 calls read, total 302",
    },
  ])(
    "reads all calls but does not verify the pass: $title",
    async ({ calls, limit = 100, disturb, says }) => {
      await using service = await startCallService(newestFirst(calls), disturb);
      for (const concurrency of [1, 4]) {
        const run = await sync(service, { ...FULL, limit, concurrency });
        expect(run).toMatchObject({ verdict: "probable", calls_read: calls });
        expect(run.verdict_reason).toContain(says);
        expect(run.advice).not.toBeNull();
        expect(run.ids).toEqual(idsOf(service));
      }
    },
  );

  it("does not verify a pass whose total falls from 1,000 to 600 after the first page", async () => {
    const replica = newestFirst(1000).slice(400);
    await using service = await startCallService(newestFirst(1000), (asked) =>
      asked.before === 0 ? undefined : { rows: part(asked, replica), total: 600 },
    );
    const run = await sync(service, { limit: 200 });
    expect(["probable", "unverified"]).toContain(run.verdict);
  });

  it("gives up soon when offset is ignored and total flickers", async () => {
    await using service = await startCallService(newestFirst(950), ({ limit, before }, calls) => ({
      rows: calls.slice(0, limit),
      total: 950 + (before % 3),
    }));
    const run = await sync(service);
    expect(run).toMatchObject({ verdict: "unverified", calls_read: 100 });
    expect(run.verdict_reason).toContain("the end of the calls was not reached");
  });

  it.each([
    {
      title: "30 rows of each page are dropped after the limit",
      drop: (rows: readonly ServedCall[]) => rows.slice(0, -30),
    },
    {
      title: "every 30th row is dropped",
      drop: (rows: readonly ServedCall[]) => rows.filter(({ call_id }) => Number(call_id) % 30 > 0),
    },
  ])("does not verify a pass when $title", async ({ drop }) => {
    await using service = await startCallService(newestFirst(950), ({ rows }) => ({ rows: drop(rows) }));
    const { verdict, ids } = await sync(service);
    if (ids.length < 950) expect(["probable", "unverified"]).toContain(verdict);
    expect(ids.length).toBeGreaterThan(850);
  });

  it("does not verify a pass when the first rows are never listed", async () => {
    await using service = await startCallService(newestFirst(950), ({ offset, limit }, calls) => ({
      rows: calls.slice(offset + 30, offset + 30 + limit),
    }));
    const run = await sync(service);
    expect(run).toMatchObject({ verdict: "unverified", calls_read: 920 });
    expect(run.verdict_reason).toContain("no call came from offset 920 on");
  });
});

describe("sync of a service whose total follows its pages", () => {
  it.each([
    { title: "that never cross a block of 20", rows: 20 },
    { title: "that have at most 40 rows", rows: 1000 },
  ])("reads on behind an alleged end: pages $title", async ({ rows }) => {
    await using service = await startCallService(newestFirst(150), ({ offset, limit }, calls) => {
      const block = Math.min(offset + Math.min(limit, 40), (Math.floor(offset / rows) + 1) * rows);
      const page = calls.slice(offset, block);
      return { rows: page, total: offset + page.length };
    });
    const run = await sync(service, { limit: 40 });
    if (run.ids.length < 150) expect(["probable", "unverified"]).toContain(run.verdict);
  });

  it("stops eventually when offsets behind the last call repeat the last ones while calls arrive", async () => {
    await using service = await startCallService(
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
    const run = await service.sync({ limit: 20 });
    expect(["probable", "unverified"]).toContain(run.verdict);
    expect(service.requests.length - before).toBeLessThan(300);
  });
});

describe("sync of a service whose order moves", () => {
  it("does not verify a pass when the busiest source comes first and a new call swaps two between pages", async () => {
    const name = (index: number) => (index < 300 ? "B" : index < 599 ? "A" : "C");
    const calls = newestFirst(650).map((call, index) => ({ ...call, insight_name: name(index) }));
    const busiest = (all: readonly ServedCall[]) => {
      const sources = Map.groupBy(all, ({ insight_name }) => insight_name);
      return [...sources.values()].sort((a, b) => b.length - a.length).flat();
    };
    await using service = await startCallService(calls, (asked, all) => {
      if (asked.before === 3) {
        service.calls.unshift(
          callOf(1001, -1, { insight_name: "A" }),
          callOf(1002, -2, { insight_name: "A" }),
        );
      }
      const rows = part(asked, busiest(asked.before >= 3 ? service.calls : all));
      return { rows, total: service.calls.length };
    });
    const { verdict } = await sync(service);
    expect(["probable", "unverified"]).toContain(verdict);
  });

  it("does not verify a pass when the last updated come first and a bulk update jumps over the reader", async () => {
    await using service = await startCallService(newestFirst(950), (asked, calls) => {
      // Unread calls move to the front and shift read ones to where unread ones are expected.
      if (asked.before === 4) service.calls = [...calls.slice(600), ...calls.slice(0, 600)];
      return { rows: part(asked, service.calls) };
    });
    const run = await sync(service);
    expect(["probable", "unverified"]).toContain(run.verdict);
    // The order was lost, so the documented one was requested; here it is ignored.
    expect(service.requests.some(({ url }) => url?.includes("sort_by=source_name&sort_order=asc"))).toBe(
      true,
    );
  });

  it("reads by source when the service's own order has no key, and reports it", async () => {
    const sources = ["A", "B", "C"];
    const calls = newestFirst(950).map((call, index) => ({ ...call, insight_name: sources[index % 3] }));
    const shuffled = calls
      .map((call, index) => ({ call, at: (index * 7919) % 950 }))
      .sort((a, b) => a.at - b.at);
    const bySource = calls.toSorted((a, b) => (String(a.insight_name) < String(b.insight_name) ? -1 : 1));
    await using service = await startCallService(
      shuffled.map(({ call }) => call),
      (asked, all) => ({ rows: part(asked, asked.sort === "source_name asc" ? bySource : all) }),
    );
    const run = await sync(service);
    expect(run).toMatchObject({ verdict: "exact", sort: "source_name asc", calls_read: 950 });
    expect(run.order_key).toContain("insight_name asc then call_id");
    const first = service.requests.length;
    expect(await sync(service)).toMatchObject({ verdict: "exact", mode: "full" });
    // Remembered: it does not try the service's own order first.
    expect(service.requests[first]?.url).toContain("sort_by");
  });

  it.each<{ title: string; refusal: Answer | undefined }>([
    { title: "refused", refusal: json({ code: 400, message: "Bad sort" }, 400) },
    { title: "ignored", refusal: undefined },
  ])("reads a service without a key in its own order when sorting is $title", async ({ refusal }) => {
    const calls = newestFirst(950).map((call, index) => ({ call, at: (index * 7919) % 950 }));
    await using service = await startCallService(
      calls.sort((a, b) => a.at - b.at).map(({ call }) => call),
      ({ sort }) => (sort === undefined ? undefined : refusal),
    );
    const run = await sync(service);
    expect(run).toMatchObject({ verdict: "probable", sort: "own", order_key: null, calls_read: 950 });
    expect(run.verdict_reason).toMatch(/in no order by id, start or source: call \d+ is out of place/);
  });

  it("reads on when the order is lost halfway, pages are running, and sorting is refused", async () => {
    const calls = newestFirst(2000);
    const [moved] = calls.splice(1500, 1);
    if (moved !== undefined) calls.splice(500, 0, moved);
    // Pages are slower than the refusal, so that some still wait for their turn when it arrives.
    await using service = await startCallService(calls, ({ sort, honest }) => {
      if (sort !== undefined) return json({ code: 400 }, 400);
      return (...exchange) => setTimeout(honest, 20, ...exchange);
    });
    const run = await sync(service, { limit: 50, concurrency: 2 });
    expect(run).toMatchObject({ verdict: "probable", sort: "own", calls_read: 2000 });
  });

  it("verifies a pass through 150 calls of one second that are shuffled in each response", async () => {
    // Pages of 300 that share 50: the first ends at 300.
    for (let start = 130; start <= 310; start += 30) {
      const calls = newestFirst(900);
      const tied = calls[start]?.call_started ?? "";
      for (const call of calls.slice(start, start + 150)) call.call_started = tied;
      await using service = await startCallService(calls, (asked, all) => {
        const ties = all
          .slice(start, start + 150)
          .map((call, index) => ({ call, at: (index * 71 + asked.before * 37) % 150 }));
        const shuffled = ties.sort((a, b) => a.at - b.at).map(({ call }) => call);
        return { rows: part(asked, [...all.slice(0, start), ...shuffled, ...all.slice(start + 150)]) };
      });
      const run = await sync(service, { limit: 300, concurrency: 4 });
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
    const calls = newestFirst(300).map((call) => ({ ...call, call_started: "2026-11-20T00:00:00.000Z" }));
    const shuffle = (all: readonly ServedCall[], seed: number) =>
      all.map((call, index) => ({ call, at: (index * 71 + seed * 37) % 300 })).sort((a, b) => a.at - b.at);
    await using service = await startCallService(calls, (asked, all) => ({
      rows: part(
        asked,
        shuffle(all, asked.before < 2 ? 0 : asked.before).map(({ call }) => call),
      ),
    }));
    const run = await sync(service, { limit: 50 });
    expect(["probable", "unverified"]).toContain(run.verdict);
  });
});

describe("sync of a service that changes between runs", () => {
  it("marks no call whose id was text while calls arrive", async () => {
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    await using service = await startCallService(newestFirst(950));
    await sync(service, { clock });
    let next = 2000;
    service.disturb = (asked, calls) => {
      service.calls.unshift(callOf(next, -next++));
      return {
        rows: part(asked, calls).map((call) =>
          Number(call.call_id) % 24 === 0 ? { ...call, call_id: `${call.call_id}` } : call,
        ),
      };
    };
    for (const hours of [0, 7, 7]) {
      clock.advance(hours * 3_600_000);
      const run = await sync(service, { ...FULL, clock });
      expect(["probable", "unverified"]).toContain(run.verdict);
      expect(run).toMatchObject({ calls_missing: 0, calls_gone: 0 });
    }
  });

  it("reads everything when a newest-first list is reversed, although the counts agree", async () => {
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    await using service = await startCallService(newestFirst(9500));
    expect(await sync(service, { clock, limit: 1000 })).toMatchObject({ verdict: "exact" });
    clock.advance(3_600_000);
    // A new call, a removed old one, and a transcript that came late.
    const [newest, ...others] = service.calls.filter(({ call_id }) => call_id !== 7);
    service.calls = [callOf(9501, -60), { ...newest, summary: "A tap." } as ServedCall, ...others].reverse();
    const run = await sync(service, { clock, limit: 1000 });
    expect(run).toMatchObject({
      mode: "full",
      verdict: "exact",
      calls_new: 1,
      calls_changed: 1,
      calls_missing: 1,
    });
    expect(run.plan_reason).toContain("not listed as before, newest start first");
    expect(run.order_key).toContain("call_started asc");
    expect(service.read("SELECT summary FROM transcripts")).toEqual([{ summary: "A tap." }]);
  });

  it("does not verify a pass with cached responses, and marks no call because of it", async () => {
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    const kept = new Map<number, ReturnType<Disturb>>();
    await using service = await startCallService(newestFirst(250), (asked, calls) => {
      const { offset, rows } = asked;
      const told = kept.get(offset) ?? { rows, total: calls.length, request_id: `cached-${offset}` };
      kept.set(offset, told);
      return told;
    });
    // The response to the closing look is the first page.
    const first = await sync(service, { clock });
    expect(first).toMatchObject({ verdict: "probable", calls_read: 250 });
    expect(first.verdict_reason).toContain("repeated an earlier request_id");
    clock.advance(3_600_000);
    service.calls.unshift(callOf(251, -60));
    const second = await sync(service, { clock, ...FULL });
    expect(second).toMatchObject({ verdict: "probable", calls_new: 0, calls_missing: 0 });
    expect(second.advice).toContain("cache");
  });

  it("does not verify responses from the past by the service's own timestamps", async () => {
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    // Its clock is two hours ahead, which is not an error.
    await using service = await startCallService(newestFirst(250), ({ before }) => ({
      timestamp: before === 2 ? "2026-11-20T01:58:59.000Z" : "2026-11-20T02:00:00.000Z",
    }));
    const run = await sync(service, { clock });
    expect(run).toMatchObject({ verdict: "probable", calls_read: 250 });
    expect(run.verdict_reason).toContain("1 response came from the past");
    service.disturb = () => ({ timestamp: "2026-11-20T02:00:00.000Z" });
    expect(await sync(service, { clock, ...FULL })).toMatchObject({ verdict: "exact" });
  });

  it("finds a correction made before the last sync after five days without a sync", async () => {
    const clock = new FakeClock("2026-11-20T00:10:00.000Z");
    await using service = await startCallService(newestFirst(6000));
    const options = { clock, fullEveryHours: 168, limit: 1000 };
    await sync(service, options);
    clock.advance(5 * 24 * 3_600_000);
    // A day old at the last sync, six days by now, and behind a page of newer ones.
    const index = 24 * 60;
    service.calls[index] = { ...service.calls[index], disposition: "TRANSFERRED" } as ServedCall;
    const run = await sync(service, options);
    expect(run).toMatchObject({ mode: "incremental", verdict: "probable", calls_changed: 1 });
  });

  it("keeps the later requested of two responses for a call, and counts a call that one response repeats", async () => {
    await using service = await startCallService(newestFirst(250), (asked) => {
      const rows = asked.rows.map((call) => ({ ...call, duration: 100 + asked.before }));
      const twice = { ...rows[0], disposition: "BUSY" } as ServedCall;
      return { rows: asked.offset === 0 ? [...rows.slice(0, 1), twice, ...rows.slice(1)] : rows };
    });
    const run = await sync(service);
    expect(run).toMatchObject({ verdict: "exact", calls_read: 250 });
    expect(run.calls_conflicting).toBeGreaterThan(0);
    const last = service.requests.length - 1;
    // The closing look at the front was the last request.
    expect(service.read("SELECT duration, disposition FROM calls WHERE call_id IN (250, 200)")).toEqual([
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
    const { promise: isBothAsked, resolve: bothAsked } = Promise.withResolvers<void>();
    await using service = await startCallService(newestFirst(60), ({ offset, honest }, calls) => {
      if (offset === 15) return scene.again?.(calls);
      // Requested first, and answered last, after an edit.
      if (offset === 10) return (...exchange) => isBothAsked.then(() => honest(...exchange));
      if (offset === 20) {
        service.calls = calls.map((call) => (call.call_id === 35 ? { ...call, duration: 99 } : call));
        bothAsked();
      }
      return undefined;
    });
    const { duration, calls_conflicting } = scene.expected;
    const run = await service.sync();
    expect(run).toMatchObject({ verdict: "exact", calls_read: 60, calls_new: 60, calls_conflicting });
    const stored = "SELECT duration FROM calls WHERE call_id = 35";
    expect(service.read(stored)).toEqual([{ duration }]);
    // The repeated page is not a page of the walk.
    const pages = service.read('SELECT "offset" FROM sync_pages');
    expect(pages).toHaveLength(run.pages ?? -1);
    expect(pages).not.toContainEqual({ offset: 15 });
  });
});

describe("sync of calls that return or change outside the pages read", () => {
  it("clears the mark of a call that is listed again but cannot be parsed", async () => {
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    await using service = await startCallService(newestFirst(30));
    const whole = service.calls;
    for (const hours of [0, 7, 7]) {
      clock.advance(hours * 3_600_000);
      await service.sync({ clock, ...FULL });
      service.calls = whole.filter(({ call_id }) => call_id !== 9);
    }
    expect(service.read(MARKED)).toEqual([{ call_id: 9 }]);
    service.calls = whole.map((call) => (call.call_id === 9 ? { ...call, duration: "12s" } : call));
    expect(await sync(service, { clock, ...FULL })).toMatchObject({
      verdict: "exact",
      calls_rejected: 1,
    });
    expect(service.read(MARKED)).toEqual([]);
  });

  it("reads all of a service that lists its calls only by id, so that no correction is missed", async () => {
    const clock = new FakeClock("2026-11-20T01:00:00.000Z");
    const calls = newestFirst(400).map((call, index) => ({
      ...call,
      call_started: callOf(1, (index * 7919) % 12_000).call_started,
    }));
    await using service = await startCallService(calls);
    expect(await sync(service, { clock })).toMatchObject({
      verdict: "exact",
      order_key: expect.stringMatching(/^call_id desc/),
    });
    service.calls = calls.map((call) => (call.call_id === 100 ? { ...call, duration: 99 } : call));
    const run = await sync(service, { clock });
    expect(run).toMatchObject({ mode: "full", verdict: "exact", calls_changed: 1 });
  });

  it("returns to the service's own order when the service stops sorting", async () => {
    const calls = newestFirst(250).map((call, index) => ({ ...call, insight_name: `source ${index % 3}` }));
    const shuffled = calls
      .map((call, index) => ({ call, at: (index * 7919) % 250 }))
      .sort((a, b) => a.at - b.at);
    const bySource = calls.toSorted((a, b) => (a.insight_name < b.insight_name ? -1 : 1));
    await using service = await startCallService(
      shuffled.map(({ call }) => call),
      (asked, all) => ({
        rows: part(asked, asked.sort === "source_name asc" ? bySource : all),
      }),
    );
    expect(await sync(service)).toMatchObject({ verdict: "exact", sort: "source_name asc" });
    for (const status of [400, 403, 405, 422]) {
      service.disturb = ({ sort }) => (sort ? json({ code: status }, status) : undefined);
      expect(await sync(service)).toMatchObject({
        verdict: "probable",
        sort: "own",
        calls_read: 250,
      });
    }
  });

  it("detects that a whole pass comes from a cache by the service's time in the previous run", async () => {
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    const stamp = () => new Date(clock.now()).toISOString();
    await using service = await startCallService(newestFirst(250), () => ({ timestamp: stamp() }));
    const [old, stale] = [service.calls, stamp()];
    clock.advance(3_600_000);
    service.calls = [callOf(251, -1), ...old];
    expect(await sync(service, { clock })).toMatchObject({
      verdict: "exact",
      calls_read: 251,
    });
    clock.advance(60_000);
    service.disturb = (asked) => ({ rows: part(asked, old), total: old.length, timestamp: stale });
    const run = await sync(service, { clock, ...FULL });
    expect(run).toMatchObject({ verdict: "probable", calls_missing: 0 });
    expect(run.verdict_reason).toContain("came from the past");
  });

  it("keeps a link to a recording that has lost its query", async () => {
    const link = (query: string) => ({ recording_url: `https://r.example/1.mp3${query}` });
    await using service = await startCallService([callOf(1, 1, link("?track=1&Signature=a")), callOf(0, 2)]);
    const readLink = () => service.read("SELECT recording_url FROM calls WHERE call_id = 1");
    await sync(service);
    for (const [query, calls_changed] of [
      ["?track=1&Signature=b", 0],
      ["?track=2&Signature=b", 1],
      ["", 1],
      ["?track=2", 1],
    ] as const) {
      service.calls = [callOf(1, 1, link(query)), callOf(0, 2)];
      expect(await sync(service, FULL)).toMatchObject({ calls_changed });
      expect(readLink()).toEqual([link(query)]);
    }
  });
});

describe("sync after it was killed", () => {
  it("does not verify the resumed pass of a service that rounds offsets, killed at the closing look", async () => {
    const stop = new AbortController();
    const rounded: Disturb = ({ offset, limit }, calls) => {
      const start = Math.floor(offset / limit) * limit;
      return { rows: calls.slice(start, start + limit) };
    };
    let fronts = 0;
    await using service = await startCallService(newestFirst(950), (asked, calls) => {
      if (asked.offset === 0 && ++fronts === 2) stop.abort(new Error("killed"));
      return rounded(asked, calls);
    });
    await expect(sync(service, { signal: stop.signal })).rejects.toThrow("killed");
    service.disturb = rounded;
    const again = await sync(service);
    expect(again.verdict).toBe("unverified");
  });

  it.each([1, 3, 6, 9, 11])(
    "ends in the same verdict as without the interruption, killed after %i pages",
    async (pages) => {
      const stop = new AbortController();
      const clock = new FakeClock("2026-11-20T00:00:00.000Z");
      await using service = await startCallService(newestFirst(950), ({ before }) => {
        if (before === pages) stop.abort(new Error("killed"));
        return undefined;
      });
      await expect(sync(service, { clock, signal: stop.signal })).rejects.toThrow("killed");
      clock.advance(59 * 60_000);
      const run = await sync(service, { clock });
      expect(run).toMatchObject({ run_id: 1, resumed: 1, verdict: "exact", calls_new: 950, calls_read: 950 });
    },
  );

  it("dates absence by the start of the resumed pass", async () => {
    const clock = new FakeClock("2026-11-20T00:00:00.000Z");
    await using service = await startCallService(newestFirst(950));
    await sync(service, { clock });
    service.calls = service.calls.filter(({ call_id }) => call_id !== 7);
    clock.advance(24 * 3_600_000);
    const stop = new AbortController();
    let asked = 0;
    service.disturb = () => {
      if (++asked === 5) stop.abort(new Error("killed"));
      return undefined;
    };
    await expect(sync(service, { clock, ...FULL, signal: stop.signal })).rejects.toThrow("killed");
    service.disturb = () => undefined;
    clock.advance(50 * 60_000);
    expect(await sync(service, { clock, ...FULL })).toMatchObject({
      run_id: 2,
      resumed: 1,
      calls_missing: 1,
    });
    expect(service.read(MARKED.replace("call_id", "missing_since"))).toEqual([
      { missing_since: "2026-11-21T00:00:00.000Z" },
    ]);
  });
});
