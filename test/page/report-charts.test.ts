import { describe, expect, it } from "vitest";
import { drawBars } from "../../src/page/report-charts.ts";
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
