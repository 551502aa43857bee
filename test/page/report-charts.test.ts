import { describe, expect, it } from "vitest";
import { drawBars, heatSteps, toChannelSeries } from "../../src/page/report-charts.ts";
import { NARROW, WIDE } from "../../src/page/static-chart.ts";

describe("drawBars", () => {
  it.each([WIDE, NARROW])("draws no bar for zero, and the axis over the bars: %i wide", (width) => {
    const values = [0, 3, 0, 5];
    const svg = drawBars(["a", "b", "c", "d"], [{ name: "calls", color: 1, values }], {
      width,
      label: "Calls",
    });
    const shapes = [...svg.matchAll(/<path [^>]*>/g)].map(([shape]) => shape);
    const bars = shapes.flatMap((shape, index) => (shape.includes("var(--c1)") ? [index] : []));
    expect(bars).toHaveLength(2);
    const lines = shapes.flatMap((shape, index) => (shape.includes('stroke="var(--line)"') ? [index] : []));
    expect(Math.max(...lines)).toBeGreaterThan(Math.max(...bars));
  });
});

describe("toChannelSeries", () => {
  /** So many channels, of which the nth has n calls in the second of two periods. */
  const seriesOf = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `channel ${index + 1}`);
    return toChannelSeries({
      channels: { shown: names.map((channel) => ({ channel })), rest: undefined },
      channelPeriods: names.map((channel, index) => ({ period: "b", channel, calls: index + 1 })),
      periods: [{ period: "a" }, { period: "b" }],
    });
  };

  it("has a series for each of eight channels", () => {
    expect(seriesOf(8)).toEqual(
      Array.from({ length: 8 }, (_, index) => ({
        name: `channel ${index + 1}`,
        color: index + 1,
        values: [0, index + 1],
      })),
    );
  });

  it("adds up the eighth and all further channels in one", () => {
    for (const [count, calls] of [
      [9, 8 + 9],
      [11, 8 + 9 + 10 + 11],
    ] as const) {
      const series = seriesOf(count);
      expect(series.slice(0, 7)).toEqual(seriesOf(7));
      expect(series.slice(7)).toEqual([{ name: `${count - 7} others`, color: 8, values: [0, calls] }]);
    }
  });
});

describe("heatSteps", () => {
  const stepsOf = (...values: number[]) =>
    heatSteps(new Map(values.map((value, index) => [String(index), value]))).map(
      ({ from, to, color }) => `${from}-${to} ${color}`,
    );

  it("divides the numbers up to the most into six steps", () => {
    expect(stepsOf(0, 13, 5)).toEqual([
      "1-2 var(--h1)",
      "3-4 var(--h2)",
      "5-6 var(--h3)",
      "7-8 var(--h4)",
      "9-10 var(--h5)",
      "11-13 var(--h6)",
    ]);
  });

  it("has a step for each number where they are few, and one where there are none", () => {
    expect(stepsOf(3)).toEqual(["1-1 var(--h2)", "2-2 var(--h4)", "3-3 var(--h6)"]);
    expect(stepsOf()).toEqual(["1-1 var(--h6)"]);
  });
});
