/** Whether the month or the day comes first in 10/5/2026. */
export const DAY_ORDERS = ["mdy", "dmy"] as const;
export type DayOrder = (typeof DAY_ORDERS)[number];

/** A day as written: known, or one whose order only the file shows. */
export type DayText = { day: string } | { first: number; second: number; year: number };

export const MONTHS: readonly string[] =
  "january february march april may june july august september october november december".split(" ");
const WEEKDAY = "(?:[a-z]{3,9}\\.?,? )?";
const NAME = "(?<name>[a-z]{3,9})\\.?";
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
const YEAR = "(?<year>\\d{4}|\\d{2})";
const KNOWN: readonly RegExp[] = [
  /^(?<year>\d{4})([-/.])(?<month>\d{1,2})\2(?<day>\d{1,2})$/,
  /^(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})$/,
  new RegExp(`^${WEEKDAY}${NAME}[ -]${DAY}(?:,? |-)${YEAR}$`, "i"),
  new RegExp(`^${WEEKDAY}${DAY}[. /-]{0,2}${NAME},?[. /-]?${YEAR}$`, "i"),
  new RegExp(`^(?<year>\\d{4})[ /-]${NAME}[ /-]${DAY}$`, "i"),
  // Nobody writes the month first with points.
  new RegExp(`^(?<day>\\d{1,2})\\.(?<month>\\d{1,2})\\.${YEAR}$`),
];
const OPEN = new RegExp(`^(?<first>\\d{1,2})([-/])(?<second>\\d{1,2})\\2${YEAR}$`);
/** Of a year in two digits, as in 10/5/26. */
const CENTURY = 2000;

/** Reads a day as programs write it: 2026-10-05, 20261005, Oct 5, 2026, 5-Oct-26, 10/5/2026, 5.10.26. */
export function readDay(text: string): DayText | undefined {
  const trimmed = text.trim();
  for (const form of KNOWN) {
    const groups = form.exec(trimmed)?.groups;
    if (groups !== undefined)
      return known(
        toYear(groups.year),
        groups.name ? monthOf(groups.name) : Number(groups.month),
        Number(groups.day),
      );
  }
  const open = OPEN.exec(trimmed)?.groups;
  return open && { first: Number(open.first), second: Number(open.second), year: toYear(open.year) };
}

export function ordersOf({ first, second, year }: { first: number; second: number; year: number }) {
  return DAY_ORDERS.filter((order) => toDay({ first, second, year }, order) !== undefined);
}

/** Returns YYYY-MM-DD by the file's order; undefined for an invalid day. */
export function toDay(text: DayText, order: DayOrder): string | undefined {
  if ("day" in text) return text.day;
  const { first, second, year } = text;
  return (order === "mdy" ? known(year, first, second) : known(year, second, first))?.day;
}

function toYear(text = ""): number {
  return text.length === 2 ? CENTURY + Number(text) : Number(text);
}

function monthOf(name: string): number {
  const lower = name.toLowerCase();
  const prefix = lower === "sept" ? "sep" : lower;
  return MONTHS.findIndex((month) => month === prefix || month.slice(0, 3) === prefix) + 1;
}

function known(year: number, month: number, day: number): { day: string } | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  // A day that the month does not have rolls over into another one.
  const isDay = date.getUTCMonth() === month - 1;
  return isDay && year >= 1900 && year < 3000
    ? { day: date.toISOString().slice(0, "YYYY-MM-DD".length) }
    : undefined;
}
