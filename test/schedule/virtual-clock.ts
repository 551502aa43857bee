import type { Clock } from "../../src/base/clock.ts";

/** Macrotasks for woken sleepers before time passes. */
const TURNS = 5;

interface Sleeper {
  wakeAtMs: number;
  wake: () => void;
}

/** A clock on which many may sleep; time passes on request. Its wall time may differ from its timers. */
export class VirtualClock implements Clock {
  readonly #sleepers = new Set<Sleeper>();
  #elapsedMs = 0;
  #wallMs: number;
  /** The number of sleeps. */
  sleeps = 0;

  constructor(now: string) {
    this.#wallMs = Date.parse(now);
  }

  now(): number {
    return this.#wallMs + this.#elapsedMs;
  }

  /** Changes the wall time; timers do not notice, as on Linux. */
  jump(ms: number): void {
    this.#wallMs += ms;
  }

  async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    this.sleeps++;
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const sleeper = { wakeAtMs: this.#elapsedMs + delayMs, wake: resolve };
    this.#sleepers.add(sleeper);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    try {
      await promise;
    } finally {
      this.#sleepers.delete(sleeper);
    }
  }

  /** Lets that much time pass, and waits until all woken sleepers sleep again. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#elapsedMs + ms;
    await settle();
    for (;;) {
      const [next] = [...this.#sleepers].sort((a, b) => a.wakeAtMs - b.wakeAtMs);
      if (next === undefined || next.wakeAtMs > endMs) break;
      this.#elapsedMs = Math.max(this.#elapsedMs, next.wakeAtMs);
      next.wake();
      await settle();
    }
    this.#elapsedMs = endMs;
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
}
