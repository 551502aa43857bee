import type { EChartsOption } from "echarts";
import { formatCount } from "../../base/text/quantity-text.ts";
import type { ChartOptions } from "../../base/text/static-svg.ts";
import { type Heat, weekOption } from "../../export/sections/week.ts";
import type { ReportFigures } from "./report-figures.ts";
import { drawChart } from "./static-chart.ts";

export interface Series {
  name: string;
  /** Name of a page colour. No two meanings share one: outcomes, callers and channels each have their own. */
  color: "answered" | "missed" | "other" | "first-call" | "called-before" | `channel-${number}`;
  values: readonly number[];
}

/** The page's colours for channels; further channels share the last. */
const COLORS = 8;
/** Bars narrower than this many units, gap included, have no gap between their parts. */
const MIN_WITH_GAPS = 7;

/** The axis is drawn over the bars' edges. */
const axis = { axisLine: { lineStyle: { color: "var(--line)" } }, axisTick: { show: false }, z: 3 };
const axisLabel = { color: "var(--ink)", fontSize: 14 };

type PictureOptions = Omit<ChartOptions, "height">;

export function drawBars(
  categories: readonly string[],
  series: readonly Series[],
  { width, label }: PictureOptions,
): string {
  const option: EChartsOption = {
    grid: { left: 56, right: 8, top: 12, bottom: 28 },
    xAxis: {
      type: "category",
      data: [...categories],
      ...axis,
      axisLabel: { ...axisLabel, hideOverlap: true },
    },
    yAxis: {
      type: "value",
      minInterval: 1,
      splitLine: { lineStyle: { color: "var(--line)" } },
      axisLabel: { ...axisLabel, formatter: (value: number) => formatCount(value) },
    },
    series: series.map(({ name, color, values }) => ({
      type: "bar",
      name,
      stack: "all",
      data: values.map((value) => value || null), // a bar of 0 would still show its edge
      barCategoryGap: "25%",
      // A gap separates parts for the colour-blind; it would hide bars as thin as itself.
      itemStyle: {
        color: `var(--${color})`,
        ...(width / categories.length >= MIN_WITH_GAPS && { borderColor: "var(--paper)", borderWidth: 1 }),
      },
      emphasis: { disabled: true },
    })),
  };
  return drawChart(option, { width, height: 280, label });
}

export function drawWeek(heat: Heat, { width, label }: PictureOptions): string {
  const grid = { left: 48, right: 8, top: 4, bottom: 28 };
  const option = weekOption(heat, { grid, axis, axisLabel, hourLabel: { interval: 1 } });
  return drawChart(option, { width, height: 260, label });
}

export function toChannelSeries(
  figures: Pick<ReportFigures, "channels" | "channelPeriods" | "periods">,
): Series[] {
  const { channels, channelPeriods, periods } = figures;
  const names = channels.shown.map(({ channel }) => String(channel));
  const isAll = names.length <= COLORS;
  const led = isAll ? names : names.slice(0, COLORS - 1);
  const counts = new Map(
    channelPeriods.map(({ period, channel, calls }) => [`${period}\n${channel}`, Number(calls)]),
  );
  const valuesOf = (name: string) => periods.map(({ period }) => counts.get(`${period}\n${name}`) ?? 0);
  const series = led.map((name, index) => ({ name, color: channelColor(index), values: valuesOf(name) }));
  if (isAll) return series;
  const others = names.slice(COLORS - 1).map(valuesOf);
  const values = periods.map((_, index) => others.reduce((sum, of) => sum + (of[index] ?? 0), 0));
  return [...series, { name: `${others.length} others`, color: channelColor(COLORS - 1), values }];
}

const channelColor = (index: number) => `channel-${index + 1}` as const;
