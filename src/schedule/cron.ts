import { createTask, parse } from "node-cron";
import { findChange, type OffsetAt, offsetsOf } from "./zone-offsets.ts";

const DAY_MS = 86_400_000;
/** A 29th of February that is to be a Monday may be 40 years away. */
const DAYS_AHEAD = 41 * 366;

/** Hint for an invalid cron expression. */
export const CRON_HINT =
  "Five fields: minute, hour, day of the month, month, day of the week; e.g. 7 * * * *.";

/** A cron expression in a time zone. */
export interface Cron {
  expression: string;
  timezone: string;
  /** Returns the first slot after an instant; both in milliseconds since 1970-01-01 UTC. */
  next: (afterMs: number) => number;
}

/**
 * Parses a cron expression: five fields, six with seconds, or a nickname such as `@daily`; node-cron says what is one.
 * The slots are computed here, since node-cron can only tell whether one is due now, and skips some:
 *
 * - a local time that is skipped in spring is taken with the clock not yet changed: 02:30 is then 03:30;
 * - of an hour that comes twice in autumn the first counts, but both where the expression means every hour;
 * - a job runs when either day field matches, where both are given (POSIX crontab).
 *
 * @throws Error that says what is wrong
 */
export function parseCron(expression: string, timezone: string): Cron {
  const patterns = splitDays(expression).map(parsePattern);
  const offsetAt = offsetsOf(timezone);
  const next = (afterMs: number) =>
    Math.min(...patterns.map((pattern) => nextInstant(pattern, offsetAt, afterMs)));
  if (next(0) === Number.POSITIVE_INFINITY) throw new Error("such a day never comes");
  return { expression, timezone, next };
}

/** So far back slots are looked for at least: a 29th of February comes within eight years. */
const LEAST_BACK_MS = 8 * 366 * DAY_MS;

/** Returns the latest slot up to an instant; both in milliseconds since 1970-01-01 UTC. */
export function lastSlot({ next }: Cron, nowMs: number): number | undefined {
  for (let backMs = 60_000; backMs < 2 * LEAST_BACK_MS; backMs *= 2) {
    let slotMs = next(nowMs - backMs);
    if (slotMs > nowMs) continue;
    for (let laterMs = next(slotMs); laterMs <= nowMs; laterMs = next(slotMs)) slotMs = laterMs;
    return slotMs;
  }
  return undefined;
}

/** A cron expression whose fields must all fit. */
interface Pattern {
  seconds: number[];
  minutes: number[];
  hours: number[];
  months: number[];
  /** Whether a local time, written as if it were UTC, fits. */
  matches: (civilMs: number) => boolean;
}

/** As in crontab, a job runs when either day field matches; node-cron requires both. */
function splitDays(expression: string): string[] {
  const fields = expression.trim().split(/\s+/);
  if (fields.length < 5) return [expression];
  const [dayOfMonth, dayOfWeek] = [fields.at(-3) ?? "", fields.at(-1) ?? ""];
  if (/^[*?]/.test(dayOfMonth) || /^[*?]/.test(dayOfWeek)) return [expression];
  return [fields.with(-1, "*").join(" "), fields.with(-3, "*").join(" ")];
}

function parsePattern(expression: string): Pattern {
  const { second, minute, hour, month } = parse(expression);
  const ascending = (values: number[]) => [...new Set(values)].sort((a, b) => a - b);
  const task = createTask(expression, () => undefined, { timezone: "UTC" });
  return {
    seconds: ascending(second),
    minutes: ascending(minute),
    hours: ascending(hour),
    months: month,
    matches: (civilMs) => task.match(new Date(civilMs)),
  };
}

/** The first slot after an instant: span by span in which the zone's clocks are not changed. */
function nextInstant(pattern: Pattern, offsetAt: OffsetAt, afterMs: number): number {
  for (let fromMs = afterMs + 1; ; ) {
    const offset = offsetAt(fromMs);
    const changedMs = findChange(offsetAt, fromMs - DAY_MS, fromMs);
    const earlier = changedMs === undefined ? offset : offsetAt(changedMs - 1);
    const isEveryHour = pattern.hours.length === 24;
    // Clocks were put back: the local times up to where they stood have been already.
    const isRepeated = changedMs !== undefined && !isEveryHour;
    const fromCivilMs = isRepeated ? Math.max(fromMs + offset, changedMs + earlier) : fromMs + offset;
    let slot = nextCivil(pattern, fromCivilMs) - offset;
    // Clocks were put forward: the local times they jumped over, as if they had not been.
    const skipped = nextCivil(pattern, fromMs + earlier);
    if (changedMs !== undefined && skipped < changedMs + offset) slot = Math.min(slot, skipped - earlier);
    if (slot === Number.POSITIVE_INFINITY) return slot;
    const change = findChange(offsetAt, fromMs, slot);
    if (change === undefined) return slot;
    fromMs = change;
  }
}

/** The first local time that fits, not before another one; both written as if they were UTC. */
function nextCivil({ seconds, minutes, hours, months, matches }: Pattern, fromMs: number): number {
  const firstDayMs = Math.floor(fromMs / DAY_MS) * DAY_MS;
  const [anyTimeMs = 0] = timesOfDay(hours, minutes, seconds);
  for (let day = 0; day < DAYS_AHEAD; day++) {
    const dayMs = firstDayMs + day * DAY_MS;
    if (!months.includes(new Date(dayMs).getUTCMonth() + 1) || !matches(dayMs + anyTimeMs)) continue;
    const sinceMs = fromMs - dayMs;
    const late = hours.filter((hour) => (hour + 1) * 3_600_000 > sinceMs);
    for (const timeMs of timesOfDay(late, minutes, seconds)) if (timeMs >= sinceMs) return dayMs + timeMs;
  }
  return Number.POSITIVE_INFINITY;
}

function* timesOfDay(hours: number[], minutes: number[], seconds: number[]): Generator<number> {
  for (const hour of hours) {
    for (const minute of minutes) {
      for (const second of seconds) yield (hour * 3600 + minute * 60 + second) * 1000;
    }
  }
}
