import { CHANGE_DECIMALS } from "../../../figures/comparison.ts";
import type { Metric } from "../../../figures/metrics.ts";

/** Shown for a missing figure, such as a rate without calls. */
export const NONE = "–";
const language = navigator.language;
const counts = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
/** Of a share the exported digits: rounded once more, it could be another. */
const percents = new Intl.NumberFormat(language, {
  style: "percent",
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const changes = new Intl.NumberFormat(language, {
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});
const points = new Intl.NumberFormat(language, { maximumFractionDigits: 2, signDisplay: "exceptZero" });
const days = new Intl.DateTimeFormat(language, { day: "numeric", month: "short", timeZone: "UTC" });
const datesWithYear = new Intl.DateTimeFormat(language, {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});
const months = new Intl.DateTimeFormat(language, { month: "short", year: "numeric", timeZone: "UTC" });
const weekdays = new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" });

type Shape = Pick<Metric, "name" | "isShare" | "decimals" | "currency">;

export const formatCount = (count: number) => counts.format(count);

export function formatFigure({ name, isShare, decimals = 0, currency }: Shape, value: number | null): string {
  if (value === null) return NONE;
  if (isShare) return percents.format(value);
  if (name.includes("_seconds")) return formatSeconds(value);
  return numberFormat(decimals, currency).format(value);
}

/** Making a format takes as long as formatting a hundred numbers. */
const formats = new Map<string, Intl.NumberFormat>();

function numberFormat(decimals: number, currency: string | undefined): Intl.NumberFormat {
  const key = `${currency} ${decimals}`;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const made =
    formats.get(key) ??
    new Intl.NumberFormat(language, { ...digits, ...(currency && { style: "currency", currency }) });
  formats.set(key, made);
  return made;
}

/** The difference of two shares in points, of other figures relative to the one before. */
export function formatChange({ isShare }: Shape, now: number | null, before: number | null): string {
  if (now === null || before === null) return NONE;
  const unit = 10 ** CHANGE_DECIMALS;
  if (isShare) return `${points.format(Math.round((now - before) * unit) / (unit / 100))} pts`;
  return before === 0 ? NONE : changes.format((now - before) / Math.abs(before));
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

export function formatDay(day: string): string {
  return datesWithYear.format(new Date(`${day}T00:00:00Z`));
}

export function formatDays({ from, to }: { from: string; to: string }): string {
  return from === to
    ? formatDay(from)
    : datesWithYear.formatRange(new Date(`${from}T00:00:00Z`), new Date(`${to}T00:00:00Z`));
}

/** Labels a period of the chart: 26 Oct, W43, Oct 2026, Q4 2026. */
export function formatPeriod(period: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(period)) return days.format(new Date(`${period}T00:00:00Z`));
  const [year = "", part = ""] = period.split("-");
  if (/^[WQ]/.test(part)) return `${part} ${year}`;
  return months.format(new Date(`${period}-01T00:00:00Z`));
}

export function formatWeekday(index: number): string {
  return weekdays.format(new Date(Date.UTC(1970, 0, 5 + index)));
}
