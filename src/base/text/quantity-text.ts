import { formatNumber, isLocalized } from "./locale.ts";

/** 5432 → 5,432. Without a locale also without Intl, which takes 40 ms to load. */
export function formatCount(count: number): string {
  if (isLocalized()) return formatNumber(count);
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** 1234.5 → 1,234.50 */
export function formatAmount(amount: number): string {
  return formatNumber(amount, { minimumFractionDigits: 2, maximumFractionDigits: 6 });
}

/** 18 of 33 → 54.5% */
export function formatShare(part: number, whole: number): string {
  const digits = { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;
  return formatNumber(Math.round((1000 * part) / whole) / 1000, digits);
}

/** 1 row, 5,432 rows */
export function formatQuantity(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** 512 → 0.5 kB, 5_242_880 → 5.2 MB */
export function formatBytes(bytes: number): string {
  const kilobytes = bytes / 1000;
  if (kilobytes < 1000) return `${kilobytes.toFixed(1)} kB`;
  return kilobytes < 1e6 ? `${(kilobytes / 1000).toFixed(1)} MB` : `${(kilobytes / 1e6).toFixed(1)} GB`;
}

/** 3217 → 3.2 s, 599_700 → 10 min 0 s */
export function formatElapsed(elapsedMs: number): string {
  if (elapsedMs < 59_950) return `${(elapsedMs / 1000).toFixed(1)} s`;
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
