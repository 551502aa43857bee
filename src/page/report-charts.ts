import type { EChartsOption } from "echarts";
import { formatCount } from "../base/quantity-text.ts";
import type { ReportFigures } from "./report-figures.ts";
import { type ChartOptions, drawChart, NARROW } from "./static-chart.ts";

export interface Series {
  name: string;
  /** Number of a page colour: `var(--c1)`. */
  color: number;
  values: readonly number[];
}

/** The page's colours for parts of a whole; further parts share the last, which is grey. */
const COLORS = 8;
/** Bars narrower than this many units, gap included, have no gap between their parts. */
const MIN_WITH_GAPS = 7;
const HEAT_STEPS = 6;

export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
export const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));

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
        color: `var(--c${color})`,
        ...(width / categories.length >= MIN_WITH_GAPS && { borderColor: "var(--paper)", borderWidth: 1 }),
      },
      emphasis: { disabled: true },
    })),
  };
  return drawChart(option, { width, height: 280, label });
}

/** Draws the week by hours: the darker a field (in dark mode, the lighter), the more. */
export function drawWeek(cells: ReadonlyMap<string, number>, { width, label }: PictureOptions): string {
  const isNarrow = width <= NARROW;
  const option: EChartsOption = {
    grid: { left: isNarrow ? 44 : 96, right: 8, top: 4, bottom: 28 },
    xAxis: { type: "category", data: HOURS, ...axis, axisLabel: { ...axisLabel, interval: 1 } },
    yAxis: {
      type: "category",
      data: WEEKDAYS.map((day) => (isNarrow ? day.slice(0, "Mon".length) : day)),
      inverse: true,
      ...axis,
      axisLabel,
    },
    visualMap: {
      show: false,
      type: "piecewise",
      pieces: [
        { value: 0, color: "var(--h0)" },
        ...heatSteps(cells).map(({ from, to, color }) => ({ min: from, max: to, color })),
      ],
    },
    series: [
      {
        type: "heatmap",
        data: WEEKDAYS.flatMap((weekday, row) =>
          HOURS.map((hour, column) => [column, row, cells.get(`${weekday} ${hour}`) ?? 0]),
        ),
        itemStyle: { borderColor: "var(--paper)", borderWidth: 2 },
        emphasis: { disabled: true },
      },
    ],
  };
  return drawChart(option, { width, height: 260, label });
}

export type HeatStep = ReturnType<typeof heatSteps>[number];

/** Returns the steps of {@link drawWeek} without 0, lowest first; fewer if all numbers are small. */
export function heatSteps(cells: ReadonlyMap<string, number>) {
  const most = Math.max(1, ...cells.values());
  const count = Math.min(HEAT_STEPS, most);
  const endOf = (step: number) => Math.floor((most * step) / count);
  return Array.from({ length: count }, (_, step) => ({
    from: endOf(step) + 1,
    to: endOf(step + 1),
    color: `var(--h${Math.ceil(((step + 1) * HEAT_STEPS) / count)})`,
  }));
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
  const series = led.map((name, index) => ({ name, color: index + 1, values: valuesOf(name) }));
  if (isAll) return series;
  const others = names.slice(COLORS - 1).map(valuesOf);
  const values = periods.map((_, index) => others.reduce((sum, of) => sum + (of[index] ?? 0), 0));
  return [...series, { name: `${others.length} others`, color: COLORS, values }];
}
