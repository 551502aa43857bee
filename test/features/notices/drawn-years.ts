import fc from "fast-check";
import { zoneOffsets } from "../../../src/base/calendar/local-time.ts";
import {
  CallHours,
  type CallKeys,
  type DayOfCalls,
  type WatchedKey,
} from "../../../src/features/notices/call-hours.ts";
import { HORIZON_MS, judgeCalls } from "../../../src/features/notices/judge-calls.ts";
import type { PastNotice } from "../../../src/features/notices/key-calls.ts";

const HOUR_MS = 3_600_000;
/** The hours of calls before the year begins. */
const WARM_UP_HOURS = HORIZON_MS / HOUR_MS;
const START_MS = Date.parse("2025-01-06T00:00:00.000Z");

export interface DrawnCall extends CallKeys {
  startedMs: number;
}

interface DrawnNumber {
  /** Mean calls of a weekday. */
  daily: number;
  source: string;
  campaign: string;
}

/** A number that is cut off for some days, or loses a share of its calls. */
export interface Outage {
  number: number;
  /** After the warm-up. */
  fromHour: number;
  hours: number;
  /** The share of its calls that still arrive; more than 1 for more calls. */
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
  /** Standard deviation of the logarithm of each day's factor. @default 0 */
  noise?: number;
  /** Whether all numbers have the same factor. @default each its own */
  isNoiseShared?: boolean;
  seed: number;
}

export interface Noticed extends WatchedKey, PastNotice {
  noticedMs: number;
  endedMs: number | undefined;
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

/** The mean number of calls that an outage costs. */
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

/** A factor with mean 1, whose logarithm is normal. */
function factor(random: () => number, noise: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.exp(noise * normal - noise ** 2 / 2);
}

/** Draws the calls of a year: by the hour of the week, and independent of each other except for the noise. */
export function drawCalls(year: DrawnYear): DrawnCall[] {
  const { numbers, days, outages, isMixed = false, noise = 0, isNoiseShared = false, seed } = year;
  const random = mulberry(seed);
  const shareOf = hourShares(year);
  const calls: DrawnCall[] = [];
  let factors: readonly number[] = [];
  for (let hour = 0; hour < days * 24 + WARM_UP_HOURS; hour++) {
    const startMs = START_MS + hour * HOUR_MS;
    if (hour % 24 === 0 && noise > 0) {
      const shared = factor(random, noise);
      factors = numbers.map(() => (isNoiseShared ? shared : factor(random, noise)));
    }
    const share = shareOf(startMs);
    for (const [index, own] of numbers.entries()) {
      const yearHour = hour - WARM_UP_HOURS;
      const outage = outages.find(
        ({ number, fromHour, hours }) =>
          number === index && yearHour >= fromHour && yearHour < fromHour + hours,
      );
      // Waiting times of a Poisson process.
      const mean = own.daily * share * (outage?.share ?? 1) * (factors[index] ?? 1);
      for (let at = wait(random); at < mean; at += wait(random)) {
        const { source, campaign } = isMixed ? (numbers[Math.floor(random() * numbers.length)] ?? own) : own;
        const startedMs = Math.floor(startMs + (at / mean) * HOUR_MS);
        calls.push({ startedMs, tracking_number: `+1512555${1000 + index}`, source, campaign });
      }
    }
  }
  return calls.sort((a, b) => a.startedMs - b.startedMs);
}

const DAY_MS = 24 * HOUR_MS;

/** Counts calls by hour. */
export function toHours(calls: readonly DrawnCall[]): CallHours {
  const none = { tracking_number: null, source: null, campaign: null };
  const numbers = toDays(calls, ({ tracking_number }) => ({ ...none, tracking_number }));
  const visits = toDays(calls, ({ source, campaign }) => ({ ...none, source, campaign }));
  const all = toDays(calls, ({ startedMs: _, ...keys }) => keys);
  return new CallHours({ numbers, visits, readCalls: () => all });
}

function toDays(calls: readonly DrawnCall[], keysOf: (call: DrawnCall) => CallKeys): DayOfCalls[] {
  const known = new Map<string, CallKeys>();
  const byDay = Map.groupBy(calls, ({ startedMs }) => Math.floor(startedMs / DAY_MS));
  const [first = 0, last = 0] = [Math.min(...byDay.keys()), Math.max(...byDay.keys())];
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const cells = new Map<number, number>();
    const indexes = new Map<CallKeys, number>();
    for (const call of byDay.get(first + index) ?? []) {
      const keys = keysOf(call);
      const name = JSON.stringify(keys);
      const shared = known.get(name) ?? keys;
      known.set(name, shared);
      const at = indexes.get(shared) ?? indexes.size;
      indexes.set(shared, at);
      const cell = at * 24 + Math.floor((call.startedMs % DAY_MS) / HOUR_MS);
      cells.set(cell, (cells.get(cell) ?? 0) + 1);
    }
    return { day: first + index, keys: [...indexes.keys()], cells: Uint32Array.from([...cells].flat()) };
  });
}

/** Hours that are judged with the same counts. */
const CHUNK_HOURS = 28 * 24;

/** Judges a year hour by hour, like a schedule. */
export function watchYear(
  year: DrawnYear,
  { calls = drawCalls(year) }: { calls?: readonly DrawnCall[] } = {},
): Noticed[] {
  const noticed: Noticed[] = [];
  const startHour = startOfYear() / HOUR_MS;
  let hours: CallHours | undefined;
  for (let hour = 1; hour <= year.days * 24; hour++) {
    const untilHour = startHour + hour;
    if ((hour - 1) % CHUNK_HOURS === 0) {
      const [fromMs, untilMs] = [
        untilHour * HOUR_MS - HORIZON_MS - DAY_MS,
        (untilHour + CHUNK_HOURS) * HOUR_MS,
      ];
      hours = toHours(calls.filter(({ startedMs }) => startedMs >= fromMs && startedMs < untilMs));
    }
    if (hours === undefined) continue;
    const { started, ended } = judgeCalls(hours, {
      untilHour,
      zone: year.zone,
      past: noticed.filter(({ endedHour = untilHour }) => (untilHour - endedHour) * HOUR_MS < HORIZON_MS),
    });
    for (const { notice, endedHour, reason } of ended)
      Object.assign(notice, { endedHour, endedMs: endedHour * HOUR_MS, reason });
    for (const { dimension, key, kind, sinceHour } of started)
      noticed.push({
        dimension,
        key,
        kind,
        sinceHour,
        noticedMs: untilHour * HOUR_MS,
        endedHour: undefined,
        endedMs: undefined,
        reason: null,
      });
  }
  return noticed;
}
