import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  chanceOfAtLeast,
  chanceOfAtMost,
  isShareWithinChance,
  isWithinChance,
} from "../../src/base/chance.ts";

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

/** Counts in exact fractions how many of all draws of a lot have at most, and at least, so many parts now. */
function exactShares(
  [part, whole]: readonly [number, number],
  [partBefore, wholeBefore]: readonly [number, number],
) {
  const choices = (of: number, chosen: number) => {
    let found = chosen > of ? 0n : 1n;
    for (let each = 0; each < Math.min(chosen, of); each++)
      found = (found * BigInt(of - each)) / BigInt(each + 1);
    return found;
  };
  const [parts, lot] = [part + partBefore, whole + wholeBefore];
  let [atMost, atLeast] = [0n, 0n];
  for (let found = 0; found <= Math.min(parts, whole); found++) {
    const ways = choices(parts, found) * choices(lot - parts, whole - found);
    if (found <= part) atMost += ways;
    if (found >= part) atLeast += ways;
  }
  const all = choices(lot, whole);
  const [most, least] = [atMost, atLeast].map((ways) => Number((ways * 10n ** 15n) / all) / 1e15);
  return 2 * Math.min(most ?? 0, least ?? 0);
}

describe("isShareWithinChance", () => {
  it.each([
    [6, 10, 5, 20],
    [9, 10, 10, 20],
    [0, 7, 9, 12],
    [7, 7, 3, 12],
    [30, 40, 70, 90],
    [0, 5, 0, 8],
    [18, 60, 51, 97],
    [51, 97, 18, 60],
    // One draw: next to its only other number there is none.
    [0, 1, 1, 6],
    [1, 1, 5, 6],
    [0, 1, 2, 10],
  ])("compares %i of %i with %i of %i as exact fractions do", (part, whole, partBefore, wholeBefore) => {
    const chance = exactShares([part, whole], [partBefore, wholeBefore]);
    const isAt = (level: number) =>
      isShareWithinChance({ part, whole }, { part: partBefore, whole: wholeBefore }, level);
    expect([isAt(chance * 0.999_999), isAt(chance * 1.000_001)]).toEqual([true, false]);
  });
});
