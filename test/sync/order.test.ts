import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OrderWitness } from "../../src/sync/order.ts";

const OVERLAP = 3;

/** Shows a witness some slices, by their offset and ids; returns what it says of the last one. */
function observe(...slices: [offset: number, ids: (number | null)[]][]) {
  const witness = new OrderWitness(OVERLAP);
  return slices.map(([offset, ids]) => witness.observe({ offset, total: 1000, ids })).at(-1);
}

const quiet = { fresh: 0, advance: 0, inversionsNear: 0, inversionsFar: 0 };
const FIRST: [number, number[]] = [0, [1, 2, 3, 4, 5, 6]];

describe("OrderWitness", () => {
  it("counts calls not met before, and how far they lead on", () => {
    expect(observe(FIRST)).toEqual({ ...quiet, fresh: 6, advance: 6 });
    expect(observe(FIRST, [4, [5, 6, 7, 8]])).toEqual({ ...quiet, fresh: 2, advance: 2 });
    expect(observe(FIRST, FIRST)).toEqual(quiet);
    expect(observe(FIRST, [0, []])).toEqual(quiet);
  });

  it("counts a call that comes twice in one slice once, and unreadable rows not at all", () => {
    expect(observe([0, [1, null, 1, 2, null]])).toEqual({ ...quiet, fresh: 2, advance: 2 });
  });

  it("counts a call between known ones as new, but not as an advance", () => {
    expect(observe(FIRST, [1, [2, 90, 3, 4]])).toEqual({ ...quiet, fresh: 1 });
    expect(observe(FIRST, [0, [90, 91, 1, 2]])).toEqual({ ...quiet, fresh: 2 });
    expect(observe(FIRST, [1, [2, 90, 3, 91]])).toEqual({ ...quiet, fresh: 2, advance: 1 });
  });

  it.each([
    { title: "of neighbours", ids: [2, 1], near: 1, far: 0 },
    { title: "over the overlap", ids: [4, 1], near: 1, far: 0 },
    { title: "further than the overlap", ids: [5, 1], near: 0, far: 1 },
    { title: "of one call with several", ids: [4, 1, 2, 3], near: 3, far: 0 },
    { title: "of a whole slice, against its furthest call", ids: [6, 5, 4, 3, 2, 1], near: 3, far: 2 },
    { title: "none where calls are left out", ids: [1, 3, 6], near: 0, far: 0 },
  ])("tells calls that changed places: $title", ({ ids, near, far }) => {
    expect(observe(FIRST, [0, ids])).toEqual({ ...quiet, inversionsNear: near, inversionsFar: far });
  });

  it("sees a newcomer change places with calls it was met with", () => {
    const between: [number, number[]] = [1, [2, 90, 3]];
    expect(observe(FIRST, between, [1, [3, 90]])).toEqual({ ...quiet, inversionsNear: 1 });
  });

  it("sees a newcomer at a slice's end change places with known calls that must follow the slice", () => {
    const end: [number, number[]] = [0, [1, 2, 90]];
    expect(observe(FIRST, end)).toEqual({ ...quiet, fresh: 1, advance: 1 });
    expect(observe(FIRST, end, [2, [90, 3, 4]])).toEqual(quiet);
    expect(observe(FIRST, end, [2, [3, 90]])).toEqual({ ...quiet, inversionsNear: 1 });
  });

  it("takes a front of newcomers alone for what lies before all known calls", () => {
    const front: [number, number[]] = [0, [90, 91]];
    expect(observe(FIRST, front)).toEqual({ ...quiet, fresh: 2 });
    expect(observe(FIRST, front, [1, [91, 1, 2]])).toEqual(quiet);
    expect(observe(FIRST, front, [1, [2, 91]])).toEqual({ ...quiet, inversionsNear: 1 });
  });

  it("holds nothing against a newcomer that stands between known calls, in whatever slice it comes", () => {
    expect(observe(FIRST, [1, [2, 90, 3]], [1, [2, 90, 3]])).toEqual(quiet);
    expect(observe(FIRST, [1, [2, 90]], [2, [90, 3, 4]])).toEqual(quiet);
    expect(observe(FIRST, [1, [2, 3, 4, 90, 5]], [3, [4, 90, 5]])).toEqual(quiet);
    expect(observe(FIRST, [0, [90, 1]], [0, [91, 90, 1]], [0, [91, 90, 1]])).toEqual(quiet);
    expect(observe(FIRST, [0, [90, 91, 1]], [0, [90, 91, 92]], [2, [92, 1, 2]])).toEqual(quiet);
  });

  it("is quiet while calls only come and go, whichever joined slices are looked at", () => {
    const step = fc.record({
      kind: fc.constantFrom("insert" as const, "delete" as const),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      from: fc.double({ min: 0, max: 1, noNaN: true }),
      length: fc.integer({ min: 1, max: 12 }),
    });
    let joined = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const witness = new OrderWitness(OVERLAP);
        const calls = Array.from({ length: 30 }, (_, index) => index);
        const met = new Set(calls.slice(0, 10));
        witness.observe({ offset: 0, total: 30, ids: calls.slice(0, 10) });
        let nextId = 1000;
        for (const { kind, at, from, length } of steps) {
          const place = Math.floor(at * calls.length);
          if (kind === "insert") calls.splice(place, 0, nextId++);
          else calls.splice(place, 1);
          const offset = Math.floor(from * calls.length);
          const ids = calls.slice(offset, offset + length);
          if (!ids.some((id) => met.has(id))) continue;
          joined++;
          for (const id of ids) met.add(id);
          const { inversionsNear, inversionsFar } = witness.observe({ offset, total: calls.length, ids });
          expect(inversionsNear + inversionsFar).toBe(0);
        }
      }),
      { numRuns: 2000 },
    );
    expect(joined).toBeGreaterThan(4000);
  });

  it("remembers the first slices and the latest, and forgets those between", () => {
    const witness = new OrderWitness(OVERLAP);
    const show = (offset: number) =>
      witness.observe({ offset, total: 1000, ids: [offset, offset + 1, offset + 2] });
    for (let offset = 0; offset < 200; offset += 2) show(offset);
    expect(show(0)).toEqual(quiet);
    expect(show(6)).toEqual(quiet);
    expect(show(196)).toEqual(quiet);
    expect(show(20).fresh).toBe(3);
  });
});
