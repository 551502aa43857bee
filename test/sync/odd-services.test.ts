import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Verdict } from "../../src/paging/verdict.ts";
import { type PageSlice, toSlice } from "../../src/sync/fetch.ts";
import { exitCodeOf } from "../../src/sync/run.ts";
import { syncWarehouse } from "../../src/sync/sync-warehouse.ts";
import { readPages } from "../../src/warehouse/runs/page-table.ts";
import { readRuns } from "../../src/warehouse/runs/runs.ts";
import { makeCall } from "../support/calls.ts";
import { draws, least } from "../support/draws.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { deleteCalls, newWarehouse } from "../support/warehouse.ts";
import { makeRun } from "./scene.ts";

const NEWEST_MS = Date.parse("2026-11-20T00:00:00.000Z");

/** A service, newest first, whose calls have ids by their age: the highest is the newest. */
interface World {
  ids: number[];
  requests: number;
}

/** How a service misbehaves. */
type Oddity = (world: World, asked: { offset: number; limit: number; by: number }) => Told;

interface Told {
  ids: readonly number[];
  total: number;
  offset: number;
}

const honest: Oddity = ({ ids }, { offset, limit }) => ({
  ids: ids.slice(offset, offset + limit),
  total: ids.length,
  offset,
});

const ODDITIES = {
  "is honest": honest,
  "ignores offsets, and says so": ({ ids }, { limit }) => ({
    ids: ids.slice(0, limit),
    total: ids.length,
    offset: 0,
  }),
  "ignores offsets, and claims to heed them": ({ ids }, { limit, offset }) => ({
    ids: ids.slice(0, limit),
    total: ids.length,
    offset,
  }),
  "ignores offsets, and counts what it lists": ({ ids }, { limit, offset }) => ({
    ids: ids.slice(0, limit),
    total: Math.min(limit, ids.length),
    offset,
  }),
  "grows at its front with each request": (world, asked) => {
    for (let times = 0; times < asked.by; times++) world.ids.unshift((world.ids[0] ?? 0) + 1);
    return honest(world, asked);
  },
  "grows at its end with each request": (world, asked) => {
    for (let times = 0; times < asked.by; times++) world.ids.push((world.ids.at(-1) ?? 0) - 1);
    return honest(world, asked);
  },
  "counts more than it lists": (world, asked) => ({
    ...honest(world, asked),
    total: world.ids.length + asked.by,
  }),
  "counts more than it lists, and ever more": (world, asked) => ({
    ...honest(world, asked),
    total: world.ids.length + asked.by * (1 + world.requests),
  }),
  "counts fewer than it lists": (world, asked) => ({
    ...honest(world, asked),
    total: Math.max(0, world.ids.length - asked.by),
  }),
} satisfies Record<string, Oddity>;

const ODD = Object.keys(ODDITIES) as (keyof typeof ODDITIES)[];

/** The verdict for each if its calls need more than one page, at any number. */
const VERDICTS: Readonly<Record<keyof typeof ODDITIES, Verdict>> = {
  "is honest": "exact",
  "ignores offsets, and says so": "unverified",
  "ignores offsets, and claims to heed them": "unverified",
  // A list of that many calls that repeats them beyond its end has the same verdict.
  "ignores offsets, and counts what it lists": "probable",
  // Nothing shows where it ends: the last call is at another place each time.
  "grows at its front with each request": "unverified",
  "grows at its end with each request": "unverified",
  "counts more than it lists": "probable",
  "counts more than it lists, and ever more": "probable",
  "counts fewer than it lists": "probable",
};

const scene = fc.record({
  calls: fc.integer({ min: 20, max: 90 }),
  limit: fc.integer({ min: 8, max: 20 }),
  by: fc.integer({ min: 1, max: 3 }),
});

describe("sync of an odd service", () => {
  it("reports the oddity in its verdict, its exit code and the ledger, and ends", async () => {
    using warehouse = newWarehouse();
    const seen = new Map(ODD.map((odd) => [odd, new Set<Verdict | null>()]));
    const codes = new Map<number, number>();
    const met = { onePage: 0, empty: 0 };
    for (const odd of ODD) {
      await fc.assert(
        fc.asyncProperty(scene, async ({ calls, limit, by }) => {
          await setImmediate(); // statements of earlier syncs are only freed between two turns of the event loop
          warehouse.sqlite.exec("DELETE FROM sync_runs");
          deleteCalls(warehouse);
          const world: World = {
            ids: Array.from({ length: calls }, (_, index) => 1000 + calls - index),
            requests: 0,
          };
          const before = world.ids.slice();
          const fetch = async (offset: number): Promise<PageSlice> => {
            if (world.requests > 300) throw new Error("It does not end");
            const told = ODDITIES[odd](world, { offset, limit, by });
            const requestId = `request ${world.requests++}`;
            const rows = told.ids.map((id) => {
              const call_started = new Date(NEWEST_MS + id * 60_000).toISOString();
              return { call: makeCall({ call_id: id, call_started }), drift: [] };
            });
            return toSlice({ rows, total: told.total, offset: told.offset, limit, requestId });
          };
          const run = await syncWarehouse(makeRun(warehouse, fetch, new FakeClock(), { limit }));

          const stored = warehouse.sqlite.prepare<[], number>("SELECT call_id FROM calls").pluck().all();
          const lacking = before.filter((id) => !stored.includes(id));
          const isSure = run.verdict === "exact" || run.verdict === "verified";
          if (isSure) expect(lacking).toEqual([]);
          if (lacking.length > 0 && VERDICTS[odd] !== "probable") expect(run.verdict).toBe("unverified");
          expect(exitCodeOf(run)).toBe(run.verdict === "unverified" ? 3 : 0);
          // The ledger has the same data as the run, with the same number of pages.
          expect(readRuns(warehouse, 2)).toEqual([run]);
          expect(run).toMatchObject({ status: "done", calls_missing: 0, calls_gone: 0, calls_withheld: 0 });
          expect(run).toMatchObject({
            calls_new: stored.length,
            calls_read: stored.length,
            calls_changed: 0,
            calls_unchanged: 0,
          });
          expect(readPages(warehouse, run.run_id)).toHaveLength(run.pages ?? -1);
          expect(run.advice === null).toBe(isSure);

          if (calls === 0) met.empty++;
          else if (calls < limit) met.onePage++;
          else seen.get(odd)?.add(run.verdict);
          codes.set(exitCodeOf(run), (codes.get(exitCodeOf(run)) ?? 0) + 1);
        }),
        {
          numRuns: draws(13),
          examples: [[{ calls: 0, limit: 10, by: 2 }], [{ calls: 3, limit: 10, by: 1 }]],
        },
      );
    }
    for (const [odd, verdicts] of seen) expect([odd, [...verdicts]]).toEqual([odd, [VERDICTS[odd]]]);
    expect(codes.get(0)).toBeGreaterThan(least(8));
    expect(codes.get(3)).toBeGreaterThan(least(8));
    expect(Math.min(...Object.values(met))).toBeGreaterThan(0);
  });
});
