import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Throttle } from "../../src/paging/throttle.ts";
import { judge, noEvidence, type Verdict } from "../../src/paging/verdict.ts";
import { type WalkOptions, walk } from "../../src/paging/walk.ts";
import { busyTimelines, RandomServer, type Timeline, wildTimelines } from "./random-server.ts";

const RUNS = Number(process.env.CALLTALLY_TIMELINES ?? 2000);

interface Outcome {
  verdict: Verdict;
  missing: number[];
  requests: number;
}

async function run(timeline: Timeline, options: WalkOptions): Promise<Outcome> {
  const server = new RandomServer(timeline);
  const evidence = noEvidence();
  const read = new Set<number>();
  for await (const { ids } of walk(server.fetch, options, evidence)) {
    for (const id of ids) if (id !== null) read.add(id);
  }
  const { verdict } = judge(evidence, read.size);
  const missing = server.visibleThroughout.filter((id) => !read.has(id));
  return { verdict, missing, requests: server.requests };
}

const options = fc.record({
  overlap: fc.integer({ min: 1, max: 8 }),
  throttle: fc.integer({ min: 1, max: 6 }).map((concurrency) => new Throttle(concurrency)),
});

const isSure = (verdict: Verdict) => verdict === "exact" || verdict === "verified";

describe("walk", () => {
  it.each([
    { servers: "wild", timelines: wildTimelines, sureAtLeast: 0.5 },
    { servers: "busy", timelines: busyTimelines, sureAtLeast: 0.9 },
  ])(`never calls a pass complete that misses a call: ${RUNS} $servers servers`, async (given) => {
    let sure = 0;
    await fc.assert(
      fc.asyncProperty(given.timelines, options, async (timeline, walkOptions) => {
        const { verdict, missing } = await run(timeline, walkOptions);
        if (!isSure(verdict)) return;
        sure++;
        expect(missing).toEqual([]);
      }),
      { numRuns: RUNS },
    );
    // A walk that is never sure would pass the property, too.
    expect(sure / RUNS).toBeGreaterThan(given.sureAtLeast);
  });

  it("is caught by the same servers when pages do not overlap and seams are trusted", async () => {
    const naive = { overlap: 0, joins: () => true };
    const result = await fc.check(
      fc.asyncProperty(busyTimelines, async (timeline) => {
        const { verdict, missing } = await run(timeline, naive);
        return !isSure(verdict) || missing.length === 0;
      }),
      { numRuns: RUNS },
    );
    expect(result.failed).toBe(true);
  });

  it("is never sure of more than one page when pages do not overlap", async () => {
    await fc.assert(
      fc.asyncProperty(busyTimelines, async (timeline) => {
        const { verdict, missing } = await run(timeline, { overlap: 0 });
        return !isSure(verdict) || missing.length === 0;
      }),
      { numRuns: 500 },
    );
  });
});
