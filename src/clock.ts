import { setTimeout as sleep } from "node:timers/promises";

/** Time as calltally sees it, so that tests can hold or move it. */
export interface Clock {
  /** Milliseconds since 1970-01-01 UTC. */
  now(): number;
  /** Waits; rejects with the signal's reason when it aborts. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
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
