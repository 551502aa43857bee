import type { Clock } from "../../src/base/clock.ts";

/** A clock that only moves by its sleeps, which end immediately and are recorded. */
export class FakeClock implements Clock {
  readonly sleeps: number[] = [];
  /** Runs at the start of each sleep. */
  onSleep: () => void = () => undefined;
  #nowMs: number;

  constructor(now = "2026-11-20T15:00:00.000Z") {
    this.#nowMs = Date.parse(now);
  }

  now(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }

  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    this.sleeps.push(delayMs);
    this.onSleep();
    signal?.throwIfAborted();
    this.advance(delayMs);
  }
}
