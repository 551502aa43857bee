import { setTimeout as sleep } from "node:timers/promises";

/** The current time and waiting, so that tests can control both. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  /** Waits; rejects with the signal's reason when it aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** Clocks may differ, or be set back, by this much before a stored time is doubted. */
export const TOLERANCE_MS = 60_000;

/** Returns the age of a stored time (ISO 8601 UTC) in milliseconds; infinite if there is none or it lies in the future. */
export function ageOf(time: string | null | undefined, nowMs: number): number {
  const ageMs = nowMs - Date.parse(time ?? "");
  return ageMs >= -TOLERANCE_MS ? Math.max(0, ageMs) : Number.POSITIVE_INFINITY;
}

export function isFuture(time: string | null | undefined, nowMs: number): boolean {
  return time != null && ageOf(time, nowMs) === Number.POSITIVE_INFINITY;
}

/** 2026-11-20T13:37:03.537Z → 2026-11-20 13:37 */
export function minuteOf(time: string): string {
  return time.slice(0, 16).replace("T", " ");
}

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (delayMs, signal) => {
    signal?.throwIfAborted();
    try {
      await sleep(delayMs, undefined, signal ? { signal } : {});
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  },
};
