import { vi } from "vitest";
import type { Clock } from "../../src/base/clock.ts";

/** More than in any test. Without it, a schedule that never rests would make its test hang rather than fail. */
const [MOST_SLEEPS, MOST_LOOKS] = [100_000, 10_000];

/** Time that passes on request, for node-cron's timers, too. Its wall time may differ from its timers. */
export class VirtualClock implements Clock {
  /** The number of sleeps. */
  sleeps = 0;
  /** How often its time was read since it last changed. */
  #looks = { atMs: 0, count: 0 };

  /** A second one replaces the first; `vi.useRealTimers` ends it. */
  constructor(now: string) {
    vi.useFakeTimers({ toFake: ["Date", "setTimeout", "clearTimeout"], now: Date.parse(now) });
  }

  now(): number {
    const nowMs = Date.now();
    if (nowMs !== this.#looks.atMs) this.#looks = { atMs: nowMs, count: 0 };
    if (++this.#looks.count > MOST_LOOKS) throw new Error("the clock is read again and again at one moment");
    return nowMs;
  }

  /** Changes the wall time; timers do not notice, as on Linux. */
  jump(ms: number): void {
    vi.setSystemTime(Date.now() + ms);
  }

  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    if (++this.sleeps > MOST_SLEEPS) throw new Error("there is no end of short sleeps");
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
