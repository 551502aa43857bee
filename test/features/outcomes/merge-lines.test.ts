import { describe, expect, it } from "vitest";
import { type JobLine, mergeLines } from "../../../src/features/outcomes/merge-lines.ts";

/** Lines of one job, from line 11 on; no two values of a line are equal. */
const linesOf = (...parts: readonly Partial<JobLine>[]): JobLine[] =>
  parts.map((part, index) => ({
    job: 101 + index,
    file: 2,
    line: 11 + index,
    call_id: 1001 + index,
    caller_id: 71,
    day: `2026-10-${25 - index}`,
    stage: "sold",
    is_refund: 0,
    amount_micros: 5_000_000 + index,
    ...part,
  }));

function mergedOf(lines: readonly JobLine[], rule?: "add" | "once") {
  const merged = mergeLines(lines, rule);
  if ("equal" in merged) return { equal: merged.equal.map(({ line }) => line) };
  const { first, stage, amount_micros, repeated } = merged;
  return { first: first?.line, stage, amount_micros, repeated: repeated.map(({ line }) => line) };
}

describe("mergeLines", () => {
  it.each([
    [undefined, { equal: [12, 14] }],
    ["add", { amount_micros: 31n, repeated: [] }],
    ["once", { amount_micros: 17n, repeated: [14, 15] }],
  ] as const)("reads equal amounts by the rule %j", (rule, expected) => {
    const lines = linesOf(...[10, 7, 0, 7, 7, 0, null].map((amount_micros) => ({ amount_micros })));
    expect(mergedOf(lines, rule)).toMatchObject(expected);
  });

  it("adds up amounts that differ and zeros without a rule; no amounts have no sum", () => {
    const sumOf = (...all: readonly (number | null)[]) =>
      mergedOf(linesOf(...all.map((amount_micros) => ({ amount_micros })))).amount_micros;
    expect(sumOf(10, 0, null, 3, 0)).toBe(13n);
    expect(sumOf(null, null)).toBeNull();
    expect(sumOf(null, 0)).toBe(0n);
  });

  it.each<[string, Partial<JobLine>[], number]>([
    ["the earliest day", [{}, {}, {}], 13],
    ["the first of equal days", [{ day: "2026-10-20" }, { day: "2026-10-20" }], 11],
    ["a line without a day before all days", [{}, { day: null }, {}], 12],
    ["a line with a call before an earlier one without", [{}, { call_id: 8 }, { call_id: null }], 12],
    ["the earliest day if no line has a call", [{ call_id: null }, { call_id: null }], 12],
    ["a line that earned before an earlier refund", [{}, { is_refund: 1 }], 11],
    ["the earliest refund if all are refunds", [{ is_refund: 1 }, { is_refund: 1 }], 12],
  ])("takes call and day from %s", (_, parts, line) => {
    expect(mergedOf(linesOf(...parts))).toMatchObject({ first: line });
  });

  it.each<[string, Partial<JobLine>[], { first: number | undefined; stage: string }]>([
    ["one stage", [{ stage: "booked" }, { stage: "booked" }], { first: 12, stage: "booked" }],
    ["two stages", [{ stage: "booked" }, { stage: "sold" }], { first: undefined, stage: "booked" }],
    ["a refund of another stage", [{ stage: "lost", is_refund: 1 }, {}], { first: 12, stage: "sold" }],
    ["a refund alone", [{ stage: "lost", is_refund: 1 }], { first: 11, stage: "lost" }],
    ["two callers", [{ caller_id: 71 }, { caller_id: 72 }], { first: undefined, stage: "sold" }],
    [
      "a refund of another caller",
      [{}, { caller_id: 72, is_refund: 1 }],
      { first: undefined, stage: "sold" },
    ],
    [
      "one call without a caller",
      [9, 9].map((call_id) => ({ call_id, caller_id: null })),
      { first: 12, stage: "sold" },
    ],
    [
      "two calls without a caller",
      [{ caller_id: null }, { caller_id: null }],
      { first: undefined, stage: "sold" },
    ],
  ])("lines agree on caller and stage, or contradict each other: %s", (_, parts, expected) => {
    expect(mergedOf(linesOf(...parts))).toMatchObject(expected);
  });

  it("does not ask about equal amounts of lines that contradict each other", () => {
    const lines = linesOf({ amount_micros: 7, caller_id: 71 }, { amount_micros: 7, caller_id: 72 });
    expect(mergedOf(lines)).toMatchObject({ first: undefined, repeated: [] });
  });
});
