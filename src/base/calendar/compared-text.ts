import { Temporal } from "temporal-polyfill";
import { countDays, type DateRange } from "./dates.ts";
import { daysInWords } from "./period-text.ts";

const NAMES: Readonly<Record<number, string>> = { 1: "the day before", 7: "the week before" };

/** Names the days that a range is compared with: the week before, the month before, or the days from 2 Nov 2026 to 8 Nov 2026. */
export function comparedInWords(
  range: Required<DateRange>,
  compared: Required<DateRange> & { until?: string },
): string {
  const isJustBefore = countDays({ from: compared.to, to: range.from }) === 2;
  if (compared.until === undefined && isJustBefore) {
    if (isMonth(range) && isMonth(compared)) return "the month before";
    const days = countDays(range);
    if (days === countDays(compared)) return NAMES[days] ?? `the ${days} days before`;
  }
  return `${compared.from === compared.to ? "" : "the days from "}${daysInWords(compared)}`;
}

function isMonth(range: Required<DateRange>): boolean {
  const from = Temporal.PlainDate.from(range.from);
  return from.day === 1 && range.to === from.with({ day: from.daysInMonth }).toString();
}
