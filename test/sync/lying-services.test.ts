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
      title: "the number of rows on the page, of which it lists 20",
      calls: 300,
      disturb: ({ rows }) => ({ rows: rows.slice(0, 20), total: Math.min(20, rows.length) }),
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
});

describe("sync of a service whose order moves", () => {
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
