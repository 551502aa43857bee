import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chanceOfAtLeast, chanceOfAtMost, isWithinChance } from "../../src/base/chance.ts";

/** The sum of the binomial distribution in exact fractions. */
function exactAtMost(count: number, others: number, times: number): number {
  const [trials, odds] = [count + others, BigInt(times)];
  let [sum, choices] = [0n, 1n];
  for (let hits = 0; hits <= count; hits++) {
    sum += choices * odds ** BigInt(trials - hits);
    choices = (choices * BigInt(trials - hits)) / BigInt(hits + 1);
  }
  const all = (odds + 1n) ** BigInt(trials);
  return Number((sum * 10n ** 300n) / all) / 1e300;
}

describe("chanceOfAtMost, chanceOfAtLeast", () => {
  const counts = fc.tuple(fc.nat(300), fc.nat(900), fc.integer({ min: 1, max: 9 }));

  it("agree with exact fractions", () => {
    fc.assert(
      fc.property(counts, ([count, others, times]) => {
        const exact = exactAtMost(count, others, times);
        expect(chanceOfAtMost(count, others, times)).toBeCloseTo(exact, 11);
        if (exact > 1e-150 && count * times <= others)
          expect(chanceOfAtMost(count, others, times) / exact).toBeCloseTo(1, 9);
        const rest = count === 0 ? 0 : exactAtMost(count - 1, others + 1, times);
        expect(chanceOfAtLeast(count, others, times)).toBeCloseTo(1 - rest, 11);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    [0, 144, 8, (8 / 9) ** 144],
    [0, 0, 8, 1],
    [1, 1, 1, 0.75],
    [500_000, 500_000, 1, 0.500_398_942],
    [4_000_000, 4_010_000, 1, 0.000_205_5],
  ])("chanceOfAtMost(%i, %i, %i) is %f", (count, others, times, chance) => {
    expect(chanceOfAtMost(count, others, times)).toBeCloseTo(chance, 6);
  });
});

describe("isWithinChance", () => {
  it.each([
    [100, 100, 1, true],
    [100, 128, 1, true],
    [100, 131, 1, false],
    [131, 100, 1, false],
    [0, 5, 1, true],
    [0, 6, 1, false],
    [10, 0, 1, false],
    [31, 28, 28 / 31, true],
    [0, 0, 1, true],
  ])("%i after %i in %f as much time: %s", (count, before, times, is) => {
    expect(isWithinChance(count, before, times)).toBe(is);
  });
});
