import { zoneOffsets } from "../../base/calendar/local-time.ts";

const HOUR_MS = 3_600_000;
export const DAY_HOURS = 24;
export const WEEK_HOURS = 7 * DAY_HOURS;
export const WEEK_MS = WEEK_HOURS * HOUR_MS;
/** Calls are compared with those at the same weekdays and hours of so many weeks before. */
export const WEEKS = 8;

export interface LocalDay {
  /** Since 1970. */
  day: number;
  from: number;
  until: number;
  /** The same weekday and local time as `until`, one week before, two, and so on. */
  ends: readonly number[];
}

/** Returns the local days of the last week, up to the judged hour, and when the last of them and the week begin. */
export function lastDays(untilHour: number, zone: string) {
  const offsetAt = zoneOffsets(zone);
  const offsetHours = (hour: number) => offsetAt(hour * HOUR_MS).offsetMs / HOUR_MS;
  const startOf = (day: number) => {
    const guess = day * DAY_HOURS - offsetHours(day * DAY_HOURS);
    return Math.ceil(day * DAY_HOURS - offsetHours(guess));
  };
  const sameTime = (hour: number, weeksBefore: number) => {
    const before = hour - weeksBefore * WEEK_HOURS;
    return Math.round(before + offsetHours(hour) - offsetHours(before));
  };
  const last = Math.floor((untilHour - 1 + offsetHours(untilHour - 1)) / DAY_HOURS);
  const days = Array.from({ length: 8 }, (_, index): LocalDay => {
    const day = last - 7 + index;
    const until = Math.min(startOf(day + 1), untilHour);
    const ends = Array.from({ length: WEEKS }, (_, week) => sameTime(until, week + 1));
    return { day, from: startOf(day), until, ends };
  });
  return { days, dayHour: startOf(last), weekHour: sameTime(untilHour, 1) };
}
