import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Sort } from "../../../src/service/paging/order-key.ts";
import type { Slice } from "../../../src/service/paging/slice.ts";
import { Throttle } from "../../../src/service/paging/throttle.ts";
import { judge } from "../../../src/service/paging/verdict.ts";
import {
  type Source,
  type Walk,
  walk,
  walkFromEnd,
  walkFromFront,
} from "../../../src/service/paging/walk.ts";
import { honestTimelines, RandomService, type Timeline, wide, wildTimelines } from "./random-service.ts";

/*
 * The requests of the walk to 150 services, step by step, and its conclusions. The other tests check that it is not
 * wrong; these check that it does not change unnoticed. A digest covers what it did at twelve or thirteen
 * services. After an intended change: `npx vitest -u`.
 */

/** Further properties of the responses, from which a run must not draw other conclusions unnoticed, either. */
interface Ways {
  timeline: Timeline;
  overlap: number | undefined;
  concurrency: number;
  /** The order in which the last pass was proven. */
  sort: Sort;
  /** Every nth response or row. */
  repeated: number;
  old: number;
  fragmented: number;
  rejected: number;
  unreadable: number;
}

const some = fc.constantFrom(...Array<number>(9).fill(Number.POSITIVE_INFINITY), 7);
const waysOf = (timelines: fc.Arbitrary<Timeline>): fc.Arbitrary<Ways> =>
  fc.record({
    timeline: wide(timelines),
    overlap: fc.constantFrom(undefined, 2, 3, 8, 50),
    concurrency: fc.integer({ min: 1, max: 5 }),
    sort: fc.constantFrom(...(["own", "own", "source_name asc"] as const)),
    repeated: some,
    old: some,
    fragmented: some,
    rejected: some,
    unreadable: some,
  });

/** More requests than any of them needs; a changed walk may never end. */
const MAX_REQUESTS = 1000;

/** A service that responds in these ways, and the requests it received. */
function serve({ timeline, repeated, old, fragmented, rejected, unreadable }: Ways) {
  const service = new RandomService(timeline);
  const asked: [Sort, number][] = [];
  const source: Source<Slice> = {
    isRefusal: service.isRefusal,
    fetch: (sort) => async (offset) => {
      if (asked.push([sort, offset]) > MAX_REQUESTS) throw new Error("The walk asks without end");
      const count = asked.length;
      const { rows, ...slice } = await service.fetch(sort)(offset);
      return {
        ...slice,
        rows: rows.map((row) => ({
          ...row,
          ...((row.id ?? 0) % rejected === 3 && { isRejected: true }),
          ...((row.id ?? 0) % unreadable === 4 && { id: null }),
        })),
        requestId: count % repeated === 5 ? "one of a cache" : `request ${count}`,
        ...(count % old === 6 && { isOld: true }),
        ...(count % fragmented === 2 && { fragmented: true }),
      };
    },
  };
  return { service, source, asked };
}

/** Reads all calls, killed and resumed; returns the verdict of each attempt, and a digest of everything it did and saw. */
async function traceFull(ways: Ways): Promise<string> {
  const { timeline, overlap, concurrency } = ways;
  const { service, source, asked } = serve(ways);
  const verdicts: string[] = [];
  const steps: unknown[] = [asked];
  let [earlier, sort]: [Slice[], Sort] = [[], ways.sort];
  for (let attempt = 0; ; attempt++) {
    const throttle = new Throttle(concurrency);
    const reading: Walk<Slice> = walk(
      source,
      { limit: timeline.limit, overlap, throttle },
      { sort, earlier },
    );
    let slices = earlier;
    let isKilled = false;
    for await (const slice of reading) {
      // As in the ledger: of a walk that restarted, or changed the order, only what came since.
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
  return `${verdicts.join(", ")} after ${asked.length} requests, ${digest(steps)}`;
}

/** Reads the newest calls from either end up to an old call. */
async function traceNewest(ways: Ways, from: "front" | "end"): Promise<string> {
  const { timeline, overlap, concurrency } = ways;
  const { source, asked } = serve(ways);
  const options = { limit: timeline.limit, overlap, throttle: new Throttle(concurrency) };
  const isSettled = ({ rows }: Slice) => rows.some(({ id }) => id !== null && id <= timeline.initial * 0.6);
  const reading =
    from === "front"
      ? walkFromFront(source.fetch("own"), options, isSettled)
      : walkFromEnd(
          source.fetch("own"),
          options,
          isSettled,
          Math.max(0, timeline.initial + 3 - timeline.limit),
        );
  const slices: Slice[] = [];
  for await (const slice of reading) slices.push(slice);
  const { settled, end, isFrontMet } = reading.evidence;
  const seen = `${settled ? "settled" : "not settled"}, end ${end}, front ${isFrontMet ? "met" : "not met"}`;
  return `${seen} after ${asked.length} requests, ${digest([asked, slices, reading.evidence, reading.sort])}`;
}

const digest = (steps: unknown) => hash("sha256", JSON.stringify(steps)).slice(0, 8);

describe("walk", () => {
  const draw = (timelines: fc.Arbitrary<Timeline>, numRuns: number) =>
    fc.sample(waysOf(timelines), { seed: 20261122, numRuns });
  const drawn = [...draw(honestTimelines, 40), ...draw(wildTimelines, 110)];
  const groups = Array.from({ length: 12 }, (_, group) => drawn.filter((_, index) => index % 12 === group));

  async function traceGroup(group: readonly Ways[]): Promise<string> {
    const traces: string[] = [];
    for (const ways of group) {
      const { order, initial, limit, total, offsets } = ways.timeline;
      traces.push(
        `${initial} by ${limit}, ${order}, total ${total.kind}, offsets ${offsets}`,
        `  all: ${await traceFull(ways)}`,
        `  from the front: ${await traceNewest(ways, "front")}`,
        `  from the end: ${await traceNewest(ways, "end")}`,
      );
    }
    return digest(traces);
  }

  it("reads 150 random services exactly as recorded", async () => {
    const digests: string[] = [];
    for (const group of groups) digests.push(await traceGroup(group));
    expect(digests.join(" ")).toMatchInlineSnapshot(
      `"290c9510 60b7c0dd 181c86ba 28be83b1 68a9ce1f c2bc6531 6894cc68 dc64edc3 7490bea5 2e6e8bc8 94e5d7f1 e90bccb6"`,
    );
  });
});
