import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { observeTotal, type Totals } from "../../../src/service/paging/evidence.ts";
import type { Slice } from "../../../src/service/paging/slice.ts";

const slice = (total: number, offset = 0, rows = 0): Slice => ({
  offset,
  total,
  rows: Array.from({ length: rows }, (_, id) => ({ id, started: null, name: null })),
});

const observe = (...slices: Slice[]) =>
  slices.reduce<Totals | undefined>((before, each) => observeTotal(before, each), undefined);

describe("observeTotal", () => {
  it("begins with the first total", () => {
    expect(observe(slice(7))).toEqual({
      first: 7,
      last: 7,
      least: 7,
      most: 7,
      isConstant: true,
      fall: 0,
      falls: 0,
      rises: 0,
      overruns: 0,
    });
  });

  it("records the greatest drop below an earlier total, and the sums of falls and of rises", () => {
    expect(observe(slice(10), slice(12), slice(9), slice(11), slice(8))).toEqual({
      first: 10,
      last: 8,
      least: 8,
      most: 12,
      isConstant: false,
      fall: 4,
      falls: 6,
      rises: 4,
      overruns: 0,
    });
    // The total returned to its first value.
    expect(observe(slice(10), slice(11), slice(10))).toMatchObject({ isConstant: false, fall: 1, falls: 1 });
    expect(observe(slice(10), slice(10), slice(10))).toMatchObject({ isConstant: true, fall: 0, falls: 0 });
  });

  it("counts responses with rows beyond their own total, except empty ones", () => {
    const slices = [slice(10, 5, 5), slice(10, 5, 6), slice(10, 20), slice(0, 0, 1)];
    expect(observe(...slices)?.overruns).toBe(2);
    expect(slices.map((each) => observe(each)?.overruns)).toEqual([0, 1, 0, 1]);
  });

  it("agrees with an evaluation of the whole list of totals", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { minLength: 1 }), (totals) => {
        const pairs = totals.slice(1).map((total, index) => (totals[index] ?? 0) - total);
        const falls = totals.map((total, index) => Math.max(...totals.slice(0, index + 1)) - total);
        expect(observe(...totals.map((total) => slice(total)))).toEqual({
          first: totals[0],
          last: totals.at(-1),
          least: Math.min(...totals),
          most: Math.max(...totals),
          isConstant: new Set(totals).size === 1,
          fall: Math.max(...falls),
          falls: pairs.reduce((sum, fall) => sum + Math.max(0, fall), 0),
          rises: pairs.reduce((sum, fall) => sum + Math.max(0, -fall), 0),
          overruns: 0,
        });
      }),
    );
  });
});
