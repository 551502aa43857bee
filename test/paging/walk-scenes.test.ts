import { describe, expect, it } from "vitest";
import type { Row, Slice } from "../../src/paging/slice.ts";
import { Throttle } from "../../src/paging/throttle.ts";
import { walk, walkFromEnd } from "../../src/paging/walk.ts";

const START_MS = Date.parse("2026-06-01T00:00:00.000Z");
const call = (id: number): Row => ({
  id,
  started: new Date(START_MS + id * 1000).toISOString(),
  name: "Website",
});

/** A service of calls by their ids, the lowest first; `total` is what it says there are. */
function serve(
  calls: () => number,
  { limit = 20, total = calls }: { limit?: number; total?: () => number } = {},
) {
  const asked: number[] = [];
  const signals = new Set<AbortSignal>();
  const fetch = async (offset: number, signal: AbortSignal): Promise<Slice> => {
    if (asked.push(offset) > 2000) throw new Error("The walk asks without end");
    signals.add(signal);
    signal.throwIfAborted();
    const ids = Array.from(
      { length: Math.max(0, Math.min(limit, calls() - offset)) },
      (_, at) => offset + at + 1,
    );
    return { offset, total: total(), rows: ids.map(call) };
  };
  return { asked, signals, fetch, source: { fetch: () => fetch, isRefusal: () => false } };
}

const options = { limit: 20, overlap: 5, throttle: new Throttle(2) };
const read = async (walk: AsyncIterable<Slice>) => {
  for await (const _ of walk);
};

describe("walkFromEnd", () => {
  it.each([
    { calls: 450, total: 450, offset: 1000, asked: [1000, 350] },
    { calls: 30, total: 30, offset: 500, asked: [500, 0] },
    // By a total that is not true any more it steps back twice as far each time.
    { calls: 310, total: 1000, offset: 1000, asked: [1000, 900, 700, 300] },
    { calls: 10, total: 50, offset: 50, asked: [50, 0] },
    { calls: 0, total: 0, offset: 0, asked: [0] },
  ])("looks for the end of $calls calls, of which the service counts $total, from $offset", async (scene) => {
    const service = serve(() => scene.calls, { total: () => scene.total });
    await read(walkFromEnd(service.fetch, options, () => true, scene.offset));
    expect(service.asked.slice(0, scene.asked.length)).toEqual(scene.asked);
  });

  it("gives up where no page has a call", async () => {
    const service = serve(() => 0, { total: () => 1000 });
    const walk = walkFromEnd(service.fetch, options, () => true, 1000);
    const slices: Slice[] = [];
    for await (const slice of walk) slices.push(slice);
    expect(service.asked.slice(0, 4)).toEqual([1000, 900, 700, 300]);
    expect(slices[0]?.offset).toBe(300);
    expect(service.asked.filter((offset) => offset < 300)).toEqual([]);
  });
});

describe("walk", () => {
  it("asks for nothing more once its reader has had enough, and ends what is under way", async () => {
    const service = serve(() => 1000);
    let slices = 0;
    for await (const _ of walk(service.source, options)) if (++slices === 3) break;
    const before = service.asked.length;
    expect([...service.signals].map(({ aborted }) => aborted)).toEqual([true]);
    await new Promise(setImmediate);
    expect(service.asked.length).toBe(before);
  });

  it("ends what is under way when it has read all", async () => {
    const service = serve(() => 100);
    await read(walk(service.source, options));
    expect([...service.signals].map(({ aborted }) => aborted)).toEqual([true]);
  });

  it("gives up the end of a list that grows by a few calls with each request", async () => {
    const service = serve(() => 40 + 3 * service.asked.length);
    const reading = walk(service.source, options);
    await read(reading);
    expect(reading.evidence.end).toBe("unseen");
    expect(service.asked.length).toBeGreaterThan(50);
    expect(service.asked.length).toBeLessThan(120);
  });

  it("asks for an empty list three times", async () => {
    const service = serve(() => 0);
    const reading = walk(service.source, options);
    await read(reading);
    expect(service.asked).toEqual([0, 0, 0]);
    expect(reading.evidence.end).toBe("seen");
  });
});
