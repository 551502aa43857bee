import { vi } from "vitest";
import type { Clock } from "../../src/base/clock.ts";

/** Time that passes on request, for node-cron's timers, too. Its wall time may differ from its timers. */
export class VirtualClock implements Clock {
  /** The number of sleeps. */
  sleeps = 0;

  /** A second one replaces the first; `vi.useRealTimers` ends it. */
  constructor(now: string) {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.parse(now) });
  }

  now(): number {
    return Date.now();
  }

  /** Changes the wall time; timers do not notice, as on Linux. */
  jump(ms: number): void {
    vi.setSystemTime(Date.now() + ms);
  }

  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    this.sleeps++;
    signal?.throwIfAborted();
    if (delayMs === 0) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, delayMs);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    try {
      await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Lets that much time pass, and wakes all sleepers in time. */
  async pass(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms);
  }
}
