import pLimit, { type LimitFunction } from "p-limit";

/** Good answers after which one more request may run at once again. */
const ANSWERS_TO_RECOVER = 10;

/** How many requests run at once: half as many after each 429, and one more after some good answers. */
export class Throttle {
  readonly limit: LimitFunction;
  readonly max: number;
  #answers = 0;

  constructor(max: number) {
    this.max = max;
    this.limit = pLimit(max);
  }

  slowDown(): void {
    this.#answers = 0;
    this.limit.concurrency = Math.max(1, Math.floor(this.limit.concurrency / 2));
  }

  answered(): void {
    if (this.limit.concurrency === this.max || ++this.#answers < ANSWERS_TO_RECOVER) return;
    this.#answers = 0;
    this.limit.concurrency++;
  }
}
