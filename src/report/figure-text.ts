import { html } from "hono/html";
import type { Value } from "../rollup/figure-session.ts";

/** What `html` of hono returns: text in which everything that was put into it is escaped. */
export type Html = ReturnType<typeof html>;

const counts = new Intl.NumberFormat("en-US");
const amounts = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 6 });
const shares = new Intl.NumberFormat("en-US", {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const changes = new Intl.NumberFormat("en-US", {
  style: "percent",
  maximumFractionDigits: 1,
  signDisplay: "exceptZero",
});
const points = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1, signDisplay: "exceptZero" });

/** What stands where there is no figure, such as a rate without calls. */
const NONE = "–";

/** Returns a number of things, with its exact value for whoever reads the page by program. */
export function countOf(value: Value | undefined): Html {
  return figure(value, (number) => counts.format(number));
}

/** Returns an amount of money, 1234.5 → 1,234.50. */
export function amountOf(value: Value | undefined): Html {
  return figure(value, (number) => amounts.format(number));
}

/** Returns a share, 0.6855 → 68.6%. */
export function shareOf(value: Value | undefined): Html {
  return figure(value, (number) => shares.format(number));
}

/** Returns a change by a share, 0.25 → +25%. */
export function changeOf(value: Value | undefined): Html {
  return figure(value, formatChange);
}

/** Returns a duration, 244.5 → 4:05. */
export function durationOf(value: Value | undefined): Html {
  return figure(value, formatDuration);
}

function figure(value: Value | undefined, format: (number: number) => string): Html {
  return typeof value === "number" ? html`<data value="${value}">${format(value)}</data>` : html`${NONE}`;
}

/** Seconds as minutes and seconds, or hours too. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(Math.abs(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const padded = (part: number) => String(part).padStart(2, "0");
  const sign = seconds < 0 ? "-" : "";
  return hours > 0
    ? `${sign}${hours}:${padded(minutes)}:${padded(whole % 60)}`
    : `${sign}${minutes}:${padded(whole % 60)}`;
}

export function formatCount(count: number): string {
  return counts.format(count);
}

export function formatShare(share: number): string {
  return shares.format(share);
}

/** 0.25 → +25% */
export function formatChange(share: number): string {
  return changes.format(share);
}

/** The distance of two shares, 0.66 and 0.685 → +2.5 points. */
export function formatPoints(now: number, before: number): string {
  return `${points.format((now - before) * 100)} points`;
}

/** 1 call, 5,432 calls */
export function formatQuantity(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}
