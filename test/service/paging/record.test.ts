import { describe, expect, it } from "vitest";
import { PassRecord } from "../../../src/service/paging/record.ts";
import type { Row, Slice } from "../../../src/service/paging/slice.ts";

const call = (id: number | null): Row => ({ id, started: null, name: null });
const slice = (offset: number, total: number, ...ids: (number | null)[]): Slice => ({
  offset,
  total,
  rows: ids.map(call),
});

/** The record of a pass that read these slices and looked behind the last but one. */
function recordOf(...slices: Slice[]): PassRecord {
  const record = new PassRecord({ limit: 4, overlap: 2 });
  for (const slice of slices) record.accept(slice);
  return record;
}

function recordOfEnd(look: Slice, ...slices: Slice[]): PassRecord {
  const record = recordOf(...slices.slice(0, -1));
  record.lookBehind(look);
  for (const last of slices.slice(-1)) record.accept(last);
  return record;
}

describe("PassRecord", () => {
  const full = [slice(0, 8, 1, 2, 3, 4), slice(2, 8, 3, 4, 5, 6)];
  const last = slice(4, 8, 5, 6, 7, 8);

  const [still, one] = [slice(8, 8), slice(5, 5)];

  it.each([
    ["a short slice that ends with the last call", still, [...full, last, slice(6, 8, 7, 8)], "short slice"],
    ["a slice as long as a page", still, [...full, last, slice(4, 8, 5, 6, 7, 8)], "nothing behind"],
    ["a short slice that counts more", still, [...full, last, slice(6, 9, 7, 8)], "disputed"],
    [
      "a short slice after one full page",
      one,
      [slice(0, 5, 1, 2, 3, 4), slice(2, 5, 3, 4, 5), slice(3, 5, 4, 5)],
      "nothing behind",
    ],
    [
      "empty slices at the front, though calls are counted",
      slice(0, 6),
      [slice(0, 4, 1, 2), slice(0, 5, 3, 1), slice(0, 6), slice(0, 6)],
      "disputed",
    ],
    [
      "a short slice after pages of two lengths",
      still,
      [slice(0, 8, 1, 2, 3), ...full, last, slice(6, 8, 7, 8)],
      "nothing behind",
    ],
    // The end has moved, and total with it.
    ["a short slice with another call, counted", still, [...full, last, slice(7, 9, 8, 9)], "short slice"],
    [
      "a short slice without the last call, counted",
      still,
      [...full, last, slice(5, 7, 6, 7)],
      "short slice",
    ],
    ["a short slice in another place, counted", still, [...full, last, slice(7, 9, 7, 8)], "short slice"],
    [
      "a full slice in another place, counted",
      slice(9, 9),
      [...full, last, slice(5, 9, 5, 6, 7, 8)],
      "nothing behind",
    ],
    // It has moved, and total has not, or not as far.
    ["a short slice with another call", still, [...full, last, slice(7, 8, 8, 9)], "unseen"],
    ["a short slice that ends before the last call", still, [...full, last, slice(5, 8, 6, 7)], "unseen"],
    ["a short slice in another place", still, [...full, last, slice(7, 8, 7, 8)], "unseen"],
    ["a look that is not at its total", slice(8, 7), [...full, last, slice(7, 9, 7, 8)], "unseen"],
    [
      "a slice before it that did not end at its total",
      still,
      [...full, slice(4, 9, 5, 6, 7, 8), slice(7, 9, 7, 8)],
      "unseen",
    ],
    // The last call was moved there, and back.
    [
      "a look at the last call, counted before it",
      slice(8, 9, 8),
      [...full, last, slice(6, 8, 7, 8)],
      "unseen",
    ],
  ])("classifies the end by the look before the last slice: %s", (_title, look, slices, end) => {
    expect(recordOfEnd(look, ...slices).evidence.end).toBe(end);
    expect(recordOf(...slices).evidence.end).toBe("unseen");
  });

  it.each([
    { shows: "no call", look: slice(9, 9), end: "short slice", totals: 8 },
    { shows: "known calls", look: slice(9, 9, 1, 2), end: "short slice", totals: 8 },
    { shows: "another call", look: slice(9, 9, 10), end: "unseen", totals: 8 },
  ])("keeps an end if a look further behind it shows $shows", ({ look, end, totals }) => {
    const record = recordOfEnd(still, ...full, last, slice(6, 8, 7, 8));
    record.lookBehind(look);
    expect(record.evidence).toMatchObject({ end, totals: { last: totals, isConstant: true } });
  });

  it.each([
    {
      title: "total moves and the last slice ends at it",
      look: slice(8, 9),
      slice: slice(7, 9, 8, 9),
      end: "moving",
    },
    {
      title: "the call of the last look was read",
      look: slice(8, 9, 9),
      slice: slice(7, 9, 8, 9),
      end: "moving",
    },
    {
      title: "the last look showed another call",
      look: slice(8, 9, 12),
      slice: slice(7, 9, 8, 9),
      end: "unseen",
    },
    { title: "total does not move", look: slice(8, 8, 9), slice: slice(5, 8, 7, 8, 9), end: "unseen" },
    {
      title: "the last slice ends before total",
      look: slice(8, 9, 9),
      slice: slice(7, 10, 8, 9),
      end: "unseen",
    },
    {
      title: "the last slice is as long as a page",
      look: slice(8, 9, 9),
      slice: slice(5, 9, 6, 7, 8, 9),
      end: "unseen",
    },
  ])("when the end is given up, it is $end if $title", ({ look, slice: after, end }) => {
    const record = recordOf(...full, last);
    record.lookBehind(look);
    record.accept(after);
    expect(record.hasEnded).toBe(false);
    record.noteMovingEnd();
    expect(record.evidence.end).toBe(end);
  });

  it.each([
    { title: "the last call comes last again", look: slice(7, 8, 8), end: "short slice" },
    { title: "nothing comes in its place", look: slice(7, 8), end: "moving" },
    { title: "two known calls come in its place", look: slice(7, 8, 7, 8), end: "moving" },
    { title: "another call comes in its place", look: slice(7, 8, 9), end: "unseen" },
    { title: "total has moved, too", look: slice(7, 7), end: "short slice" },
  ])("when the end is checked at the end of a pass, it is $end if $title", ({ look, end }) => {
    const record = recordOfEnd(still, ...full, last, slice(6, 8, 7, 8));
    record.checkEnd(look);
    expect(record.evidence).toMatchObject({ end, totals: { last: 8, isConstant: true } });
  });

  it("looks for the end where total has moved it since the last look, within the overlap", () => {
    const offsetsOf = (...totals: number[]) =>
      totals.map((total) => {
        const record = recordOf(...full, last);
        record.lookBehind(slice(8, 8));
        record.accept(slice(6, total, 7, 8));
        return record.offsetBehind;
      });
    expect(recordOf(...full, last).offsetBehind).toBe(8);
    expect(offsetsOf(8, 9, 7, 10, 6)).toEqual([8, 9, 7, 8, 8]);
  });

  it.each([
    { look: slice(8, 8, 5, 6, 7, 8), end: "short slice" },
    { look: slice(8, 9, 9), end: "unseen" },
    { look: slice(8, 9, null), end: "unseen" },
  ])("accepts no end before a call that only the look returned: $look.rows.0.id", ({ look, end }) => {
    expect(recordOfEnd(look, ...full, last, slice(6, 8, 7, 8)).evidence.end).toBe(end);
  });

  it("does not accept known calls behind a short list as a proof of its end", () => {
    const list = slice(0, 3, 1, 2, 3);
    const { evidence } = recordOfEnd(slice(3, 3, 1, 2, 3), list, list);
    expect(evidence).toMatchObject({ end: "repeated", behind: [{ offset: 3, rows: 3, repeats: 0 }] });
  });

  it("resumes behind offsets that returned no call and forgets the end before them", () => {
    const record = recordOfEnd(slice(8, 20), ...full, last, slice(6, 20, 7, 8));
    record.goOnBehindGap(slice(12, 20, 13, 14, 15, 16));
    expect(record.evidence).toMatchObject({ end: "unseen", gaps: [{ first: 8, last: 11 }], isLinked: false });
  });

  it("accepts a look at the front if the pass was one slice; otherwise only if it shares calls of two keys", () => {
    const one = recordOf(slice(0, 2, 1, 2));
    one.lookBehind(slice(2, 2));
    one.accept(slice(0, 2, 1, 2));
    expect(one.acceptClosing(slice(0, 2, 8, 9))?.isMet).toBe(true);
    const record = recordOf(slice(0, 4, 1, 2, 3, 4));
    expect(record.acceptClosing(slice(0, 4, 8, 9, 10, 11))).toEqual({
      isMet: false,
      met: 0,
      next: 2,
    });
    expect(record.acceptClosing(slice(2, 4, 10, 11))).toEqual({ isMet: false, met: 0, next: 3 });
  });

  it("accepts the front if joined slices of the closing look share enough of its calls", () => {
    const record = new PassRecord({ limit: 12, overlap: 5 });
    record.accept(slice(0, 99, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    expect(record.acceptClosing(slice(0, 99, 1, 2, 3))).toEqual({ isMet: false, met: 3, next: 1 });
    expect(record.acceptClosing(slice(1, 99, 2, 3, 4))).toEqual({ isMet: false, met: 4, next: 2 });
    expect(record.evidence).toMatchObject({ isFrontMet: false, front: { met: 4, needed: 5 } });
    expect(record.acceptClosing(slice(2, 99, 3, 4, 5))).toEqual({ isMet: true, met: 5, next: 3 });
    // The same calls, but the last slice does not join.
    const torn = new PassRecord({ limit: 12, overlap: 5 });
    torn.accept(slice(0, 99, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
    torn.acceptClosing(slice(0, 99, 1, 2, 3));
    expect(torn.acceptClosing(slice(5, 99, 6, 7, 8))).toBe(undefined);
    expect(torn.evidence.isFrontMet).toBe(false);
  });

  it("counts repeated responses by request id, if they have one", () => {
    const named = (requestId?: string): Slice => ({ ...slice(0, 2, 1, 2), requestId });
    expect(recordOf(named(), named()).evidence.repeated).toBe(0);
    expect(recordOf(named("a"), named("b"), named("a"), named("a")).evidence.repeated).toBe(2);
  });

  it("does not treat a call as seen because of a row without an id", () => {
    const record = recordOf(slice(0, 3, 1, null));
    expect(record.hasUnseen(slice(0, 3, 0))).toBe(true);
    expect(record.hasUnseen(slice(0, 3, 1, null))).toBe(false);
    expect(record.evidence.unplaced).toBe(1);
  });
});
