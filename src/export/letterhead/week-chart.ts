import type { EChartsOption } from "echarts";
import { HOURS } from "../../figures/dimensions.ts";

interface WeekChart {
  /** In the order of the week, as the keys of the cells and as the axis name them. */
  days: readonly { name: string; shown: string }[];
  /** For each weekday and hour, such as `Monday 08`, the index of its color; that of others is 0. */
  cells: ReadonlyMap<string, number>;
  colors: readonly string[];
  grid: { left: number; right: number; top: number; bottom: number };
  axis: { axisLine: object; axisTick: object };
  axisLabel: object;
  /** Of the hours, in addition. */
  hourLabel: object;
}

/** The week by hours: the darker a field (in dark mode, the lighter), the more. */
export function weekChart({
  days,
  cells,
  colors,
  grid,
  axis,
  axisLabel,
  hourLabel,
}: WeekChart): EChartsOption {
  return {
    grid,
    xAxis: { type: "category", data: HOURS, ...axis, axisLabel: { ...axisLabel, ...hourLabel } },
    yAxis: { type: "category", data: days.map(({ shown }) => shown), inverse: true, ...axis, axisLabel },
    visualMap: {
      show: false,
      type: "piecewise",
      pieces: colors.map((color, value) => ({ value, color })),
    },
    series: [
      {
        type: "heatmap",
        data: days.flatMap(({ name }, row) =>
          HOURS.map((hour, column) => [column, row, cells.get(`${name} ${hour}`) ?? 0]),
        ),
        itemStyle: { borderColor: "var(--paper)", borderWidth: 2 },
        emphasis: { disabled: true },
      },
    ],
  };
}
