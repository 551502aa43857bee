import { describe, expect, it } from "vitest";
import { PAGE_STYLE } from "../../../src/reports/page/page-style.ts";
import {
  drawBars,
  findHighest,
  heatOfCounts,
  heatOfShares,
  toChannelSeries,
} from "../../../src/reports/page/report-charts.ts";
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

describe("heatOfCounts", () => {
  const heatOf = (...counts: number[]) => {
    const { steps, cells } = heatOfCounts(new Map(counts.map((count, index) => [String(index), count])));
    return {
      steps: steps.map(({ text, color }) => `${text} ${color}`),
      cells: [...cells.values()].map((step) => steps[step]?.text),
    };
  };

  it("divides counts up to the maximum into six steps, and 0", () => {
    expect(heatOf(0, 13, 5, 2, 3)).toEqual({
      steps: [
        "0 var(--h0)",
        "1–2 var(--h1)",
        "3–4 var(--h2)",
        "5–6 var(--h3)",
        "7–8 var(--h4)",
        "9–10 var(--h5)",
        "11–13 var(--h6)",
      ],
      cells: ["0", "11–13", "5–6", "1–2", "3–4"],
    });
  });

  it("returns a step for each count if there are few, and one step if there are none", () => {
    expect(heatOf(3).steps).toEqual(["0 var(--h0)", "1 var(--h2)", "2 var(--h4)", "3 var(--h6)"]);
    expect(heatOf().steps).toEqual(["0 var(--h0)", "1 var(--h6)"]);
  });
});

describe("heatOfShares", () => {
  it.each([
    { part: 9, whole: 9, text: "fewer than 10 calls" },
    { part: 0, whole: 10, text: "under 10%" },
    { part: 99, whole: 1000, text: "under 10%" },
    { part: 1, whole: 10, text: "10–20%" },
    { part: 3, whole: 10, text: "30–40%" },
    { part: 499, whole: 1000, text: "40–50%" },
    { part: 5, whole: 10, text: "50% or more" },
    { part: 10, whole: 10, text: "50% or more" },
  ])("shows $part of $whole calls as $text", ({ part, whole, text }) => {
    const { steps, cells } = heatOfShares(new Map([["Monday 08", { part, whole }]]));
    expect(steps[cells.get("Monday 08") ?? -1]?.text).toBe(text);
  });
});

describe("findHighest", () => {
  const usual = Array.from({ length: 60 }, (_, hour) => [`h${hour}`, { part: 3, whole: 12 }] as const);

  it.each([
    { part: 7, whole: 12, found: undefined }, // beyond chance for one hour, but not for the highest of 61
    { part: 12, whole: 12, found: "busy" },
    { part: 9, whole: 9, found: undefined }, // too few calls
    { part: 0, whole: 100, found: undefined }, // lower
  ])("finds $found for $part of $whole calls among 60 hours with 3 of 12", ({ part, whole, found }) => {
    expect(findHighest(new Map([...usual, ["busy", { part, whole }]]))?.[0]).toBe(found);
  });

  it("finds the highest of several shares, whatever their number of calls and their order", () => {
    const high: [string, { part: number; whole: number }][] = [
      ["most calls", { part: 90, whole: 150 }],
      ["highest", { part: 19, whole: 20 }],
      ["between", { part: 40, whole: 44 }],
    ];
    for (const shares of [high, high.toReversed()])
      expect(findHighest(new Map(shares.concat(usual.map(([hour, share]) => [hour, share]))))).toEqual([
        "highest",
        { part: 19, whole: 20 },
      ]);
  });
});

describe("colours of the page", () => {
  it.each(["light", "dark"])("each colour has one meaning: %s", (scheme) => {
    const [light = "", dark = ""] = PAGE_STYLE.split("@media screen and (prefers-color-scheme: dark)");
    const text = scheme === "light" ? light : dark.slice(0, dark.indexOf("* {"));
    const meanings =
      /--((?:answered|missed|other|first-call|called-before|doubt|channel-\d|[hm][1-6])): (#\w+);/g;
    const colors = [...text.matchAll(meanings)].map(([, , color]) => color);
    expect(colors).toHaveLength(6 + 8 + 6 + 6);
    expect(new Set(colors).size).toBe(colors.length);
  });
});
