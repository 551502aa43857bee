import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endOf, overlapOf, reachesTotal, type Slice } from "../../../src/service/paging/slice.ts";

const slice = (offset: number, rows: number, total: number): Slice => ({
  offset,
  total,
  rows: Array.from({ length: rows }, (_, id) => ({ id, started: null, name: null })),
});

describe("endOf", () => {
  it("returns the position after the slice's last call, unreadable ones included", () => {
    expect(endOf(slice(0, 0, 10))).toBe(0);
    expect(endOf({ offset: 40, total: 100, rows: [{ id: null, started: null, name: null }] })).toBe(41);
  });
});

describe("reachesTotal", () => {
  it("compares the end of a slice with its own total", () => {
    expect(reachesTotal(slice(0, 0, 0))).toBe(true);
    expect(reachesTotal(slice(90, 9, 100))).toBe(false);
    expect(reachesTotal(slice(90, 10, 100))).toBe(true);
    // More calls than the service counts.
    expect(reachesTotal(slice(90, 11, 100))).toBe(true);
  });
});

describe("overlapOf", () => {
  it.each([
    { size: 1000, overlap: 50, expected: 50 },
    { size: 100, overlap: 50, expected: 50 },
    { size: 99, overlap: 50, expected: 49 },
    { size: 5, overlap: 50, expected: 2 },
    { size: 3, overlap: 50, expected: 2 },
    { size: 2, overlap: 50, expected: 1 },
    { size: 1, overlap: 50, expected: 1 },
    { size: 1000, overlap: 0, expected: 0 },
  ])("of a page of $size rows is $expected for a requested $overlap", ({ size, overlap, expected }) => {
    expect(overlapOf(size, overlap)).toBe(expected);
  });

  it("leaves one row for new calls, and two for two keys if a page has three", () => {
    fc.assert(
      fc.property(fc.integer({ min: 3, max: 1000 }), fc.integer({ min: 2, max: 1000 }), (size, overlap) => {
        expect(overlapOf(size, overlap)).toBeGreaterThanOrEqual(2);
        expect(overlapOf(size, overlap)).toBeLessThan(size);
      }),
    );
  });
});
