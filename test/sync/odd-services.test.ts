import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, it } from "vitest";
import { isSure, type Verdict } from "../../src/service/paging/verdict.ts";
import { toSlice } from "../../src/sync/fetch.ts";
import { exitCodeOf } from "../../src/sync/run.ts";
import { syncWarehouse } from "../../src/sync/sync-warehouse.ts";
import { readPages } from "../../src/warehouse/runs/page-table.ts";
import { readRuns } from "../../src/warehouse/runs/runs.ts";
import { draws } from "../support/draws.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { deleteCalls, newWarehouse } from "../support/warehouses/warehouse.ts";
import { makeRun, rowOf } from "./scene.ts";

interface Asked {
  offset: number;
  limit: number;
  by: number;
  /** Number of earlier requests. */
  requests: number;
}

/** A change of what an honest service would respond; may change its list of ids, newest first. */
type Oddity = (ids: number[], asked: Asked) => { ids?: number[]; total?: number; offset?: number };

const firstPage = (ids: number[], { limit }: Asked) => ids.slice(0, limit);

/** The verdict for each, however many its calls are, if they are more than a page and the missing-call threshold. */
const ODDITIES: [service: string, verdict: Verdict, oddity: Oddity][] = [
  ["is honest", "exact", () => ({})],
  ["ignores offsets, and says so", "unverified", (ids, asked) => ({ ids: firstPage(ids, asked), offset: 0 })],
  [
    "ignores offsets, and claims to heed them",
    "unverified",
    (ids, asked) => ({ ids: firstPage(ids, asked) }),
  ],
  [
    // A list of that many calls that repeats them beyond its end has the same verdict.
    "ignores offsets, and counts what it lists",
    "probable",
    (ids, asked) => ({ ids: firstPage(ids, asked), total: firstPage(ids, asked).length }),
  ],
  [
    // The last call is at another place each time, and total shows where.
    "grows at its front with each request",
    "verified",
    (ids) => {
      ids.unshift((ids[0] ?? 0) + 1);
      return {};
    },
  ],
  [
    "grows at its end with each request",
    "verified",
    (ids) => {
      ids.push((ids.at(-1) ?? 0) - 1);
      return {};
    },
  ],
  ["counts more than it lists", "probable", ({ length }, { by }) => ({ total: length + by })],
  [
    // By more than the missing-call threshold.
    "counts more than it lists, and ever more",
    "unverified",
    ({ length }, { by, requests }) => ({ total: length + 10 + by * (1 + requests) }),
  ],
  ["counts fewer than it lists", "probable", ({ length }, { by }) => ({ total: Math.max(0, length - by) })],
];

const scene = fc.record({
  calls: fc.integer({ min: 40, max: 90 }),
  limit: fc.integer({ min: 8, max: 20 }),
  by: fc.integer({ min: 1, max: 3 }),
});

it.each(ODDITIES)(
  "a service that %s: sync ends, and run, exit code and ledger have the verdict %s",
  async (_, verdict, oddity) => {
    using warehouse = newWarehouse();
    await fc.assert(
      fc.asyncProperty(scene, async ({ calls, limit, by }) => {
        await setImmediate(); // statements of earlier syncs are only freed between two turns of the event loop
        warehouse.sqlite.exec("DELETE FROM sync_runs");
        deleteCalls(warehouse);
        const ids = Array.from({ length: calls }, (_, index) => 1000 + calls - index);
        const before = ids.slice();
        let requests = 0;
        const fetch = async (offset: number) => {
          if (requests > 300) throw new Error("The pass does not end");
          const odd = oddity(ids, { offset, limit, by, requests });
          const requestId = `request ${requests++}`;
          const rows = (odd.ids ?? ids.slice(offset, offset + limit)).map((id) => rowOf(id));
          return toSlice({
            rows,
            limit,
            requestId,
            total: odd.total ?? ids.length,
            offset: odd.offset ?? offset,
          });
        };
        const run = await syncWarehouse(makeRun(warehouse, fetch, new FakeClock(), { limit }));

        const isProven = isSure(verdict);
        const stored = warehouse.sqlite.prepare<[], number>("SELECT call_id FROM calls").pluck().all();
        if (isProven) expect(before.filter((id) => !stored.includes(id))).toEqual([]);
        expect(exitCodeOf(run)).toBe(verdict === "unverified" ? 3 : 0);
        // The ledger has the same data as the run, with the same number of pages.
        expect(readRuns(warehouse, 2)).toEqual([run]);
        expect(run).toMatchObject({
          status: "done",
          verdict,
          calls_missing: 0,
          calls_gone: 0,
          calls_withheld: 0,
        });
        expect(run).toMatchObject({
          calls_new: stored.length,
          calls_read: stored.length,
          calls_unchanged: 0,
        });
        expect(readPages(warehouse, run.run_id)).toHaveLength(run.pages ?? -1);
        expect(run.advice === null).toBe(isProven);
      }),
      { numRuns: draws(13) },
    );
  },
);
