import fc from "fast-check";
import { expect, it } from "vitest";
import { formatChange, formatFigure } from "../../../src/features/explore/browser/format.ts";
import { changeOf } from "../../../src/figures/comparison.ts";
import { metrics } from "../../../src/figures/metrics.ts";
import * as page from "../../../src/reports/page/figure-text.ts";

const [CALLS, RATE] = metrics({ duration_unit: "seconds", hours: undefined }).filter(
  ({ name }) => name === "calls" || name === "answer_rate",
);
if (CALLS === undefined || RATE === undefined) throw new Error("A figure is missing");

const share = (most: number) =>
  fc
    .integer({ min: 1, max: most })
    .chain((whole) => fc.record({ whole: fc.constant(whole), part: fc.integer({ min: 0, max: whole }) }));

function rowOf(now: { part: number; whole: number }, before: { part: number; whole: number }) {
  const rate = ({ part, whole }: { part: number; whole: number }) =>
    Math.round((10_000 * part) / whole) / 10_000;
  return {
    calls: now.whole,
    calls_previous: before.whole,
    calls_change: changeOf({}, now.whole, before.whole),
    answered_calls: now.part,
    answered_calls_previous: before.part,
    answer_rate: rate(now),
    answer_rate_previous: rate(before),
    answer_rate_change: rate(now) - rate(before),
  };
}

it("writes rates and changes as the page of charts does", () => {
  fc.assert(
    fc.property(share(200_000), share(200_000), (now, before) => {
      const row: Record<string, number | null> = rowOf(now, before);
      const read = (name: string) => row[name] ?? null;
      expect(formatFigure(RATE, read)).toBe(page.formatAnswerRate(row));
      expect(formatFigure(RATE, read, "_previous")).toBe(page.formatAnswerRate(row, "_previous"));
      expect(formatChange(RATE, read)).toBe(page.formatPoints(row));
      expect(formatChange(CALLS, read)).toBe(page.formatChange(row, "calls"));
    }),
    { numRuns: 2000 },
  );
});

it("rounds a rate once, also of a row that has only the calls it is of", () => {
  fc.assert(
    fc.property(share(9_999), (now) => {
      const { answered_calls: _, ...row } = rowOf(now, now);
      const known: Record<string, number | null> = row;
      expect(formatFigure(RATE, (name) => known[name] ?? null)).toBe(
        page.formatAnswerRate({ calls: now.whole, answered_calls: now.part }),
      );
    }),
    { numRuns: 2000 },
  );
});
