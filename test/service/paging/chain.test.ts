import { describe, expect, it } from "vitest";
import { Chain, HELD_BY_BEING_FIRST } from "../../../src/service/paging/chain.ts";
import type { Row, Slice } from "../../../src/service/paging/slice.ts";

/** A call by its id and the second it started at. */
const at = (id: number | null, second: number): Row => ({
  id,
  started: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
  name: "Website",
});

const slice = (...rows: Row[]): Slice => ({ offset: 0, total: 100, rows });

/** A chain that begins with a slice at the front. */
function startWith(first: Slice): Chain {
  const chain = new Chain();
  chain.add(first, HELD_BY_BEING_FIRST);
  return chain;
}

const names = (chain: Chain) => chain.keys.map(({ name }) => name);

describe("Chain", () => {
  it("keeps the keys by which all rows are sorted, and remembers the call that ended the last one", () => {
    const chain = startWith(slice(at(9, 9), at(8, 8)));
    expect(names(chain).filter((name) => !name.includes("insight"))).toEqual([
      "call_id desc",
      "call_started desc",
    ]);
    chain.add(slice(at(8, 8), at(10, 7)), 0);
    expect(names(chain).filter((name) => !name.includes("insight"))).toEqual(["call_started desc"]);
    expect(chain.outOfPlace).toBeUndefined();
    chain.add(slice(at(7, 7), at(6, 9)), 0);
    expect(chain.keys).toEqual([]);
    expect(chain.outOfPlace).toBe(6);
  });

  it("drops a key when a call lacks one of its members or has changed one", () => {
    const chain = startWith(slice(at(9, 9), at(8, 8), at(7, 7)));
    chain.add(slice(at(8, 6), at(7, 5)), 0);
    expect(names(chain)).toEqual([
      "call_id desc",
      "insight_name desc then call_id desc",
      "insight_name asc then call_id desc",
    ]);
    chain.add(slice({ id: 6, started: null, name: null }), 0);
    expect(names(chain)).toEqual(["call_id desc"]);
  });

  it("checks the order within each slice only: successive slices need not be in order", () => {
    const chain = startWith(slice(at(5, 5), at(4, 4)));
    chain.add(slice(at(9, 9), at(8, 8)), 0);
    expect(names(chain)).toContain("call_started desc");
  });

  it("holds a slice that shares calls of two keys, separately for each key", () => {
    const chain = startWith(slice(at(9, 9), at(8, 8), at(7, 8), at(6, 8)));
    // Two ids, but one start: by start, an unread call may lie between them.
    const tied = chain.findLink(slice(at(7, 8), at(6, 8), at(5, 7)), false);
    expect(tied).toMatchObject({ unseen: 1, known: 2 });
    expect(chain.isProven(tied.held)).toBe(false);
    expect(chain.isHeld(tied, HELD_BY_BEING_FIRST)).toBe(false);
    expect(chain.isLinked(tied.held)).toBe(true);
    const wide = chain.findLink(slice(at(9, 9), at(8, 8), at(7, 8), at(6, 8), at(5, 7)), false);
    expect(chain.isProven(wide.held)).toBe(true);
    expect(chain.isHeld(wide, HELD_BY_BEING_FIRST)).toBe(true);
  });

  it("does not hold a slice under a key under which the slices it joins are not held", () => {
    const chain = startWith(slice(at(9, 9), at(8, 8), at(7, 8), at(6, 8)));
    const tied = slice(at(7, 8), at(6, 8), at(5, 7), at(4, 6));
    chain.add(tied, chain.findLink(tied, false).held);
    // Shares two ids and two starts, but the slice before is not held by start.
    const next = chain.findLink(slice(at(5, 7), at(4, 6), at(3, 5)), false);
    expect(chain.isLinked(next.held)).toBe(true);
    expect(chain.isProven(next.held)).toBe(false);
  });

  it("does not hold a slice by start when only sources distinguish the calls shared with the previous slice", () => {
    const of = (id: number, second: number, name: string): Row => ({ ...at(id, second), name });
    const [b, c] = [of(7, 8, "B"), of(6, 8, "C")];
    const chain = startWith(slice(of(9, 9, "A"), of(8, 8, "A"), b, c));
    const tied = slice(b, c, of(5, 7, "C"), of(4, 6, "C"));
    chain.add(tied, chain.findLink(tied, false).held);
    const next = chain.findLink(slice(of(5, 7, "C"), of(4, 6, "C"), of(3, 5, "C")), false);
    expect(names(chain)).toContain("call_started desc");
    expect(chain.isProven(next.held)).toBe(false);
  });

  it("does not hold a slice by a call without a known place, before or now", () => {
    const rejected = (row: Row): Row => ({ ...row, isRejected: true });
    const front = [at(9, 9), at(8, 8)] as const;
    const now = slice(...front, at(7, 7));
    const proves = (before: Slice, after: Slice) => {
      const chain = startWith(before);
      return chain.isProven(chain.findLink(after, false).held);
    };
    expect(proves(slice(...front), now)).toBe(true);
    expect(proves(slice(front[0], rejected(front[1])), now)).toBe(false);
    expect(proves(slice(...front), slice(front[0], rejected(front[1]), at(7, 7)))).toBe(false);
    expect(startWith(now).countEqualAtEnd([at(null, 1), rejected(at(2, 2))])).toBe(0);
  });

  it("does not hold a slice by calls of a slice that is not held itself", () => {
    const chain = startWith(slice(at(9, 9), at(8, 8)));
    const lost = chain.findLink(slice(at(5, 5), at(4, 4), at(3, 3)), false);
    expect(lost).toEqual({ held: 0, unseen: 3, known: 0 });
    chain.add(slice(at(5, 5), at(4, 4), at(3, 3)), lost.held);
    const next = chain.findLink(slice(at(4, 4), at(3, 3), at(2, 2)), false);
    expect(next).toEqual({ held: 0, unseen: 1, known: 2 });
    // But it shares calls with the slice before, which is the best available.
    expect(chain.isHeld(next, 0)).toBe(true);
  });

  it("counts calls at the end whose keys are equal, and ignores rows without an id", () => {
    const chain = startWith(slice(at(9, 9), at(8, 8)));
    expect(chain.countEqualAtEnd([at(9, 9), at(8, 8), at(7, 8), at(null, 1)])).toBe(3);
    expect(chain.countEqualAtEnd([])).toBe(0);
  });

  it("counts calls that left their place although their neighbours are still there", () => {
    const before = [at(9, 9), at(8, 8), at(7, 7), at(6, 6)];
    const chain = startWith(slice(...before));
    const later = (...rows: Row[]) => ({ ...slice(...rows), offset: 1 });
    expect(chain.countVanished(before, later(at(8, 8), at(6, 6), at(5, 5)))).toBe(1);
    expect(chain.countVanished(before, later(at(7, 7), at(6, 6), at(5, 5)))).toBe(0);
    expect(chain.countVanished(before, slice())).toBe(0);
    // What preceded the first call may be on the page before, unless there is none.
    expect(chain.countVanished(before, slice(at(7, 7), at(6, 6), at(5, 5)))).toBe(2);
    // What followed the last call may be on the next page, unless there is none.
    expect(chain.countVanished(before, later(at(8, 8)))).toBe(0);
    expect(chain.countVanished(before, { ...later(at(8, 8)), total: 2 })).toBe(2);
  });

  it("remembers the first slices and the latest, and forgets those in the middle", () => {
    const chain = new Chain();
    const page = (index: number) => slice(at(1000 - 2 * index, 0), at(999 - 2 * index, 0));
    for (let index = 0; index < 200; index++) chain.add(page(index), HELD_BY_BEING_FIRST);
    expect([0, 3, 199, 170].map((index) => chain.findLink(page(index), false).known)).toEqual([2, 2, 2, 2]);
    expect([4, 100].map((index) => chain.findLink(page(index), false).known)).toEqual([0, 0]);
  });
});
