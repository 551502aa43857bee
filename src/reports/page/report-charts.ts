import type { EChartsOption } from "echarts";
import { isShareWithinChance, type Share, WITHIN_CHANCE } from "../../base/chance.ts";
import { inOrderOfWeek } from "../../base/text/locale.ts";
import { formatCount } from "../../base/text/quantity-text.ts";
import type { ChartOptions } from "../../base/text/static-svg.ts";
import { weekChart } from "../../export/letterhead/week-chart.ts";
import { WEEKDAYS } from "../../figures/dimensions.ts";
import type { ReportFigures } from "./report-figures.ts";
import { drawChart, NARROW } from "./static-chart.ts";

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
const HEAT_STEPS = 6;
/** Shares of fewer calls would be mostly chance. */
const CALLS_FOR_SHARE = 10;

export function weekdays(): string[] {
  return inOrderOfWeek(WEEKDAYS);
}

/** The axis is drawn over the bars' edges. */
const axis = { axisLine: { lineStyle: { color: "var(--line)" } }, axisTick: { show: false }, z: 3 };
const axisLabel = { color: "var(--ink)", fontSize: 14 };
const LINE_HEIGHT = 20;

type PictureOptions = Omit<ChartOptions, "height"> & {
  /** Of the x axis. */
  axisName?: string | undefined;
};

export function drawBars(
  categories: readonly string[],
  series: readonly Series[],
  { width, label, axisName }: PictureOptions,
): string {
  const lines = Math.max(...categories.map((category) => category.split("\n").length));
  const bottom = 8 + LINE_HEIGHT * (lines + (axisName === undefined ? 0 : 1));
  const option: EChartsOption = {
    grid: { left: 56, right: 8, top: 12, bottom },
    xAxis: {
      type: "category",
      data: [...categories],
      ...axis,
      axisLabel: {
        ...axisLabel,
        ...(lines === 1 ? { hideOverlap: true } : { interval: 0, fontSize: width <= NARROW ? 12 : 14 }),
      },
      ...(axisName !== undefined && { name: axisName }),
      nameLocation: "middle",
      nameGap: 12 + LINE_HEIGHT * lines,
      nameTextStyle: axisLabel,
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

/** What the fields of a week show: for each weekday and hour, the index of its step. */
export interface Heat {
  /** The first is that of fields without a value. */
  steps: readonly { text: string; color: string }[];
  cells: ReadonlyMap<string, number>;
}

export function drawWeek({ steps, cells }: Heat, { width, label }: PictureOptions): string {
  const isNarrow = width <= NARROW;
  const days = weekdays().map((name) => ({ name, shown: isNarrow ? name.slice(0, "Mon".length) : name }));
  const grid = { left: isNarrow ? 44 : 96, right: 8, top: 4, bottom: 28 };
  const colors = steps.map(({ color }) => color);
  const option = weekChart({ days, cells, colors, grid, axis, axisLabel, hourLabel: { interval: 1 } });
  return drawChart(option, { width, height: 260, label });
}

/** Divides counts into six steps of equal width, or one for each number if all are small. */
export function heatOfCounts(counts: ReadonlyMap<string, number>): Heat {
  const most = Math.max(1, ...counts.values());
  const steps = Math.min(HEAT_STEPS, most);
  const ends = Array.from({ length: steps + 1 }, (_, step) => Math.floor((most * step) / steps));
  return {
    steps: ends.map((end, step) => {
      const from = step === 0 ? 0 : (ends[step - 1] ?? 0) + 1;
      const text = from === end ? formatCount(end) : `${formatCount(from)}–${formatCount(end)}`;
      return { text, color: `var(--h${Math.ceil((step * HEAT_STEPS) / steps)})` };
    }),
    cells: new Map([...counts].map(([key, count]) => [key, ends.findIndex((end) => count <= end)])),
  };
}

/** Divides shares into the same steps on each page; those of too few calls have none. */
export function heatOfShares(shares: ReadonlyMap<string, Share>): Heat {
  const stepOf = ({ part, whole }: Share) =>
    whole < CALLS_FOR_SHARE ? 0 : 1 + Math.min(HEAT_STEPS - 1, Math.floor((10 * part) / whole));
  const texts = [
    `fewer than ${CALLS_FOR_SHARE} calls`,
    "under 10%",
    "10–20%",
    "20–30%",
    "30–40%",
    "40–50%",
    "50% or more",
  ];
  return {
    steps: texts.map((text, step) => ({ text, color: step === 0 ? "var(--h0)" : `var(--m${step})` })),
    cells: new Map([...shares].map(([key, share]) => [key, stepOf(share)])),
  };
}

/**
 * Finds the share that is farthest above that of everything else, if chance does not explain it although it is the
 * highest of many.
 */
export function findHighest(shares: ReadonlyMap<string, Share>): [key: string, share: Share] | undefined {
  const add = (name: keyof Share) => [...shares.values()].reduce((sum, share) => sum + share[name], 0);
  const all = { part: add("part"), whole: add("whole") };
  const known = [...shares].filter(([, { whole }]) => whole >= CALLS_FOR_SHARE);
  const isAbove = ({ part, whole }: Share) =>
    part * all.whole > all.part * whole &&
    !isShareWithinChance(
      { part, whole },
      { part: all.part - part, whole: all.whole - whole },
      WITHIN_CHANCE / known.length,
    );
  return known
    .filter(([, share]) => isAbove(share))
    .toSorted(([, a], [, b]) => b.part * a.whole - a.part * b.whole)[0];
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
