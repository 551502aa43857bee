import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { namesOf } from "../../src/base/records.ts";
import { type Calls, MARKS, NO_DURATION } from "../../src/figures/calls.ts";
import { groups, runSteps } from "../../src/figures/groups.ts";
import { draws } from "../support/draws.ts";

interface DrawnCall {
  group: number;
  marks: number;
  duration: number | null;
  start: number | null;
  caller: number;
}

const SIZE = 5;
/** The marks that calls of each count have. */
const MARKED = {
  calls: [],
  answered_calls: ["answered"],
  missed_calls: ["missed"],
  other_calls: ["other"],
  qualified_calls: ["qualified"],
  first_calls: ["first"],
  calls_in_hours: ["in_hours"],
  answered_in_hours: ["in_hours", "answered"],
  missed_in_hours: ["in_hours", "missed"],
} as const;
const COUNTS = namesOf(MARKED);
const PARTS = [
  ...COUNTS,
  ...([
    "callers",
    "duration_count",
    "duration_sum",
    "duration_median",
    "earliest_start",
    "latest_start",
  ] as const),
];

const toColumns = (calls: readonly DrawnCall[]): Calls => ({
  rows: calls.length,
  marks: Uint8Array.from(calls, ({ marks }) => marks),
  durations: Int32Array.from(calls, ({ duration }) => duration ?? NO_DURATION),
  startsMs: Float64Array.from(calls, ({ start }) => start ?? Number.NaN),
  callers: Int32Array.from(calls, ({ caller }) => caller),
  maxCaller: 7,
});

/** Computes a group's parts one after the other. */
function expectedOf(calls: readonly DrawnCall[]) {
  const durations = calls.flatMap(({ duration }) => duration ?? []).sort((a, b) => a - b);
  const starts = calls.flatMap(({ start }) => start ?? []);
  const middle = [Math.floor, Math.ceil].map((round) => durations[round((durations.length - 1) / 2)] ?? 0);
  const [lower = 0, upper = 0] = middle;
  const known = <T>(list: readonly T[], value: number) => (list.length === 0 ? Number.NaN : value);
  return {
    ...Object.fromEntries(
      COUNTS.map((part) => [
        part,
        calls.filter(({ marks }) => MARKED[part].every((mark) => (marks & MARKS[mark]) > 0)).length,
      ]),
    ),
    callers: new Set(calls.flatMap(({ caller }) => (caller === 0 ? [] : [caller]))).size,
    duration_count: durations.length,
    duration_sum: known(
      durations,
      durations.reduce((sum, each) => sum + each, 0),
    ),
    duration_median: known(durations, (lower + upper) / 2),
    earliest_start: known(starts, Math.min(...starts)),
    latest_start: known(starts, Math.max(...starts)),
  };
}

describe("groups", () => {
  it("computes the parts of each group like a loop over its calls, whatever their order and size", () => {
    const call: fc.Arbitrary<DrawnCall> = fc.record({
      // The third group has none.
      group: fc.constantFrom(0, 1, 3, 4, 4, 4),
      marks: fc.constantFrom(0, ...Object.values(MARKS), MARKS.in_hours + MARKS.missed, 63),
      duration: fc.option(fc.integer({ min: 0, max: 90 })),
      start: fc.option(fc.integer({ min: 1000, max: 1090 })),
      caller: fc.nat(7),
    });
    let most = 0;
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60, size: "max" }), (calls) => {
        const grouping = { of: Int32Array.from(calls, ({ group }) => group), size: SIZE };
        const found = runSteps(groups(toColumns(calls), grouping, PARTS));
        for (let group = 0; group < SIZE; group++) {
          const own = calls.filter((each) => each.group === group);
          most = Math.max(most, own.length);
          expect(Object.fromEntries(PARTS.map((part) => [part, found[part]?.[group]]))).toEqual(
            expectedOf(own),
          );
        }
      }),
      { numRuns: draws(400) },
    );
    // Larger groups are sorted in another way.
    expect(most).toBeGreaterThan(16);
  });
});
