import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Sort } from "../../src/paging/order-key.ts";
import type { Slice } from "../../src/paging/slice.ts";
import { Throttle } from "../../src/paging/throttle.ts";
import { judge } from "../../src/paging/verdict.ts";
import { type Source, type Walk, walk } from "../../src/paging/walk.ts";
import { honestTimelines, RandomService, type Timeline, wildTimelines } from "./random-service.ts";

/*
 * What the walk asks of a few hundred services, step by step, and what it concludes. The other tests say that it must not be
 * wrong; these say that it does not become another without a word. After a change that is meant: `npx vitest -u`, and read
 * what has changed.
 */

/** Pages of 2 rows and of 1,000, and lists that end in the middle of one, at its edge, and just behind it. */
const wide = (timelines: fc.Arbitrary<Timeline>): fc.Arbitrary<Timeline> =>
  fc
    .record({
      timeline: timelines,
      limit: fc.constantFrom(2, 3, 4, 7, 50, 100, 101, 1000),
      pages: fc.constantFrom(0, 1, 1, 2, 5, 12),
      beyond: fc.integer({ min: -2, max: 3 }),
      cap: fc.constantFrom(1000, 1000, 1000, 2, 100),
    })
    .map(({ timeline, limit, pages, beyond, cap }) => ({
      ...timeline,
      limit,
      pageCap: cap,
      initial: Math.max(0, Math.min(limit, cap, 150) * pages + beyond),
    }));

/** Reads a service, killed and taken up again; returns the verdict of each attempt, and a digest of all that it did and saw. */
async function trace(timeline: Timeline, overlap: number | undefined, concurrency: number): Promise<string> {
  const service = new RandomService(timeline);
  const verdicts: string[] = [];
  const steps: unknown[] = [];
  let [earlier, sort]: [Slice[], Sort] = [[], "own"];
  for (let attempt = 0; ; attempt++) {
    const source: Source<Slice> = {
      isRefusal: service.isRefusal,
      fetch: (order) => (offset) => {
        steps.push([order, offset]);
        return service.fetch(order)(offset);
      },
    };
    const throttle = new Throttle(concurrency);
    const reading: Walk<Slice> = walk(
      source,
      { limit: timeline.limit, overlap, throttle },
      { sort, earlier },
    );
    let slices = earlier;
    let isKilled = false;
    for await (const slice of reading) {
      // As the ledger has it: of a walk that began anew, or in another order, only what came since.
      slices = reading.evidence.slices === 1 ? [slice] : [...slices, slice];
      isKilled = reading.evidence.slices - reading.evidence.resumed === timeline.kills[attempt];
      if (isKilled) break;
    }
    const ids = new Set(slices.flatMap(({ rows }) => rows.map(({ id }) => id)));
    const judgement = judge(reading.evidence, ids.size);
    if (!isKilled && ["exact", "verified"].includes(judgement.verdict)) {
      expect(service.visibleThroughout.filter((id) => !ids.has(id))).toEqual([]);
    }
    steps.push(slices, reading.evidence, reading.sort, judgement);
    verdicts.push(isKilled ? "killed" : judgement.verdict);
    if (!isKilled) break;
    [earlier, sort] = [slices, reading.sort];
  }
  return `${verdicts.join(", ")} after ${service.requests} requests, ${hash("sha256", JSON.stringify(steps)).slice(0, 8)}`;
}

describe("the walk", () => {
  it.each([
    { kind: "honest", timelines: honestTimelines, runs: 80 },
    { kind: "wild", timelines: wildTimelines, runs: 320 },
  ])("reads $kind services as it did", async ({ timelines, runs }) => {
    const overlaps = fc.constantFrom(undefined, 2, 3, 8, 50);
    const drawn = fc.sample(fc.tuple(wide(timelines), overlaps, fc.integer({ min: 1, max: 5 })), {
      seed: 20261122,
      numRuns: runs,
    });
    const traces: string[] = [];
    for (const [timeline, overlap, concurrency] of drawn) {
      const { order, initial, limit, total, offsets } = timeline;
      const result = await trace(timeline, overlap, concurrency);
      traces.push(`${initial} by ${limit}, ${order}, total ${total.kind}, offsets ${offsets}: ${result}`);
    }
    expect(`\n${traces.join("\n")}\n`).toMatchSnapshot();
  });
});
