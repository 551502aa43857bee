import { html } from "hono/html";
import { formatNumber } from "../../base/text/locale.ts";
import { formatAmount, formatShare } from "../../base/text/quantity-text.ts";
import { figure, type Html, NONE } from "../../export/letterhead/page-parts.ts";
import { type ComparedDays, isChangeWithinChance } from "../../figures/change-chance.ts";
import type { Figures } from "../../figures/sums.ts";
import type { Value } from "../../sources/figure-session.ts";

/** The current or the previous span. */
export type Stretch = "" | "_previous";

const ONE_DECIMAL = { minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;
const PERCENT = { style: "percent", ...ONE_DECIMAL } as const;
const TENTHS = { ...ONE_DECIMAL, minimumIntegerDigits: 2 } as const;
const SIGNED = { signDisplay: "exceptZero" } as const;

/** 1234.5 → 1,234.50 */
export function amountOf(value: Value | undefined): Html {
  return figure(value, formatAmount);
}

/** 18 of 33 → 54.5% */
export function answerRateOf(figures: Figures, stretch: Stretch = ""): Html {
  return figure(figures[`answer_rate${stretch}`], () => formatAnswerRate(figures, stretch) ?? NONE);
}

/** 5 after 4 → +25.0% within chance, in grey. @param before the value before, to be named */
export function changeOf(figures: Figures, name: string, compared: ComparedDays, before?: Html): Html {
  const change = figure(figures[`${name}_change`], () => changeTextOf(figures, name) ?? NONE);
  const shown = before === undefined ? change : html`${change} from ${before}`;
  if (!isMarked(figures, name, compared)) return shown;
  return html`<span class="chance">${shown}${before === undefined ? "" : ","} within chance</span>`;
}

/** Whether a figure visibly changed, but no more than by chance. */
export function isMarked(figures: Figures, name: string, compared: ComparedDays): boolean {
  const isVisible = /[1-9]/.test(changeTextOf(figures, name) ?? "");
  // Figures of a page have one comparison, in the columns of the time before.
  const before = { ...compared, as: "previous" } as const;
  return isVisible && isChangeWithinChance(name, (column) => figures[column], before) === true;
}

function changeTextOf(figures: Figures, name: string): string | null {
  return name === "answer_rate" ? formatPoints(figures) : formatChange(figures, name);
}

export function durationOf(value: Value | undefined): Html {
  return figure(value, formatDuration);
}

/** Minutes and seconds, or hours too, with all tenths. */
export function formatDuration(seconds: number): string {
  const tenths = Math.round(Math.abs(seconds) * 10);
  const whole = Math.floor(tenths / 10);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  const padded = (part: number) => String(part).padStart(2, "0");
  const rest = tenths % 10 === 0 ? padded(whole % 60) : formatNumber((tenths % 600) / 10, TENTHS);
  const sign = seconds < 0 ? "-" : "";
  return hours > 0 ? `${sign}${hours}:${padded(minutes)}:${rest}` : `${sign}${minutes}:${rest}`;
}

// Texts are made from counts: a rate is already rounded, and would be rounded twice.

export function formatAnswerRate(figures: Figures, stretch: Stretch = ""): string | null {
  const tenths = rateInTenths(figures, stretch);
  return tenths === null ? null : formatNumber(tenths / 1000, PERCENT);
}

export function missedRateOf({ missed_rate, missed_calls, calls }: Figures): Html {
  return figure(missed_rate, () => formatShare(Number(missed_calls), Number(calls)));
}

/** The relative change of a count; null if the figures have none. */
export function formatChange(figures: Figures, count: string): string | null {
  if (typeof figures[`${count}_change`] !== "number") return null;
  const before = figures[`${count}_previous`];
  return signedShare(Number(figures[count]) - Number(before), before);
}

/** The difference of the printed answer rates, 66.0% and 68.5% → +2.5 points; null if there is no change. */
export function formatPoints(figures: Figures): string | null {
  const [now, before] = [rateInTenths(figures, ""), rateInTenths(figures, "_previous")];
  if (now === null || before === null || figures.answer_rate_change === null) return null;
  return `${formatNumber((now - before) / 10, { ...ONE_DECIMAL, ...SIGNED })} points`;
}

function rateInTenths(figures: Figures, stretch: Stretch): number | null {
  const [part, whole] = [figures[`answered_calls${stretch}`], figures[`calls${stretch}`]];
  if (typeof part !== "number" || typeof whole !== "number" || !(whole > 0)) return null;
  return Math.round((1000 * part) / whole);
}

function signedShare(part: Value | undefined, whole: Value | undefined) {
  if (typeof part !== "number" || typeof whole !== "number" || !(whole > 0)) return null;
  return formatNumber(part / whole, { ...PERCENT, ...SIGNED });
}
