import { capitalized } from "../base/text/capitalized.ts";
import {
  formatCount,
  formatDecimal,
  formatDuration,
  formatMoney,
  formatPlain,
  formatPoints,
  formatRelative,
  formatShare,
  tenthsOf,
} from "../base/text/quantity-text.ts";
import { type ComparedDays, isChangeWithinChance } from "./change-chance.ts";
import type { FactValue } from "./dictionary.ts";
import type { Measure } from "./rollup-query.ts";
import type { Figures } from "./sums.ts";

// How every surface writes a figure and its change.

/** Shown for a missing figure, such as a rate without calls. */
export const NONE = "–";

/** Reads a figure of a row by the name of its column. */
export type ReadFigure = (column: string) => FactValue | undefined;
/** The current or the compared days. */
export type Stretch = "" | "_previous";

/** What a figure is, as far as it is written. */
type Shape = Pick<Measure, "name" | "aggregate" | "isShare" | "decimals" | "currency">;

export const readerOf =
  (figures: Figures): ReadFigure =>
  (column) =>
    figures[column];

const numberIn = (read: ReadFigure, column: string): number | null => {
  const value = read(column);
  return typeof value === "number" ? value : null;
};

export function formatFigure(metric: Shape, read: ReadFigure, stretch: Stretch = ""): string {
  const value = numberIn(read, metric.name + stretch);
  if (value === null) return NONE;
  if (metric.isShare) return formatShare(...partOf(metric, read, stretch));
  return formatValue(metric, value);
}

function formatValue({ name, decimals = 0, currency }: Omit<Shape, "aggregate">, value: number): string {
  if (currency !== undefined) return formatMoney(value, currency);
  if (name.includes("_seconds")) return formatDuration(value);
  return decimals === 0 ? formatCount(value) : formatDecimal(value, decimals);
}

/** Returns a value as an axis shows it. */
export function formatTick({ name, isShare }: Pick<Shape, "name" | "isShare">, value: number): string {
  return name.includes("_seconds") ? formatDuration(value) : formatPlain(value, isShare);
}

/**
 * Returns what a share is of: counts, where the row has them, because an exported share is already rounded, and would be
 * rounded twice.
 */
function partOf(
  { name, aggregate }: Shape,
  read: ReadFigure,
  stretch: Stretch,
): [part: number, whole: number] {
  const share = numberIn(read, name + stretch) ?? 0;
  if (aggregate.kind !== "share") return [share, 1];
  const whole = numberIn(read, aggregate.per + stretch);
  if (!whole) return [share, 1];
  return [numberIn(read, aggregate.of + stretch) ?? Math.round(share * whole), whole];
}

/**
 * Returns the difference of the written shares in points, and of other figures the change relative to the amount before;
 * null if there is no change.
 */
export function formatChange(metric: Shape, read: ReadFigure): string | null {
  const { name } = metric;
  const [now, before] = [numberIn(read, name), numberIn(read, `${name}_previous`)];
  if (now === null || before === null || numberIn(read, `${name}_change`) === null) return null;
  if (!metric.isShare) return formatRelative((now - before) / Math.abs(before));
  const [tenths, tenthsBefore] = [
    tenthsOf(...partOf(metric, read, "")),
    tenthsOf(...partOf(metric, read, "_previous")),
  ];
  return formatPoints(tenths - tenthsBefore);
}

/** How a figure changed, and from what; each as it is written. */
export interface Change {
  change: string;
  previous: string;
  /** Whether chance alone may explain it; null if that is not judged, or it is too small to be seen. */
  isWithinChance: boolean | null;
}

/** Returns how a figure changed, judged by the test of `--chance`; undefined if there is no change. */
export function describeChange(
  metric: Shape,
  read: ReadFigure,
  compared: ComparedDays | undefined,
): Change | undefined {
  const change = formatChange(metric, read);
  if (change === null || compared === undefined) return undefined;
  const isSeen = /[1-9]/.test(change);
  return {
    change,
    previous: formatFigure(metric, read, "_previous"),
    // Figures of pages have one comparison, in the columns of the time before.
    isWithinChance: isSeen ? isChangeWithinChance(metric.name, read, { ...compared, as: "previous" }) : null,
  };
}

/** Such as `+12.4% from 1,071, within chance`. */
export function changeInWords({ change, previous, isWithinChance }: Change): string {
  return `${change} from ${previous}${isWithinChance ? ", within chance" : ""}`;
}

/** Names a figure or a dimension: `answer_rate` → Answer rate. */
export function titleOf(name: string): string {
  const text = name
    .replace(/_seconds$/, "")
    .replace(/_in_hours\b/, " in opening hours")
    .replaceAll("_", " ")
    .replace("first time", "first-time")
    .replace(/^utm /, "UTM ");
  return capitalized(text);
}
