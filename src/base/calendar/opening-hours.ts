import { formatQuantity } from "../text/quantity-text.ts";
import { zoneOffsets } from "./local-time.ts";

/** When calls can be answered. */
export interface OpeningHours {
  /** As {@link parseHours} returns it; the end of a span is exclusive. */
  week: string;
  /** Local days without hours, `YYYY-MM-DD`, in order. */
  closed: readonly string[];
  /** IANA zone. */
  timezone: string;
}

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;
const FULL_NAMES = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;
const WEEK_MINUTES = 7 * DAY_MINUTES;
/** The first day of 1970 was a Thursday. */
const FIRST_WEEKDAY = DAYS.indexOf("Thu");

/**
 * Reads hours such as `Mon-Fri 08:00-12:00 13:00-18:00, Fri 22:00-02:00`, and returns the same hours as one text: spans that
 * overlap or touch become one, each ends by midnight, and neighboring days with the same spans are together.
 * @throws Error that says what is wrong
 */
export function parseHours(text: string): string {
  const open = openMinutes(text);
  const days: { first: string; last: string; spans: string }[] = [];
  for (const [index, day] of DAYS.entries()) {
    const spans = spansOf(open.subarray(index * DAY_MINUTES, (index + 1) * DAY_MINUTES));
    const before = days.at(-1);
    if (before?.spans === spans) before.last = day;
    else days.push({ first: day, last: day, spans });
  }
  return days
    .filter(({ spans }) => spans !== "")
    .map(({ first, last, spans }) => `${first === last ? first : `${first}-${last}`} ${spans}`)
    .join(", ");
}

function spansOf(minutes: Uint8Array): string {
  const spans: string[] = [];
  for (let start = minutes.indexOf(1); start !== -1; ) {
    const next = minutes.indexOf(0, start);
    const end = next === -1 ? DAY_MINUTES : next;
    spans.push(`${clockOf(start)}-${clockOf(end)}`);
    start = minutes.indexOf(1, end);
  }
  return spans.join(" ");
}

/** `Mon-Fri 08:00-18:00 in Europe/Berlin, but for 12 closed days` */
export function hoursInWords({ week, closed, timezone }: OpeningHours): string {
  const except = closed.length === 0 ? "" : `, but for ${formatQuantity(closed.length, "closed day")}`;
  return `${week} in ${timezone}${except}`;
}

/** Returns a function that says whether hours are open at an ISO 8601 UTC time. */
export function openAt({ week, closed, timezone }: OpeningHours): (utc: string) => boolean {
  const open = openMinutes(week);
  const offsetAt = zoneOffsets(timezone);
  const closedDays = new Set(closed);
  return (utc) => {
    const ms = Date.parse(utc);
    const localMs = ms + offsetAt(ms).offsetMs;
    const minute = Math.floor(localMs / MINUTE_MS) + FIRST_WEEKDAY * DAY_MINUTES;
    const ofWeek = ((minute % WEEK_MINUTES) + WEEK_MINUTES) % WEEK_MINUTES;
    if (open[ofWeek] !== 1) return false;
    return closedDays.size === 0 || !closedDays.has(new Date(localMs).toISOString().slice(0, 10));
  };
}

/**
 * Counts the local days of a range that have opening hours; without hours, those from Monday to Friday.
 * @param range first and last day, YYYY-MM-DD
 */
export function countOpenDays(
  { from, to }: { from: string; to: string },
  hours?: Pick<OpeningHours, "week" | "closed">,
): number {
  const open = openMinutes(hours?.week ?? "Mon-Fri 00:00-24:00");
  const isOpen = DAYS.map((_, day) => open.subarray(day * DAY_MINUTES, (day + 1) * DAY_MINUTES).includes(1));
  const closed = new Set(hours?.closed);
  let count = 0;
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += DAY_MINUTES * MINUTE_MS) {
    const day = new Date(ms);
    const weekday = (day.getUTCDay() + 6) % 7; // from Monday on
    if (isOpen[weekday] && !closed.has(day.toISOString().slice(0, 10))) count++;
  }
  return count;
}

/** Returns 1 for each minute of a week, from Monday on, that is open. */
function openMinutes(text: string): Uint8Array {
  const open = new Uint8Array(WEEK_MINUTES);
  // A word processor makes dashes of hyphens.
  for (const entry of text.replace(/\s*[-–—]\s*/g, "-").split(",")) {
    const [days = "", ...times] = entry.trim().split(/\s+/);
    const weekdays = parseDays(days);
    if (times.length === 0) throw new Error(`${days} has no time, such as ${days} 08:00-18:00`);
    for (const time of times) {
      const { start, end } = parseTimes(time);
      for (const day of weekdays)
        for (let at = start; at < end; at++) open[(day * DAY_MINUTES + at) % WEEK_MINUTES] = 1;
    }
  }
  return open;
}

/** `Mon`, or `Sat-Mon`. */
function parseDays(text: string): number[] {
  const [first = "", last = first, ...others] = text.split("-");
  if (others.length > 0) throw new Error(`${text} is not a day such as Mon, or days such as Mon-Fri`);
  const [from, to] = [parseDay(first), parseDay(last)];
  return Array.from({ length: ((to - from + 7) % 7) + 1 }, (_, index) => (from + index) % 7);
}

function parseDay(text: string): number {
  const name = text.toLowerCase();
  const day = DAYS.findIndex((short) => short.toLowerCase() === name);
  const index = day === -1 ? FULL_NAMES.indexOf(name) : day;
  if (index === -1)
    throw new Error(`${JSON.stringify(text)} is not a weekday: allowed are ${DAYS.join(", ")}`);
  return index;
}

/** Returns minutes of a day; the end is on the next day if it is not after the start. */
function parseTimes(text: string): { start: number; end: number } {
  const [, ...parts] = /^(\d{1,2}):(\d\d)-(\d{1,2}):(\d\d)$/.exec(text) ?? [];
  const [fromHour = 24, fromMinute = 0, toHour = 24, toMinute = 0] = parts.map(Number);
  const [start, end] = [fromHour * 60 + fromMinute, toHour * 60 + toMinute];
  const isTime = fromMinute < 60 && toMinute < 60 && start < DAY_MINUTES && end <= DAY_MINUTES;
  if (!isTime)
    throw new Error(`${JSON.stringify(text)} is not from one time to another, such as 08:00-18:00`);
  if (start === end) throw new Error(`${text} has no length; a whole day is 00:00-24:00`);
  return { start, end: end > start ? end : end + DAY_MINUTES };
}

function clockOf(minute: number): string {
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60];
  return [hours, minutes].map((part) => String(part).padStart(2, "0")).join(":");
}
