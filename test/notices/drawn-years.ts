import fc from "fast-check";
import { zoneOffsets } from "../../src/calendar/local-time.ts";
import {
  HORIZON_MS,
  judgeCalls,
  type PastNotice,
  type WatchedCall,
  type WatchedKey,
} from "../../src/notices/judge-calls.ts";

const HOUR_MS = 3_600_000;
/** The calls that are looked at before the year begins. */
const WARM_UP_HOURS = HORIZON_MS / HOUR_MS;
const START_MS = Date.parse("2025-01-06T00:00:00.000Z");

interface DrawnNumber {
  /** Mean calls of a weekday. */
  daily: number;
  source: string;
  campaign: string;
}

/** A number that is cut off for some days, or answers a share of its calls. */
export interface Outage {
  number: number;
  /** After the warm-up. */
  fromHour: number;
  hours: number;
  /** Of its calls that still arrive. */
  share: number;
}

export interface DrawnYear {
  numbers: readonly DrawnNumber[];
  zone: string;
  days: number;
  outages: readonly Outage[];
  /** Whether calls come day and night. @default in business hours */
  isFlat?: boolean;
  /** Whether each number gets calls of all sources and campaigns. @default its own */
  isMixed?: boolean;
  seed: number;
}

export interface Noticed extends WatchedKey {
  kind: PastNotice["kind"];
  sinceMs: number;
  noticedMs: number;
  endedMs: number | undefined;
  reason: PastNotice["reason"];
}

/** Share of a day's calls in each local hour, and of a weekday's on each day from Monday. */
const HOURS = [0, 0, 0, 0, 0, 1, 2, 5, 8, 10, 10, 9, 7, 8, 9, 9, 8, 6, 4, 2, 1, 1, 0, 0].map(
  (each) => each / 100,
);
const WEEKDAYS = [1.15, 1, 1, 1, 0.95, 0.4, 0.25];

export const drawnNumbers = fc.array(
  fc.record({
    daily: fc.double({ min: 0.5, max: 60, noNaN: true }),
    source: fc.constantFrom("google", "bing", "facebook", "gbp"),
    campaign: fc.constantFrom("Brand", "Emergency", "Winter"),
  }),
  { minLength: 1, maxLength: 10 },
);

/** A small generator with a seed: fast-check draws too few values for a year of calls. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns a function from the start of an hour to its share of a weekday's calls. */
function hourShares({ zone, isFlat = false }: DrawnYear): (startMs: number) => number {
  if (isFlat) return () => 1 / 24;
  const offsetAt = zoneOffsets(zone);
  return (startMs) => {
    const local = new Date(startMs + offsetAt(startMs).offsetMs);
    return (HOURS[local.getUTCHours()] ?? 0) * (WEEKDAYS[(local.getUTCDay() + 6) % 7] ?? 0);
  };
}

/** Mean number of calls that an outage takes away. */
export function meanLost(year: DrawnYear, { number, fromHour, hours, share }: Outage): number {
  const { numbers } = year;
  const shareOf = hourShares(year);
  const shares = Array.from({ length: hours }, (_, hour) =>
    shareOf(startOfYear() + (fromHour + hour) * HOUR_MS),
  );
  return (1 - share) * (numbers[number]?.daily ?? 0) * shares.reduce((sum, each) => sum + each, 0);
}

/** Until the next call, in mean waits. */
const wait = (random: () => number) => -Math.log(1 - random());

export function startOfYear(): number {
  return START_MS + HORIZON_MS;
}

/** Draws the calls of a year: independent of each other, by the hour of the week. */
export function drawCalls(year: DrawnYear): WatchedCall[] {
  const { numbers, days, outages, isMixed = false, seed } = year;
  const random = mulberry(seed);
  const shareOf = hourShares(year);
  const calls: WatchedCall[] = [];
  for (let hour = 0; hour < days * 24 + WARM_UP_HOURS; hour++) {
    const startMs = START_MS + hour * HOUR_MS;
    const share = shareOf(startMs);
    for (const [index, own] of numbers.entries()) {
      const yearHour = hour - WARM_UP_HOURS;
      const outage = outages.find(
        ({ number, fromHour, hours }) =>
          number === index && yearHour >= fromHour && yearHour < fromHour + hours,
      );
      // Waiting times of a Poisson process.
      const mean = own.daily * share * (outage?.share ?? 1);
      for (let at = wait(random); at < mean; at += wait(random)) {
        const { source, campaign } = isMixed ? (numbers[Math.floor(random() * numbers.length)] ?? own) : own;
        const startedMs = Math.floor(startMs + (at / mean) * HOUR_MS);
        calls.push({ startedMs, tracking_number: `+1512555${1000 + index}`, source, campaign });
      }
    }
  }
  return calls.sort((a, b) => a.startedMs - b.startedMs);
}

/** Judges a year hour by hour, as a schedule does. */
export function watchYear(year: DrawnYear, calls = drawCalls(year)): Noticed[] {
  const noticed: Noticed[] = [];
  let [first, end] = [0, 0];
  for (let hour = 1; hour <= year.days * 24; hour++) {
    const untilMs = startOfYear() + hour * HOUR_MS;
    while ((calls[first]?.startedMs ?? untilMs) < untilMs - HORIZON_MS) first++;
    while ((calls[end]?.startedMs ?? untilMs) < untilMs) end++;
    const { started, ended } = judgeCalls(calls.slice(first, end), {
      untilMs,
      zone: year.zone,
      past: noticed.filter(({ endedMs = untilMs }) => endedMs > untilMs - HORIZON_MS),
    });
    for (const { notice, endedMs, reason } of ended) Object.assign(notice, { endedMs, reason });
    for (const { dimension, key, kind, sinceMs } of started)
      noticed.push({ dimension, key, kind, sinceMs, noticedMs: untilMs, endedMs: undefined, reason: null });
  }
  return noticed;
}
