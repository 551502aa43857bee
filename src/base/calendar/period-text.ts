import { formatDate, formatDates, isLocalized } from "../text/locale.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const DAY = { day: "numeric", month: "short", year: "numeric" } as const;

/** 2026-10-26 → 26 Oct, 2026-10 → Oct 2026; weeks and quarters are unchanged. */
export function labelOf(period: string): string {
  const [, year, month, day] = /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(period) ?? [];
  if (month === undefined) return period;
  if (isLocalized()) {
    return day === undefined
      ? formatDate(`${period}-01`, { month: "short", year: "numeric" })
      : formatDate(period, { day: "numeric", month: "short" });
  }
  const name = MONTHS[Number(month) - 1];
  return day === undefined ? `${name} ${year}` : `${Number(day)} ${name}`;
}

/** Puts a range of days, or the name of a period, into words: 2026-10-01 to 2026-10-12 → 1 Oct 2026 to 12 Oct 2026. */
export function rangeInWords(range: string): string {
  const [from = "", to = from] = range.split(" to ");
  return daysInWords({ from, to });
}

/** Like {@link labelOf}, with the year of days: 26 Oct 2026. */
export function longLabelOf(period: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(period)) return labelOf(period);
  if (isLocalized()) return formatDate(period, DAY);
  return `${labelOf(period)} ${period.slice(0, 4)}`;
}

/** 19 Oct 2026 to 15 Nov 2026, in a locale as it writes them, or 15 Nov 2026 to 05:24. @param until local time on the last day, such as `05:24` */
export function daysInWords({ from, to, until }: { from?: string; to?: string; until?: string }): string {
  if (from === undefined && to === undefined) return "all calls";
  const isOneDay = from === to;
  if (isLocalized() && from !== undefined && to !== undefined && until === undefined && !isOneDay)
    return formatDates(from, to, DAY);
  const first = from === undefined ? "first call" : longLabelOf(from);
  const days = isOneDay ? first : `${first} to ${to === undefined ? "now" : longLabelOf(to)}`;
  return until === undefined ? days : `${days}${isOneDay ? " to" : ","} ${until}`;
}
