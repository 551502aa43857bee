import { formatDate, formatDates, formatNumber, inOrderOfWeek } from "../../../base/locale.ts";
import { formatCount } from "../../../base/quantity-text.ts";
import { labelOf } from "../../../calendar/period-text.ts";
import { CHANGE_DECIMALS } from "../../../figures/comparison.ts";
import { WEEKDAYS } from "../../../figures/dimensions.ts";
import type { Metric } from "../../../figures/metrics.ts";

/** Shown for a missing figure, such as a rate without calls. */
export const NONE = "–";
/** Of a share the exported digits: rounded once more, it could be another. */
const PERCENT = { style: "percent", minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;
const CHANGE = { style: "percent", maximumFractionDigits: 1, signDisplay: "exceptZero" } as const;
const POINTS = { maximumFractionDigits: 2, signDisplay: "exceptZero" } as const;

type Shape = Pick<Metric, "name" | "isShare" | "decimals" | "currency">;

export function formatFigure({ name, isShare, decimals = 0, currency }: Shape, value: number | null): string {
  if (value === null) return NONE;
  if (isShare) return formatNumber(value, PERCENT);
  if (name.includes("_seconds")) return formatSeconds(value);
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  return formatNumber(value, { ...digits, ...(currency && { style: "currency", currency }) });
}

/** The difference of two shares in points, of other figures relative to the one before. */
export function formatChange({ isShare }: Shape, now: number | null, before: number | null): string {
  if (now === null || before === null) return NONE;
  const unit = 10 ** CHANGE_DECIMALS;
  if (isShare) return `${formatNumber(Math.round((now - before) * unit) / (unit / 100), POINTS)} pts`;
  return before === 0 ? NONE : formatNumber((now - before) / Math.abs(before), CHANGE);
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
