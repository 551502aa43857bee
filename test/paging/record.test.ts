import { describe, expect, it } from "vitest";
import { PassRecord } from "../../src/paging/record.ts";
import type { Row, Slice } from "../../src/paging/slice.ts";

const call = (id: number | null): Row => ({ id, started: null, name: null });
const slice = (offset: number, total: number, ...ids: (number | null)[]): Slice => ({
  offset,
  total,
  rows: ids.map(call),
});

/** The record of a pass that has read such slices. */
function recordOf(...slices: Slice[]): PassRecord {
  const record = new PassRecord({ limit: 4, overlap: 2, sort: "own" });
  for (const slice of slices) record.accept(slice);
  return record;
}

describe("PassRecord", () => {
  it("finds beyond its last slice the tail of that, more, or nothing", () => {
    const record = recordOf(slice(0, 6, 1, 2, 3, 4), slice(2, 6, 3, 4, 5, 6));
    expect(record.lookBeyond(slice(6, 6))).toBe("nothing");
    expect(record.lookBeyond(slice(6, 8, 5, 6))).toBe("its tail");
    expect(record.lookBeyond(slice(6, 7, 6))).toBe("its tail");
    expect(record.lookBeyond(slice(6, 8, 6, 7))).toBe("more");
    // One of two is where it was, the other is new.
    expect(record.lookBeyond(slice(6, 8, 9, 6))).toBe("more");
    expect(record.lookBeyond(slice(6, 8, 5, 9))).toBe("more");
    expect(record.lookBeyond(slice(6, 10, 3, 4, 5, 6))).toBe("more");
  });

  it("takes a look at the front for the whole list only where it is of the front, of at most two calls, and all", () => {
    const isMet = (slice: Slice, end?: "disputed") => {
      const record = recordOf({ ...slice, offset: 0, rows: [call(7)] });
      if (end !== undefined) record.noteEnd(end);
      return record.acceptClosing(slice)?.isMet;
    };
    expect(isMet(slice(0, 2, 8, 9))).toBe(true);
    expect(isMet(slice(0, 3, 8, 9))).toBe(false);
    expect(isMet(slice(0, 3, 8, 9), "disputed")).toBe(true);
    expect(isMet(slice(0, 3, 8, 9, 10))).toBe(false);
    const record = recordOf(slice(0, 4, 1, 2, 3, 4));
    expect(record.acceptClosing(slice(0, 4, 8, 9, 10, 11))).toEqual({ isMet: false, next: 2 });
    expect(record.acceptClosing(slice(2, 4, 10, 11))).toEqual({ isMet: false, next: 2 });
  });

  it("counts responses by their ids, of those that have one", () => {
    const named = (requestId?: string): Slice => ({ ...slice(0, 2, 1, 2), requestId });
    expect(recordOf(named(), named()).evidence.repeated).toBe(0);
    expect(recordOf(named("a"), named("b"), named("a"), named("a")).evidence.repeated).toBe(2);
  });

  it("does not take a call for one that it met, because of a row without an id", () => {
    const record = recordOf(slice(0, 3, 1, null));
    expect(record.hasUnseen(slice(0, 3, 0))).toBe(true);
    expect(record.hasUnseen(slice(0, 3, 1, null))).toBe(false);
    expect(record.evidence.unplaced).toBe(1);
  });
});
