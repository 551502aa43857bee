import { endOf, overlapOf, type Slice } from "./slice.ts";
import type { Throttle } from "./throttle.ts";

export type FetchSlice<S extends Slice> = (offset: number, signal: AbortSignal) => Promise<S>;

/** Pages planned ahead per concurrent request, so that requests go on while earlier pages wait to be taken. */
const PLANNED_PER_REQUEST = 2;

/** Fetches the planned pages of a pass concurrently, and returns them in order. Memory does not grow with the number of pages. */
export class Prefetch<S extends Slice> implements Disposable {
  readonly #fetch: FetchSlice<S>;
  readonly #overlap: number;
  readonly #throttle: Throttle;
  readonly #stop = new AbortController();
  readonly #queue: Promise<S>[] = [];
  /** Where the last planned page is expected to end. */
  #plannedEnd = 0;
  #size = 0;
  #total = 0;

  constructor(fetch: FetchSlice<S>, options: { overlap: number; throttle: Throttle }) {
    this.#fetch = fetch;
    this.#overlap = options.overlap;
    this.#throttle = options.throttle;
  }

  /** Plans the pages after a slice: each of its length, up to its `total`. */
  planAfter(slice: S): void {
    this.#plannedEnd = endOf(slice);
    this.#size = slice.rows.length;
    this.#total = slice.total;
  }

  drop(): void {
    this.#throttle.limit.clearQueue();
    this.#queue.length = 0;
    this.#size = 0;
  }

  /** Returns the next planned page; undefined at the end of the plan. */
  async take(): Promise<S | undefined> {
    this.#fill();
    const slice = await this.#queue.shift();
    if (slice !== undefined) this.#learn(slice);
    return slice;
  }

  async fetch(offset: number): Promise<S> {
    const slice = await this.#request(offset);
    this.#total = slice.total;
    return slice;
  }

  [Symbol.dispose](): void {
    // The queue is shared: it may hold the plan of another pass.
    if (this.#queue.length > 0) this.#throttle.limit.clearQueue();
    this.#stop.abort(new Error("The walk has ended"));
  }

  #request(offset: number): Promise<S> {
    return this.#throttle.limit(() => this.#fetch(offset, this.#stop.signal));
  }

  #fill(): void {
    // An empty or one-row page leaves nothing to plan with.
    const planned = this.#throttle.max * PLANNED_PER_REQUEST;
    while (this.#size > 1 && this.#queue.length < planned && this.#plannedEnd < this.#total) {
      const offset = this.#plannedEnd - overlapOf(this.#size, this.#overlap);
      this.#plannedEnd = offset + this.#size;
      const slice = this.#request(offset);
      slice.catch(() => {}); // `take` reports the error; a page that is never taken needs no report
      this.#queue.push(slice);
    }
  }

  /** Plans later pages by the latest one: a service may lower its page size during the pass, and `total` grows. */
  #learn(slice: S): void {
    this.#total = slice.total;
    if (slice.rows.length > 0 && endOf(slice) < slice.total) this.#size = slice.rows.length;
  }
}
