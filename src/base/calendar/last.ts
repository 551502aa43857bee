import { Temporal } from "temporal-polyfill";
import { nearest } from "../text/nearest.ts";
import { type DateRange, firstDay } from "./dates.ts";
import type { Comparison } from "./grain.ts";

const MAX = { d: 3660, w: 520, m: 120 } as const;
type LastUnit = keyof typeof MAX;
const UNITS = { d: ["day", "days"], w: ["week", "weeks"], m: ["month", "months"] } as const;

/**
 * Returns the range that `text` names, seen from the local date `today`: `7d`, `4w` and `3m` are the last complete
 * days, ISO weeks and calendar months, up to ten years; `yesterday` is `1d` and `last-month` is `1m`; `mtd` and `ytd`
 * are the month and the year up to and including today.
 * @throws Error that says what is allowed, with the nearest such text
 */
export function parseLast(text: string, today: string): Required<DateRange> {
  const range = nearestLast(text);
  if (range?.text !== text) {
    const advice = range === undefined ? "" : `; did you mean ${range.text}?`;
    throw new Error(`must be one of 7d, 4w, 3m (up to ten years), ${LAST_NAMES.join(", ")}${advice}`);
  }
  const day = Temporal.PlainDate.from(today);
  if (range.unit === undefined) return { from: range.begin(day).toString(), to: today };
  const [grain, unit] = UNITS[range.unit];
  const end = firstDay(day, grain);
  return {
    from: end.subtract({ [unit]: range.count }).toString(),
    to: end.subtract({ days: 1 }).toString(),
  };
}

/** A number of complete units; or, without a unit, from the day that `begin` derives from today until today. */
type LastRange =
  | { count: number; unit: LastUnit }
  | { begin: (today: Temporal.PlainDate) => Temporal.PlainDate; unit?: never };

const LAST_NAMES = ["today", "yesterday", "mtd", "ytd", "last-month"] as const;
type LastName = (typeof LAST_NAMES)[number];
const LAST_RANGES: Record<LastName, LastRange> = {
  today: { begin: (today) => today },
  yesterday: { count: 1, unit: "d" },
  mtd: { begin: (today) => today.with({ day: 1 }) },
  ytd: { begin: (today) => today.with({ month: 1, day: 1 }) },
  "last-month": { count: 1, unit: "m" },
};
const SPELLED_OUT: Readonly<Record<string, LastName>> = { monthtodate: "mtd", yeartodate: "ytd" };

/** Returns the range that was probably meant, and its spelling: for a number alone, with each unit. */
function nearestLast(text: string): ({ text: string } & LastRange) | undefined {
  const bare = text.toLowerCase().replace(/[\s_-]/g, "");
  const name = SPELLED_OUT[bare] ?? LAST_NAMES.find((name) => name.replace("-", "") === bare);
  if (name !== undefined) return { text: name, ...LAST_RANGES[name] };
  const [, digits = "", word = ""] =
    /^(?:last)?(\d*)(d|days?|w|weeks?|m|months?|y|years?)?$/.exec(bare) ?? [];
  if (digits === "" && word === "") {
    const near = nearest(text, LAST_NAMES);
    return near && { text: near, ...LAST_RANGES[near] };
  }
  if (digits === "" && word.startsWith("m")) return { text: "last-month", ...LAST_RANGES["last-month"] };
  const isYears = word.startsWith("y");
  const unit = isYears || word.startsWith("m") ? "m" : word.startsWith("w") ? "w" : "d";
  const number = Number(digits || 1) * (isYears ? 12 : 1);
  const count = Math.min(Math.max(1, number), MAX[unit]);
  const meant =
    word === "" ? `${count}d, ${Math.min(count, MAX.w)}w or ${Math.min(count, MAX.m)}m` : `${count}${unit}`;
  return { text: meant, count, unit };
}

/**
 * Returns the comparison for a range of {@link parseLast}: ranges in days or weeks are compared with as many days,
 * even if they happen to begin with a month; the year to date with the same days of the year before.
 */
export function comparisonOfLast<Kind extends Comparison>(text: string, kind: Kind): Kind | "year" | "days" {
  if (kind !== "previous") return kind;
  if (text === "ytd") return "year";
  return /^(?:\d+[dw]|today|yesterday)$/.test(text) ? "days" : kind;
}
