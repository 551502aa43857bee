import { nearest } from "../base/text/nearest.ts";
import { remember } from "../calls/attribution/remember.ts";
import { isNothing } from "./amount-text.ts";
import { type DayText, MONTHS, readDay } from "./day-text.ts";

/** A time of day as written. */
export interface TimeText {
  /** Since midnight. */
  ms: number;
  /** How long it lasts: a time without seconds is its whole minute. */
  lengthMs: number;
  /** Minutes east of UTC; undefined for local time. */
  offsetMinutes: number | undefined;
}

/** A day, perhaps with a time; null for none. */
export interface MomentText {
  day: DayText | null;
  time: TimeText | undefined;
}

/** Minutes east of UTC, by RFC 5322, section 4.3. */
const ZONES: ReadonlyMap<string, number> = new Map(
  [
    "Z 0",
    "UT 0",
    "UTC 0",
    "GMT 0",
    "EDT -4",
    "EST -5",
    "CDT -5",
    "CST -6",
    "MDT -6",
    "MST -7",
    "PDT -7",
    "PST -8",
  ].map((line) => {
    const [name = "", hours] = line.split(" ");
    return [name, Number(hours) * 60];
  }),
);
const NAMED = [...ZONES.keys()].toSorted((a, b) => b.length - a.length).join("|");
/** UTC, GMT-0500, +05:30, and the name that some programs write behind it in brackets. */
const ZONE = `(?<zone>(?:UTC|GMT)?[+-]\\d{2}(?::?\\d{2})?|${NAMED})?(?:\\s*[([][\\p{L}\\s/_]+[)\\]])?`;
const TIME = new RegExp(
  `^(?<date>.*[^\\s,])(?:T|[\\s,]+)(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2})(?:[.,]\\d+)?)?\\s*(?:(?<half>[ap])\\.?\\s?m\\.?)?\\s*${ZONE}$`,
  "iu",
);
const COMPACT =
  /^(?<date>\d{8})T(?<hour>\d{2})(?<minute>\d{2})(?<second>\d{2})?(?<half>)(?<zone>Z|[+-]\d{4})?$/i;
/** What stands between a date and its time. */
const BETWEEN = /(?:\s*,|\s+[-–—]|\s+at)$/i;

/** Reads a day, perhaps with a time; undefined for other texts. */
export const readMoment = remember((written: string): MomentText | undefined => {
  if (isNothing(written)) return { day: null, time: undefined };
  const whole = readDay(written);
  if (whole !== undefined) return { day: whole, time: undefined };
  const parts = (TIME.exec(written) ?? COMPACT.exec(written))?.groups;
  if (parts === undefined) return undefined;
  const day = readDay((parts.date ?? "").replace(BETWEEN, ""));
  const ms = toTime(parts);
  const offsetMinutes = toOffset(parts.zone);
  if (day === undefined || ms === undefined || Number.isNaN(offsetMinutes)) return undefined;
  return { day, time: { ms, lengthMs: parts.second === undefined ? 60_000 : 1000, offsetMinutes } };
});

/** Returns milliseconds since midnight; undefined for no time. */
function toTime({
  hour,
  minute,
  second = "0",
  half,
}: Record<string, string | undefined>): number | undefined {
  const [hours, minutes, seconds] = [Number(hour), Number(minute), Number(second)];
  const isHour = half ? hours >= 1 && hours <= 12 : hours < 24;
  if (!isHour || minutes > 59 || seconds > 59) return undefined;
  const ofDay = half ? (hours % 12) + (half.toLowerCase() === "p" ? 12 : 0) : hours;
  return ((ofDay * 60 + minutes) * 60 + seconds) * 1000;
}

/** Of Kiribati, the largest there is. */
const MAX_OFFSET_MINUTES = 14 * 60;

/** Returns NaN for an offset that no zone has. */
function toOffset(zone: string | undefined): number | undefined {
  if (zone === undefined) return undefined;
  const known = ZONES.get(zone.toUpperCase());
  if (known !== undefined) return known;
  const [, sign, hours, minutes = "0"] = /([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  const size = Number(hours) * 60 + Number(minutes);
  if (Number(minutes) > 59 || size > MAX_OFFSET_MINUTES) return Number.NaN;
  return sign === "-" ? -size : size;
}

/** Returns the end of a sentence for a date with a mistyped month: `; did you mean "Oct 5, 2026"?` */
export function orMeantDate(written: string): string {
  for (const [word] of written.matchAll(/\p{L}{3,}/gu)) {
    const month =
      nearest(word, MONTHS) ??
      nearest(
        word,
        MONTHS.map((name) => name.slice(0, 3)),
      );
    if (month === undefined || MONTHS.includes(word.toLowerCase())) continue;
    const meant = written.replace(word, month.charAt(0).toUpperCase() + month.slice(1));
    if (readMoment(meant) !== undefined) return `; did you mean ${JSON.stringify(meant)}?`;
  }
  return "";
}
