import type { EChartsOption } from "echarts";
import { BarChart, HeatmapChart, LineChart } from "echarts/charts";
import { GridComponent, VisualMapComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import { type ChartOptions, drawSvg } from "../../../base/text/static-svg.ts";
import { periodLabels } from "../../../export/sections/charts.ts";
import { type Heat, weekdayNames, weekOption } from "../../../export/sections/week.ts";
import { HOURS } from "../../../figures/dimensions.ts";
import { formatTick } from "../../../figures/figure-text.ts";
import type { Measure } from "../../../figures/rollup-query.ts";
import { isAlike, type TimePoint } from "./answers.ts";

use([BarChart, LineChart, HeatmapChart, GridComponent, VisualMapComponent, SVGRenderer]);

export const CHART_SIDES = { left: 64, right: 12 };
const axis = { axisLine: { lineStyle: { color: "var(--line)" } }, axisTick: { show: false } };
const axisLabel = { color: "var(--faint)", fontSize: 13 };

function draw(option: EChartsOption, options: ChartOptions): string {
  return drawSvg(init, { textStyle: { fontFamily: "system-ui, sans-serif" }, ...option }, options);
}

/** @param chosen the index of the period that is chosen */
export function drawTime(
  points: readonly TimePoint[],
  { metric, chosen, ...options }: ChartOptions & { metric: Measure; chosen: number | undefined },
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
        data: periodLabels(points.map(({ period }) => period)),
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
          formatter: (value: number) => formatTick(metric, value),
        },
      },
      series: [
        { type: "bar", data: bars, barCategoryGap: "30%", itemStyle: { borderRadius: [2, 2, 0, 0] } },
        {
          type: "line",
          data: points.map((point) => (isAlike(point) ? point.before : null)),
          symbol: points.length === 1 ? "circle" : "none",
          lineStyle: { color: "var(--before)", width: 2 },
          itemStyle: { color: "var(--before)" },
        },
      ],
    },
    options,
  );
}

const WEEK_SIDES = { left: 56, right: 12, top: 4, bottom: 28 };

export function drawWeek(heat: Heat, options: ChartOptions): string {
  const look = { grid: WEEK_SIDES, axis, axisLabel, hourLabel: { hideOverlap: true } };
  return draw(weekOption(heat, look), options);
}

/** Returns the weekday and the hour at a place of {@link drawWeek}. */
export function weekHourAt(
  { x, y }: { x: number; y: number },
  { width, height }: Pick<ChartOptions, "width" | "height">,
) {
  const { left, right, top, bottom } = WEEK_SIDES;
  const hour = HOURS[Math.floor(((x - left) / (width - left - right)) * HOURS.length)];
  const days = weekdayNames();
  const weekday = days[Math.floor(((y - top) / (height - top - bottom)) * days.length)];
  return hour === undefined || weekday === undefined ? undefined : { weekday, hour };
}
