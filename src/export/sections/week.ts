import type { EChartsOption } from "echarts";
import { isShareWithinChance, type Share, WITHIN_CHANCE } from "../../base/chance.ts";
import { inOrderOfWeek } from "../../base/text/locale.ts";
import { formatCount, formatShare } from "../../base/text/quantity-text.ts";
import { HOURS, WEEKDAYS } from "../../figures/dimensions.ts";
import type { LegendEntry } from "./charts.ts";

const HEAT_STEPS = 6;
/** Shares of fewer calls would be mostly chance. */
const CALLS_FOR_SHARE = 10;

/** What the fields of a week show: for each weekday and hour, such as `Monday 08`, the index of its step. */
export interface Heat {
  /** The first is that of fields without a value. */
  steps: readonly LegendEntry[];
  cells: ReadonlyMap<string, number>;
}

/** The weekdays in the order of the week; words stay English in each locale. */
export const weekdayNames = () => inOrderOfWeek(WEEKDAYS);

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

/** Divides values of any figure into six steps of equal width; 0 has no step. */
export function heatOfValues(values: ReadonlyMap<string, number>, format: (value: number) => string): Heat {
  const most = Math.max(0, ...values.values());
  const stepOf = (value: number) => (most > 0 && value > 0 ? Math.ceil((HEAT_STEPS * value) / most) : 0);
  return {
    steps: Array.from({ length: HEAT_STEPS + 1 }, (_, step) => ({
      text: step === 0 ? format(0) : `up to ${format((most * step) / HEAT_STEPS)}`,
      color: `var(--h${step})`,
    })),
    cells: new Map([...values].map(([key, value]) => [key, stepOf(value)])),
  };
}

interface WeekLook {
  grid: { left: number; right: number; top: number; bottom: number };
  axis: { axisLine: object; axisTick: object };
  axisLabel: object;
  /** Of the hours, in addition. */
  hourLabel: object;
}

/** The week by hours: the darker a field (in dark mode, the lighter), the more. */
export function weekOption(
  { steps, cells }: Heat,
  { grid, axis, axisLabel, hourLabel }: WeekLook,
): EChartsOption {
  const days = weekdayNames();
  return {
    grid,
    xAxis: { type: "category", data: HOURS, ...axis, axisLabel: { ...axisLabel, ...hourLabel } },
    yAxis: {
      type: "category",
      data: days.map((name) => name.slice(0, "Mon".length)),
      inverse: true,
      ...axis,
      axisLabel,
    },
    visualMap: {
      show: false,
      type: "piecewise",
      pieces: steps.map(({ color }, value) => ({ value, color })),
    },
    series: [
      {
        type: "heatmap",
        data: days.flatMap((name, row) =>
          HOURS.map((hour, column) => [column, row, cells.get(`${name} ${hour}`) ?? 0]),
        ),
        itemStyle: { borderColor: "var(--paper)", borderWidth: 2 },
        emphasis: { disabled: true },
      },
    ],
  };
}

/** Names the busiest hour of the week. */
export function describeBusiest(cells: ReadonlyMap<string, number>): string {
  const most = Math.max(0, ...cells.values());
  if (most === 0) return "none";
  const [busiest = "", tied] = [...cells].filter(([, count]) => count === most).map(([key]) => key);
  if (tied !== undefined) return `at most ${formatCount(most)} in one hour of the week`;
  return `most on ${describeHour(busiest)} (${formatCount(most)})`;
}

/** Names the hour with the highest share of missed calls, if there is one beyond chance. */
export function describeMissed(all: Share, shares: ReadonlyMap<string, Share>): string {
  if (all.part === 0) return "none";
  const share = `${formatShare(all.part, all.whole)} of all`;
  const highest = findHighest(shares);
  if (highest === undefined) return `${share}, and no hour of the week has more beyond chance`;
  const [key, { part, whole }] = highest;
  return `${share}, most on ${describeHour(key)} (${formatShare(part, whole)} of ${formatCount(whole)})`;
}

/** Monday 08 → Monday from 08:00 to 09:00 */
function describeHour(key: string): string {
  const [day, hour] = key.split(" ");
  return `${day} from ${hour}:00 to ${String(Number(hour) + 1).padStart(2, "0")}:00`;
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
