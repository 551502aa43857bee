import type { EChartsOption } from "echarts";
import { BarChart, HeatmapChart, LineChart } from "echarts/charts";
import { GridComponent, VisualMapComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { staticSvg } from "../../../base/static-svg.ts";
import type { Metric } from "../../../figures/metrics.ts";
import type { TimePoint } from "./answers.ts";
import { formatFigure, formatPeriod } from "./format.ts";

use([BarChart, LineChart, HeatmapChart, GridComponent, VisualMapComponent, SVGRenderer]);

export const CHART_SIDES = { left: 64, right: 12 };
const axis = { axisLine: { lineStyle: { color: "var(--line)" } }, axisTick: { show: false } };
const axisLabel = { color: "var(--faint)", fontSize: 13 };

interface Size {
  width: number;
  height: number;
}

/** Draws an SVG element without styles and scripts, which the policy of the page forbids. */
function draw(option: EChartsOption, { width, height }: Size, label: string): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({ animation: false, textStyle: { fontFamily: "system-ui, sans-serif" }, ...option });
    return staticSvg(chart.renderToSVGString({ useViewBox: true }), label);
  } finally {
    chart.dispose();
  }
}

/** @param chosen the index of the period that is chosen */
export function drawTime(
  points: readonly TimePoint[],
  { metric, chosen, label, ...size }: Size & { metric: Metric; chosen: number | undefined; label: string },
): string {
  const bars = points.map(({ now }, index) => ({
    value: now,
    itemStyle: { color: chosen === undefined || chosen === index ? "var(--now)" : "var(--rest)" },
  }));
  return draw(
    {
      grid: { ...CHART_SIDES, top: 12, bottom: 28 },
      xAxis: {
        type: "category",
        data: points.map(({ period }) => formatPeriod(period)),
        ...axis,
        axisLabel: { ...axisLabel, hideOverlap: true },
      },
      yAxis: {
        type: "value",
        splitNumber: 4,
        ...(metric.type === "integer" && { minInterval: 1 }),
        splitLine: { lineStyle: { color: "var(--line)" } },
        axisLabel: {
          ...axisLabel,
          formatter: (value: number) => formatFigure({ ...metric, decimals: 0 }, value),
        },
      },
      series: [
        { type: "bar", data: bars, barCategoryGap: "30%", itemStyle: { borderRadius: [2, 2, 0, 0] } },
        {
          type: "line",
          data: points.map(({ before }) => before),
          symbol: points.length === 1 ? "circle" : "none",
          lineStyle: { color: "var(--before)", width: 2 },
          itemStyle: { color: "var(--before)" },
        },
      ],
    },
    size,
    label,
  );
}
