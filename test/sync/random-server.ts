import fc from "fast-check";
import type { Slice } from "../../src/sync/slice.ts";

/** What happens at a server before one of its answers. */
interface Event {
  kind: "insert" | "delete";
  /** Where, as a share of the calls there are: 0 is the front, 1 the end. */
  at: number;
  count: number;
}

/** The life of a server during one pass. */
export interface Timeline {
  initial: number;
  limit: number;
  /** For each request in turn, cyclically: what happens before it, and how it is answered. */
  requests: { events: Event[]; cap: number; short: number; turns: number }[];
  /** Requests after which nothing happens any more. */
  busyFor: number;
}

const share = fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true }));

const count = (most: number) => fc.integer({ min: 1, max: most });

const timelinesOf = (options: { limit: [number, number]; cap: number; short: number; burst: number }) =>
  fc.record({
    initial: fc.integer({ min: 0, max: 150 }),
    limit: fc.integer({ min: options.limit[0], max: options.limit[1] }),
    busyFor: fc.integer({ min: 0, max: 80 }),
    requests: fc.array(
      fc.record({
        events: fc.array(
          fc.record({
            kind: fc.constantFrom("insert" as const, "delete" as const),
            at: share,
            count: fc.oneof({ weight: 6, arbitrary: count(3) }, count(options.burst)),
          }),
          { maxLength: 2 },
        ),
        cap: fc.oneof({ weight: 5, arbitrary: fc.constant(1000) }, fc.integer({ min: options.cap, max: 20 })),
        short: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: options.short })),
        turns: fc.integer({ min: 0, max: 6 }),
      }),
      { minLength: 1, maxLength: 12 },
    ),
  });

/** Servers at their worst: pages of one row, forty calls gone between two requests. */
export const wildTimelines = timelinesOf({ limit: [2, 30], cap: 1, short: 10, burst: 40 });
/** Servers as busy as a page is long, and with whims. */
export const busyTimelines = timelinesOf({ limit: [16, 30], cap: 12, short: 3, burst: 5 });

/** A server in memory that keeps the walk's assumptions and none of its hopes. */
export class RandomServer {
  readonly #timeline: Timeline;
  readonly #calls: number[];
  readonly #visibleThroughout: Set<number>;
  #nextId: number;
  requests = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.#calls = Array.from({ length: timeline.initial }, (_, index) => index + 1);
    this.#visibleThroughout = new Set(this.#calls);
    this.#nextId = timeline.initial + 1;
  }

  /** Calls that were there at the first request and are there still. */
  get visibleThroughout(): readonly number[] {
    return [...this.#visibleThroughout];
  }

  fetch = async (offset: number): Promise<Slice> => {
    const { requests, limit, busyFor } = this.#timeline;
    const request = requests[this.requests % requests.length];
    if (request === undefined) throw new Error("A timeline has at least one request");
    const busy = this.requests++ < busyFor;
    for (let turn = 0; turn < request.turns; turn++) await Promise.resolve();
    if (busy) for (const event of request.events) this.#happen(event);
    const size = Math.max(1, Math.min(limit, busy ? request.cap : limit) - (busy ? request.short : 0));
    return { offset, total: this.#calls.length, ids: this.#calls.slice(offset, offset + size) };
  };

  #happen({ kind, at, count }: Event): void {
    const place = Math.round(at * this.#calls.length);
    if (kind === "insert") {
      this.#calls.splice(place, 0, ...Array.from({ length: count }, () => this.#nextId++));
      return;
    }
    for (const id of this.#calls.splice(place, count)) this.#visibleThroughout.delete(id);
  }
}
