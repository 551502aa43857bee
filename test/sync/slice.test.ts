import { describe, expect, it } from "vitest";
import { endOf, overlapOf, reachesTotal, sharesCall } from "../../src/sync/slice.ts";

const slice = (offset: number, total: number, ids: (number | null)[]) => ({ offset, total, ids });

describe("endOf, reachesTotal", () => {
  it.each([
    { title: "in the middle", given: slice(10, 100, [1, 2, 3]), end: 13, reaches: false },
    { title: "up to the last call but one", given: slice(96, 100, [1, 2, 3]), end: 99, reaches: false },
    { title: "up to the last call", given: slice(97, 100, [1, 2, 3]), end: 100, reaches: true },
    { title: "beyond a total that shrank", given: slice(98, 100, [1, 2, 3]), end: 101, reaches: true },
    { title: "empty, of nothing", given: slice(0, 0, []), end: 0, reaches: true },
    {
      title: "with an unreadable row, which takes its place",
      given: slice(8, 10, [1, null]),
      end: 10,
      reaches: true,
    },
  ])("tell where a slice ends: $title", ({ given, end, reaches }) => {
    expect({ end: endOf(given), reaches: reachesTotal(given) }).toEqual({ end, reaches });
  });
});

describe("sharesCall", () => {
  it.each([
    { title: "a call in common", left: [1, 2, 3], right: [3, 4], shares: true },
    { title: "the same call at other ends", left: [9, 1], right: [8, 9], shares: true },
    { title: "none in common", left: [1, 2, 3], right: [4, 5], shares: false },
    {
      title: "unreadable rows alone, which may be different ones",
      left: [1, null],
      right: [null, 2],
      shares: false,
    },
    { title: "an empty slice", left: [], right: [1], shares: false },
  ])("joins by calls alone: $title", ({ left, right, shares }) => {
    expect(sharesCall(slice(0, 9, left), slice(0, 9, right))).toBe(shares);
  });
});

describe("overlapOf", () => {
  it.each([
    { size: 1000, overlap: 50, rows: 50 },
    { size: 100, overlap: 50, rows: 50 },
    { size: 99, overlap: 50, rows: 49 },
    { size: 3, overlap: 50, rows: 1 },
    { size: 2, overlap: 50, rows: 1 },
    { size: 1, overlap: 50, rows: 1 },
    { size: 0, overlap: 50, rows: 1 },
    { size: 100, overlap: 0, rows: 0 },
  ])("repeats $rows rows of $size where $overlap are wanted", ({ size, overlap, rows }) => {
    expect(overlapOf(size, overlap)).toBe(rows);
  });
});
