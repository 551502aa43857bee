import { createTask, parse } from "node-cron";
import { Temporal } from "temporal-polyfill";

const DAY_MS = 86_400_000;
/** 29 February may fall on a given weekday only once in 40 years. */
const DAYS_AHEAD = 41 * 366;

export const CRON_HINT =
  "Write five fields: minute, hour, day of the month, month, day of the week; e.g. 7 * * * *.";

export interface Cron {
  expression: string;
  timezone: string;
  next: (afterMs: number) => number;
}

/**
 * Parses a cron expression: five fields, six with seconds, or a nickname such as `@daily`, as node-cron does. Slots
 * are computed here, because node-cron only says whether one is due now, and skips some:
 * - a local time skipped in spring is read with the clock not yet changed: 02:30 is then 03:30;
 * - of an hour that occurs twice in autumn the first counts, but both if the expression means every hour;
 * - if both day fields are given, either may match (POSIX crontab).
 * @throws Error that says what is wrong
 */
export function parseCron(expression: string, timezone: string): Cron {
  const patterns = splitDays(expression).map(parsePattern);
  const next = (afterMs: number) =>
    Math.min(...patterns.map((pattern) => nextInstant(pattern, timezone, afterMs)));
  if (next(0) === Number.POSITIVE_INFINITY) throw new Error("no such day exists");
  return { expression, timezone, next };
}

/** How far back slots are searched: 29 February occurs within eight years. */
const MIN_BACK_MS = 8 * 366 * DAY_MS;

/** Returns the latest slot up to an instant; both in milliseconds since 1970-01-01 UTC. */
export function lastSlot({ next }: Cron, nowMs: number): number | undefined {
  for (let backMs = 60_000; backMs < 2 * MIN_BACK_MS; backMs *= 2) {
    let slotMs = next(nowMs - backMs);
    if (slotMs > nowMs) continue;
    for (let laterMs = next(slotMs); laterMs <= nowMs; laterMs = next(slotMs)) slotMs = laterMs;
    return slotMs;
  }
  return undefined;
}

type Pattern = ReturnType<typeof parsePattern>;

/** As in crontab, a job runs when either day field matches; node-cron requires both. */
function splitDays(expression: string): string[] {
  const fields = expression.trim().split(/\s+/);
  if (fields.length < 5) return [expression];
  const [dayOfMonth, dayOfWeek] = [fields.at(-3) ?? "", fields.at(-1) ?? ""];
  if (/^[*?]/.test(dayOfMonth) || /^[*?]/.test(dayOfWeek)) return [expression];
  return [fields.with(-1, "*").join(" "), fields.with(-3, "*").join(" ")];
}

function parsePattern(expression: string) {
  const { second, minute, hour, month } = parse(expression);
  const ascending = (values: number[]) => [...new Set(values)].sort((a, b) => a - b);
  const task = createTask(expression, () => undefined, { timezone: "UTC" });
  return {
    seconds: ascending(second),
    minutes: ascending(minute),
    hours: ascending(hour),
    months: month,
    /** Whether a local time, written as if it were UTC, matches. */
    matches: (civilMs: number) => task.match(new Date(civilMs)),
  };
}

function nextInstant(pattern: Pattern, timezone: string, afterMs: number): number {
  const fromMs = afterMs + 1;
  const civilMs = toCivil(fromMs, timezone);
  // Within a day of a clock change, earlier local times may be skipped ones, or occur again.
  const shifts = [-DAY_MS, DAY_MS].map((ms) => toCivil(fromMs + ms, timezone) - ms - civilMs);
  const isEveryHour = pattern.hours.length === 24;
  let slotMs = Number.POSITIVE_INFINITY;
  for (let fits = civilMs + Math.min(0, ...shifts); ; fits++) {
    fits = nextCivil(pattern, fits);
    if (fits === Number.POSITIVE_INFINITY) return slotMs;
    for (const disambiguation of isEveryHour
      ? (["compatible", "later"] as const)
      : (["compatible"] as const)) {
      const instantMs = toInstant(fits, timezone, disambiguation);
      if (instantMs >= fromMs) slotMs = Math.min(slotMs, instantMs);
    }
    // A skipped time is taken an hour later, so others may precede it.
    const isLast = slotMs < Number.POSITIVE_INFINITY && fits >= toCivil(slotMs, timezone);
    if (isLast && fits >= civilMs) return slotMs;
  }
}

/** Local times are written as if they were UTC, in milliseconds. */
function toCivil(instantMs: number, timezone: string): number {
  const instant = Temporal.Instant.fromEpochMilliseconds(instantMs);
  return instantMs + instant.toZonedDateTimeISO(timezone).offsetNanoseconds / 1e6;
}

function toInstant(civilMs: number, timezone: string, disambiguation: "compatible" | "later"): number {
  const civil = Temporal.Instant.fromEpochMilliseconds(civilMs).toZonedDateTimeISO("UTC").toPlainDateTime();
  return civil.toZonedDateTime(timezone, { disambiguation }).epochMilliseconds;
}

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
