import { labelOf } from "../../../base/calendar/period-text.ts";
import { formatDate, formatDates, formatNumber, inOrderOfWeek } from "../../../base/text/locale.ts";
import { formatCount } from "../../../base/text/quantity-text.ts";
import { WEEKDAYS } from "../../../figures/dimensions.ts";
import type { Measure } from "../../../figures/rollup-query.ts";
import type { PageFacts } from "../page-facts.ts";

/** Shown for a missing figure, such as a rate without calls. */
export const NONE = "–";
const ONE_DECIMAL = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;
const PERCENT = { style: "percent", ...ONE_DECIMAL } as const;
const SIGNED = { signDisplay: "exceptZero" } as const;

/** Reads a figure of a row by the name of its column. */
export type ReadFigure = (column: string) => number | null;
/** The current or the compared days. */
type Stretch = "" | "_previous";

export function formatFigure(metric: Measure, read: ReadFigure, stretch: Stretch = ""): string {
  if (!metric.isShare) return formatValue(metric, read(metric.name + stretch));
  const tenths = shareInTenths(metric, read, stretch);
  return tenths === null ? NONE : formatNumber(tenths / 1000, PERCENT);
}

/** From counts, where the row has them: an exported share is already rounded, and would be rounded twice. */
function shareInTenths({ name, aggregate }: Measure, read: ReadFigure, stretch: Stretch): number | null {
  const share = read(name + stretch);
  if (share === null || aggregate.kind !== "share") return null;
  const whole = read(aggregate.per + stretch);
  if (!whole) return Math.round(1000 * share);
  const part = read(aggregate.of + stretch) ?? Math.round(share * whole);
  return Math.round((1000 * part) / whole);
}

/** A value alone, as on an axis. */
export function formatValue(
  { name, isShare, decimals = 0, currency }: Pick<Measure, "name" | "isShare" | "decimals" | "currency">,
  value: number | null,
): string {
  if (value === null) return NONE;
  if (isShare) return formatNumber(value, { style: "percent", maximumFractionDigits: 1 });
  if (name.includes("_seconds")) return formatSeconds(value);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return formatNumber(value, { ...digits, ...(currency && { style: "currency", currency }) });
}

/** The difference of the printed shares in points, of other figures relative to the one before: both as on other pages. */
export function formatChange(metric: Measure, read: ReadFigure): string {
  if (metric.isShare) {
    const [now, before] = [shareInTenths(metric, read, ""), shareInTenths(metric, read, "_previous")];
    if (now === null || before === null) return NONE;
    return `${formatNumber((now - before) / 10, { ...ONE_DECIMAL, ...SIGNED })} points`;
  }
  const [now, before] = [read(metric.name), read(`${metric.name}_previous`)];
  if (now === null || before === null || before === 0) return NONE;
  return formatNumber((now - before) / Math.abs(before), { ...PERCENT, ...SIGNED });
}

/** 1:05:09, or 5:09.5 */
export function formatSeconds(seconds: number): string {
  const tenths = Math.round(Math.abs(seconds) * 10);
  const whole = Math.floor(tenths / 10);
  const pad = (part: number) => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const rest = `${pad(whole % 60)}${tenths % 10 === 0 ? "" : `.${tenths % 10}`}`;
  const sign = seconds < 0 ? "-" : "";
  return sign + (hours > 0 ? `${formatCount(hours)}:${pad(minutes)}:${rest}` : `${minutes}:${rest}`);
}

/** Names a figure or a dimension: `answer_rate` → Answer rate. */
export function titleOf(name: string): string {
  const text = name
    .replace(/_seconds$/, "")
    .replaceAll("_", " ")
    .replace("first time", "first-time");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Names a figure of the page: calls of a page of groups are not all calls. */
export function titleOfFigure({ minCell }: Pick<PageFacts, "minCell">, name: string): string {
  return minCell !== null && name === "calls" ? `Calls in groups of ${minCell} or more` : titleOf(name);
}

const DAY = { day: "numeric", month: "short", year: "numeric" } as const;

export function formatDay(day: string): string {
  return formatDate(day, DAY);
}

export function formatDays({ from, to }: { from: string; to: string }): string {
  return from === to ? formatDay(from) : formatDates(from, to, DAY);
}

/** Labels a period of the chart: 26 Oct, W43, Oct 2026, Q4 2026. */
export function formatPeriod(period: string): string {
  const [year = "", part = ""] = period.split("-");
  return /^[WQ]/.test(part) ? `${part} ${year}` : labelOf(period);
}

/** The names of Monday to Sunday, in English, and as they are shown, in the order of the week. */
export function weekdayNames(): { name: string; shown: string }[] {
  return inOrderOfWeek(
    WEEKDAYS.map((name, index) => ({
      name,
      shown: formatDate(`2001-01-0${1 + index}`, { weekday: "short" }),
    })),
  );
}
