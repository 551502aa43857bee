/** Whether the month or the day stands first, where both are numbers: 10/5/2026. */
export const DAY_ORDERS = ["mdy", "dmy"] as const;
export type DayOrder = (typeof DAY_ORDERS)[number];

/** A day as it is written: known, or one of which only the file can tell what stands first. */
export type DayText = { day: string } | { first: number; second: number; year: number };

const MONTHS = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
];
const MIDNIGHT = "(?:[T ]0?0:00(?::00(?:\\.0+)?)?Z?)?";
const YEAR_FIRST = new RegExp(`^(\\d{4})([-/.])(\\d{1,2})\\2(\\d{1,2})${MIDNIGHT}$`);
const DIGITS = /^(\d{4})(\d{2})(\d{2})$/;
const YEAR_LAST = new RegExp(`^(\\d{1,2})([-/.])(\\d{1,2})\\2(\\d{4})${MIDNIGHT}$`);
const MONTH_DAY = /^(?:[a-z]{3,9},? )?([a-z]{3,9})\.? (\d{1,2}),? (\d{4})$/i;
const DAY_MONTH = /^(?:[a-z]{3,9},? )?(\d{1,2})[. -]{1,2}([a-z]{3,9})[.,]?[ -](\d{4})$/i;

/** Reads a day as ad platforms write it: 2026-10-05, 20261005, Oct 5, 2026, 10/5/2026, 5.10.2026; undefined for none. */
export function readDay(text: string): DayText | undefined {
  const trimmed = text.trim();
  const yearFirst = YEAR_FIRST.exec(trimmed);
  if (yearFirst) return known(Number(yearFirst[1]), Number(yearFirst[3]), Number(yearFirst[4]));
  const digits = DIGITS.exec(trimmed);
  if (digits) return known(Number(digits[1]), Number(digits[2]), Number(digits[3]));
  const monthDay = MONTH_DAY.exec(trimmed);
  if (monthDay) return known(Number(monthDay[3]), monthOf(monthDay[1]), Number(monthDay[2]));
  const dayMonth = DAY_MONTH.exec(trimmed);
  if (dayMonth) return known(Number(dayMonth[3]), monthOf(dayMonth[2]), Number(dayMonth[1]));
  const yearLast = YEAR_LAST.exec(trimmed);
  if (!yearLast) return undefined;
  const [first, second, year] = [Number(yearLast[1]), Number(yearLast[3]), Number(yearLast[4])];
  // Nobody writes the month first with points.
  return yearLast[2] === "." ? known(year, second, first) : { first, second, year };
}

/** Returns the orders in which two numbers can be a day of a year. */
export function ordersOf({ first, second, year }: { first: number; second: number; year: number }) {
  return DAY_ORDERS.filter((order) => toDay({ first, second, year }, order) !== undefined);
}

/** Returns a day as YYYY-MM-DD by the order that a file has; undefined where it is none. */
export function toDay(text: DayText, order: DayOrder): string | undefined {
  if ("day" in text) return text.day;
  const { first, second, year } = text;
  const found = order === "mdy" ? known(year, first, second) : known(year, second, first);
  return found?.day;
}

function monthOf(name = ""): number {
  const lower = name.toLowerCase();
  const prefix = lower === "sept" ? "sep" : lower;
  return MONTHS.findIndex((month) => month === prefix || month.slice(0, 3) === prefix) + 1;
}

function known(year: number, month: number, day: number): { day: string } | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  // A day that the month does not have is in another one.
  const isDay = date.getUTCMonth() === month - 1;
  return isDay && year >= 1900 && year < 3000
    ? { day: date.toISOString().slice(0, "YYYY-MM-DD".length) }
    : undefined;
}
