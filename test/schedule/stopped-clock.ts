import type { Clock } from "../../src/base/clock.ts";

/** A clock that moves on request only; sleeps end by their signal. */
export class StoppedClock implements Clock {
  #nowMs: number;

  constructor(now: string) {
    this.#nowMs = Date.parse(now);
  }

  now(): number {
    return this.#nowMs;
  }

  jump(ms: number): void {
    this.#nowMs += ms;
  }

  async sleep(_delayMs: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const { promise, reject } = Promise.withResolvers<void>();
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    await promise;
  }
}
