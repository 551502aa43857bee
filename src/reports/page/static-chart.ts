import type { EChartsOption } from "echarts";
import { init } from "echarts/dist/echarts.esm.min.mjs";
import { type ChartOptions, drawSvg } from "../../base/text/static-svg.ts";

/** Widths of a chart in its own units, which the page scales: on a wide screen or paper, and on a phone. */
export const WIDE = 960;
export const NARROW = 420;

export function drawChart(option: EChartsOption, options: ChartOptions): string {
  const textStyle = { color: "var(--ink)", fontFamily: "system-ui, sans-serif", fontSize: 14 };
  return drawSvg(init, { textStyle, ...option }, options);
}
