import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Throttle } from "../../../src/service/paging/throttle.ts";

function answer(throttle: Throttle, times: number): void {
  for (let successes = 0; successes < times; successes++) throttle.succeeded();
}

describe("Throttle", () => {
  it("halves the number of concurrent requests after each 429, down to one", () => {
    const throttle = new Throttle(9);
    const seen = [throttle.limit.concurrency];
    for (let refusals = 0; refusals < 5; refusals++) {
      throttle.slowDown();
      seen.push(throttle.limit.concurrency);
    }
    expect(seen).toEqual([9, 4, 2, 1, 1, 1]);
  });

  it("allows one more concurrent request after each ten successes, up to the initial limit", () => {
    const throttle = new Throttle(4);
    throttle.slowDown();
    throttle.slowDown();
    const seen: number[] = [];
    for (let round = 0; round < 5; round++) {
      answer(throttle, 9);
      seen.push(throttle.limit.concurrency);
      answer(throttle, 1);
      seen.push(throttle.limit.concurrency);
    }
    expect(seen).toEqual([1, 2, 2, 3, 3, 4, 4, 4, 4, 4]);
  });

  it("resets its count of successes after a 429, and counts none at its limit", () => {
    const throttle = new Throttle(4);
    answer(throttle, 9);
    throttle.slowDown();
    answer(throttle, 9);
    expect(throttle.limit.concurrency).toBe(2);
    throttle.slowDown();
    answer(throttle, 9);
    expect(throttle.limit.concurrency).toBe(1);
    answer(throttle, 1);
    expect(throttle.limit.concurrency).toBe(2);
  });

  it("runs as many requests at the same time as its limit allows", async () => {
    const throttle = new Throttle(4);
    throttle.slowDown();
    const { promise, resolve } = Promise.withResolvers<void>();
    let running = 0;
    const requests = Array.from({ length: 6 }, () =>
      throttle.limit(async () => {
        running++;
        await promise;
      }),
    );
    await new Promise(setImmediate);
    expect(running).toBe(2);
    resolve();
    await Promise.all(requests);
    expect(running).toBe(6);
  });

  it("keeps a limit between one and its maximum, whatever happens", () => {
    const most = fc.integer({ min: 1, max: 32 });
    fc.assert(
      fc.property(most, fc.array(fc.boolean(), { maxLength: 200 }), (max, answers) => {
        const throttle = new Throttle(max);
        for (const isGood of answers) {
          if (isGood) throttle.succeeded();
          else throttle.slowDown();
          expect(throttle.limit.concurrency).toBeGreaterThanOrEqual(1);
          expect(throttle.limit.concurrency).toBeLessThanOrEqual(max);
        }
      }),
      { numRuns: 50 },
    );
  });
});
