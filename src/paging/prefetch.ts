import { endOf, overlapOf, type Slice } from "./slice.ts";
import type { Throttle } from "./throttle.ts";

/** Reads the slice that starts at `offset`, while it holds one place of the throttle. */
export type FetchSlice<S extends Slice> = (offset: number, signal: AbortSignal) => Promise<S>;

/** Pages planned ahead for each that may be fetched at once: the next begin though those before wait to be taken. */
const PLANNED_PER_REQUEST = 2;

/**
 * Fetches the planned pages of a pass concurrently and hands them out in order. At most twice as many pages as run at
 * once are under way or waiting to be taken, so that memory does not grow with the number of pages.
 */
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

  /** Plans the pages that follow a slice, as long as it and as many as its total needs. */
  planAfter(slice: S): void {
    this.#plannedEnd = endOf(slice);
    this.#size = slice.rows.length;
    this.#total = slice.total;
  }

  /** Gives up the plan: what it was made by turned out wrong. */
  drop(): void {
    this.#throttle.limit.clearQueue();
    this.#queue.length = 0;
    this.#size = 0;
  }

  /** Returns the next planned page, undefined when the plan has come to the end. */
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
    // The queue is shared: another pass may have its plan in it.
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
      slice.catch(() => {}); // whoever takes it sees the error; one never taken has none to tell
      this.#queue.push(slice);
    }
  }

  /** A service may lower its cap in mid-pass, and its total grows: later pages are planned by what came last. */
  #learn(slice: S): void {
    this.#total = slice.total;
    if (slice.rows.length > 0 && endOf(slice) < slice.total) this.#size = slice.rows.length;
  }
}
