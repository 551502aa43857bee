import { describe, expect, it } from "vitest";
import { PAGE_STYLE } from "../../../src/reports/page/page-style.ts";
import { drawBars, toChannelSeries } from "../../../src/reports/page/report-charts.ts";
import { NARROW, WIDE } from "../../../src/reports/page/static-chart.ts";

describe("drawBars", () => {
  it.each([WIDE, NARROW])("draws no bar for zero, and the axis over the bars: %i wide", (width) => {
    const values = [0, 3, 0, 5];
    const svg = drawBars(["a", "b", "c", "d"], [{ name: "calls", color: "answered", values }], {
      width,
      label: "Calls",
    });
    const shapes = [...svg.matchAll(/<path [^>]*>/g)].map(([shape]) => shape);
    const bars = shapes.flatMap((shape, index) => (shape.includes("var(--answered)") ? [index] : []));
    expect(bars).toHaveLength(2);
    const lines = shapes.flatMap((shape, index) => (shape.includes('stroke="var(--line)"') ? [index] : []));
    expect(Math.max(...lines)).toBeGreaterThan(Math.max(...bars));
  });
});

describe("toChannelSeries", () => {
  /** That many channels, of which the nth has n calls in the second of two periods. */
  const seriesOf = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `channel ${index + 1}`);
    return toChannelSeries({
      channels: { shown: names.map((channel) => ({ channel })), rest: undefined },
      channelPeriods: names.map((channel, index) => ({ period: "b", channel, calls: index + 1 })),
      periods: [{ period: "a" }, { period: "b" }],
    });
  };

  it("returns a series for each of eight channels", () => {
    expect(seriesOf(8)).toEqual(
      Array.from({ length: 8 }, (_, index) => ({
        name: `channel ${index + 1}`,
        color: `channel-${index + 1}`,
        values: [0, index + 1],
      })),
    );
  });

  it("combines the eighth and all further channels", () => {
    for (const [count, calls] of [
      [9, 8 + 9],
      [11, 8 + 9 + 10 + 11],
    ] as const) {
      const series = seriesOf(count);
      expect(series.slice(0, 7)).toEqual(seriesOf(7));
      expect(series.slice(7)).toEqual([
        { name: `${count - 7} others`, color: "channel-8", values: [0, calls] },
      ]);
    }
  });
});

describe("colours of the page", () => {
  it.each(["light", "dark"])("each colour has one meaning: %s", (scheme) => {
    const blocks = [...PAGE_STYLE.matchAll(/( *):root \{(.*?)\}/gs)];
    const isDark = ([, blanks]: RegExpExecArray) => blanks !== "";
    const text = blocks.flatMap((block) => (isDark(block) === (scheme === "dark") ? block[2] : [])).join("");
    const meanings =
      /--((?:answered|missed|other|first-call|called-before|doubtful|channel-\d|[hm][1-6])): (#\w+);/g;
    const colors = [...text.matchAll(meanings)].map(([, , color]) => color);
    expect(colors).toHaveLength(6 + 8 + 6 + 6);
    expect(new Set(colors).size).toBe(colors.length);
  });
});
