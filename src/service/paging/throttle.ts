import pLimit, { type LimitFunction } from "p-limit";

/** Successful responses before one more request may run at once. */
const SUCCESSES_TO_RECOVER = 10;

/**
 * Limits concurrent requests: halves the limit at each 429, and raises it by one after some successful responses. Every
 * request of a run goes through it. The pieces of one page are read in sequence, as one request.
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
