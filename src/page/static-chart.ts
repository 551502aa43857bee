import type { EChartsOption } from "echarts";
import { init } from "echarts/dist/echarts.esm.min.mjs";
import { staticSvg } from "../base/static-svg.ts";

/** Widths of a chart in its own units, which the page scales: on a wide screen or paper, and on a phone. */
export const WIDE = 960;
export const NARROW = 420;

export interface ChartOptions {
  width: number;
  height: number;
  /** What a screen reader says. */
  label: string;
}

/** Draws an SVG element without script and style; the same option gives the same text. */
export function drawChart(option: EChartsOption, { width, height, label }: ChartOptions): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({
      animation: false,
      textStyle: { color: "var(--ink)", fontFamily: "system-ui, sans-serif", fontSize: 14 },
      ...option,
    });
    return staticSvg(chart.renderToSVGString({ useViewBox: true }), label);
  } finally {
    chart.dispose();
  }
}
