import { describe, expect, it } from "vitest";
import { Prefetch } from "../../../src/service/paging/prefetch.ts";
import type { Slice } from "../../../src/service/paging/slice.ts";
import { Throttle } from "../../../src/service/paging/throttle.ts";

const slice = (offset: number, rows: number, total: number): Slice => ({
  offset,
  total,
  rows: Array.from({ length: rows }, (_, at) => ({ id: offset + at + 1, started: null, name: null })),
});

/** A service of that many calls, by default ten a page; a request ends immediately unless it has to wait. */
function serve(
  total: () => number,
  {
    size = (_offset: number): number => 10,
    concurrency = 2,
    throttle = new Throttle(concurrency),
    wait = async (_offset: number) => {},
  } = {},
) {
  const asked: number[] = [];
  const signals: AbortSignal[] = [];
  const fetch = async (offset: number, signal: AbortSignal): Promise<Slice> => {
    asked.push(offset);
    signals.push(signal);
    await wait(offset);
    return slice(offset, Math.max(0, Math.min(size(offset), total() - offset)), total());
  };
  return { asked, signals, throttle, pages: new Prefetch(fetch, { overlap: 3, throttle }) };
}

/** Takes all planned pages; returns the offsets of their slices. */
async function takeAll(pages: Prefetch<Slice>): Promise<number[]> {
  const offsets: number[] = [];
  for (let taken = await pages.take(); taken !== undefined; taken = await pages.take()) {
    offsets.push(taken.offset);
    if (offsets.length > 100) throw new Error("A plan without end");
  }
  return offsets;
}

/** Runs everything that does not wait for something else. */
const settle = () => new Promise(setImmediate);

describe("Prefetch", () => {
  it("plans overlapping pages up to the total and returns them in order", async () => {
    const { asked, pages } = serve(() => 40);
    pages.planAfter(slice(0, 10, 40));
    expect(await takeAll(pages)).toEqual([7, 14, 21, 28, 35]);
    expect(asked).toEqual([7, 14, 21, 28, 35]);
    expect(await pages.take()).toBeUndefined();
  });

  it("keeps at most twice as many pages running or waiting as may be fetched at the same time", async () => {
    const { asked, pages } = serve(() => 1000, { concurrency: 3 });
    pages.planAfter(slice(0, 10, 1000));
    await pages.take();
    await settle();
    expect(asked).toHaveLength(6);
    await pages.take();
    await settle();
    expect(asked).toHaveLength(7);
  });

  it.each([0, 1])("plans nothing after a page of %i rows", async (rows) => {
    const { asked, pages } = serve(() => 40);
    pages.planAfter(slice(0, rows, 40));
    expect(await pages.take()).toBeUndefined();
    expect(asked).toEqual([]);
  });

  it("plans nothing beyond the total", async () => {
    const { pages } = serve(() => 40);
    pages.planAfter(slice(30, 10, 40));
    expect(await pages.take()).toBeUndefined();
  });

  it("plans by the size of the latest page, two pages ahead of the plan", async () => {
    const { pages } = serve(() => 50, { size: (offset) => (offset < 20 ? 10 : 6), concurrency: 1 });
    pages.planAfter(slice(0, 10, 50));
    expect(await takeAll(pages)).toEqual([7, 14, 21, 28, 35, 38, 41, 44]);
  });

  it("ignores the size of an empty page or of one that the end shortened", async () => {
    let total = 22;
    const { pages } = serve(() => total, { size: (offset) => (offset === 28 ? 0 : 10) });
    pages.planAfter(slice(0, 10, 22));
    expect(await takeAll(pages)).toEqual([7, 14]);
    total = 100;
    await pages.fetch(5);
    expect(await takeAll(pages)).toEqual([21, 28, 35, 42, 49, 56, 63, 70, 77, 84, 91]);
  });

  it("continues by the total of the latest slice, including a slice fetched outside the plan", async () => {
    let total = 20;
    const { pages } = serve(() => total);
    pages.planAfter(slice(0, 10, 20));
    expect(await takeAll(pages)).toEqual([7, 14]);
    total = 34;
    expect(await pages.take()).toBeUndefined();
    expect((await pages.fetch(5)).offset).toBe(5);
    expect(await takeAll(pages)).toEqual([21, 28]);
  });

  it("throws the error of a page when the page is taken, not before", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => unhandled.push(error);
    process.on("unhandledRejection", note);
    const wait = async (offset: number) => {
      if (offset > 7) throw new Error(`no page at ${offset}`);
    };
    const { pages } = serve(() => 100, { wait });
    pages.planAfter(slice(0, 10, 100));
    expect((await pages.take())?.offset).toBe(7);
    await settle();
    await expect(pages.take()).rejects.toThrow("no page at 14");
    await settle();
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });

  it("requests no more pages of an abandoned plan and returns none of them", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wait = (offset: number) => (offset === 7 ? Promise.resolve() : promise);
    const { asked, pages } = serve(() => 1000, { concurrency: 3, wait });
    pages.planAfter(slice(0, 10, 1000));
    await pages.take();
    await settle();
    expect(asked).toEqual([7, 14, 21, 28]);
    pages.drop();
    resolve();
    await settle();
    expect(await pages.take()).toBeUndefined();
    expect(asked).toEqual([7, 14, 21, 28]);
  });

  it("aborts running requests when disposed, but not those of another plan that waits for the same places", async () => {
    const throttle = new Throttle(1);
    const { promise, resolve } = Promise.withResolvers<void>();
    const first = serve(() => 24, { throttle, wait: () => promise });
    const second = serve(() => 24, { throttle });
    const alone = first.pages.fetch(0);
    second.pages.planAfter(slice(0, 10, 24));
    const taken = takeAll(second.pages);
    await settle();
    expect(throttle.limit.pendingCount).toBe(2);
    first.pages[Symbol.dispose]();
    expect(throttle.limit.pendingCount).toBe(2);
    expect(first.signals.map(({ reason }) => reason)).toEqual([new Error("The walk has ended")]);
    resolve();
    await alone;
    expect(await taken).toEqual([7, 14]);
    expect(second.signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });

  it("requests no more pages after it is disposed", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wait = (offset: number) => (offset === 7 ? Promise.resolve() : promise);
    const { asked, pages, throttle } = serve(() => 1000, { concurrency: 2, wait });
    pages.planAfter(slice(0, 10, 1000));
    await pages.take();
    await settle();
    expect(throttle.limit.pendingCount).toBe(1);
    pages[Symbol.dispose]();
    expect(throttle.limit.pendingCount).toBe(0);
    resolve();
    await settle();
    expect(asked).toEqual([7, 14, 21]);
  });
});
