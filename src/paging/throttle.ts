import pLimit, { type LimitFunction } from "p-limit";

/** Successful responses after which one more request may run at once again. */
const SUCCESSES_TO_RECOVER = 10;

/**
 * How many requests run at once: half as many after each 429, and one more after some successful responses. Every request
 * of a run goes through it, planned or not; those that read one page in pieces follow one another in one place.
 */
export class Throttle {
  readonly limit: LimitFunction;
  readonly max: number;
  #successes = 0;

  constructor(max: number) {
    this.max = max;
    this.limit = pLimit(max);
  }

  slowDown(): void {
    this.#successes = 0;
    this.limit.concurrency = Math.max(1, Math.floor(this.limit.concurrency / 2));
  }

  succeeded(): void {
    if (this.limit.concurrency === this.max || ++this.#successes < SUCCESSES_TO_RECOVER) return;
    this.#successes = 0;
    this.limit.concurrency++;
  }
}
