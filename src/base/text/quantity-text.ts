import { digitsOf, formatNumber, isLocalized } from "./locale.ts";

const ONE_DECIMAL = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;
const PERCENT = { style: "percent", ...ONE_DECIMAL } as const;
const SIGNED = { signDisplay: "exceptZero" } as const;

/** 5432 → 5,432. Without a locale also without Intl, which takes 40 ms to load. */
export function formatCount(count: number): string {
  if (isLocalized()) return formatNumber(count);
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** 1 row, 5,432 rows */
export function formatQuantity(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** 1234.5, USD → 1,234.50 USD; all digits of smaller parts: 0.001 USD. @param currency ISO 4217; null if none is known */
export function formatMoney(amount: number, currency: string | null | undefined): string {
  const least = currency == null ? 2 : digitsOf(currency);
  const number = formatNumber(amount, { minimumFractionDigits: least, maximumFractionDigits: 6 });
  return currency == null ? number : `${number} ${currency}`;
}

/** 1234.5, 2 → 1,234.50 */
export function formatDecimal(value: number, decimals: number): string {
  return formatNumber(value, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** With at most two digits after the point, as an axis shows it: 0.5, 12,000. */
export function formatPlain(value: number, isShare = false): string {
  return formatNumber(
    value,
    isShare ? { style: "percent", maximumFractionDigits: 1 } : { maximumFractionDigits: 2 },
  );
}

/** 18 of 33 → 54.5%; rounded once, half away from zero. */
export function formatShare(part: number, whole: number): string {
  return formatNumber(tenthsOf(part, whole) / 1000, PERCENT);
}

/** How many tenths of a percent a part is. */
export function tenthsOf(part: number, whole: number): number {
  return Math.round((1000 * part) / whole);
}

/** 0.25 → +25.0% */
export function formatRelative(change: number): string {
  return formatNumber(change, { ...PERCENT, ...SIGNED });
}

/** 25 tenths of a percent → +2.5 points */
export function formatPoints(tenths: number): string {
  return `${formatNumber(tenths / 10, { ...ONE_DECIMAL, ...SIGNED })} points`;
}

const TENTHS = { ...ONE_DECIMAL, minimumIntegerDigits: 2 } as const;

/** Minutes and seconds, or hours too, with all tenths: 1:05:09, 5:09.5. */
export function formatDuration(seconds: number): string {
  const tenths = Math.round(Math.abs(seconds) * 10);
  const whole = Math.floor(tenths / 10);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const padded = (part: number) => String(part).padStart(2, "0");
  const rest = tenths % 10 === 0 ? padded(whole % 60) : formatNumber((tenths % 600) / 10, TENTHS);
  const sign = seconds < 0 ? "-" : "";
  return sign + (hours > 0 ? `${formatCount(hours)}:${padded(minutes)}:${rest}` : `${minutes}:${rest}`);
}

/** 512 → 512 bytes, 5_242 → 5 kB, 5_242_880 → 5.2 MB */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return formatQuantity(bytes, "byte");
  if (bytes < 999_500) return `${formatCount(Math.round(bytes / 1000))} kB`;
  return bytes < 999_950_000 ? `${formatTenths(bytes / 1e6)} MB` : `${formatTenths(bytes / 1e9)} GB`;
}

/** With one digit after the point; without a locale also without Intl. */
export function formatTenths(value: number): string {
  return isLocalized() ? formatDecimal(value, 1) : value.toFixed(1);
}

/** 3217 → 3.2 s, 599_700 → 10 min 0 s */
export function formatElapsed(elapsedMs: number): string {
  if (elapsedMs < 59_950) return `${formatTenths(elapsedMs / 1000)} s`;
  const seconds = Math.round(elapsedMs / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** How long ago, in the largest unit that fits: 12 minutes ago. An infinite age means a time in the future. */
export function formatAge(ageMs: number): string {
  if (ageMs === Number.POSITIVE_INFINITY) return "dated in the future";
  const minutes = Math.floor(ageMs / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 120) return `${formatQuantity(minutes, "minute")} ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} hours ago` : `${Math.floor(hours / 24)} days ago`;
}
