import type { Evidence } from "./evidence.ts";
import type { Sort } from "./order-key.ts";
import { Pass, type WalkOptions } from "./pass.ts";
import type { FetchSlice } from "./prefetch.ts";
import type { Slice } from "./slice.ts";

/** A walk over the calls, under way: reads them as its slices are asked for. */
export interface Walk<S extends Slice> extends AsyncIterable<S> {
  /** What the walk has seen so far. */
  readonly evidence: Evidence;
  /** The order in which it reads. */
  readonly sort: Sort;
}

/** Where slices come from, in each order. */
export interface Source<S extends Slice> {
  fetch: (sort: Sort) => FetchSlice<S>;
  /** Whether an error says that the service does not serve the other order: it is then read as it is. */
  isRefusal: (error: unknown) => boolean;
}

/** What is known before a walk over all calls begins. */
export interface WalkStart {
  /** The order that the last pass was proven in. @default own */
  sort?: Sort | undefined;
  /** The chain of a pass in that order that was cut short. @default none */
  earlier?: readonly Slice[];
}

/**
 * Walks all calls in overlapping slices, and yields each slice once it is linked into the chain. Offset pages shift
 * while they are read: what the slices prove all the same, and why, stands at `Chain`.
 *
 * Where the rows show no order by a key, the walk begins anew in another order if that shows one.
 */
export function walk<S extends Slice>(
  source: Source<S>,
  options: WalkOptions,
  { sort = "own", earlier = [] }: WalkStart = {},
): Walk<S> {
  let pass = new Pass(source.fetch(sort), options);
  let isUntried = true;

  async function* readAll(): AsyncGenerator<S, void, void> {
    try {
      yield* begin();
      for (;;) {
        yield* pass.readPlanned(goesOn);
        if (goesOn()) yield* pass.reachEnd();
        if (goesOn()) yield* pass.lookAtFront();
        if (goesOn()) return;
        yield* changeOrder();
      }
    } finally {
      pass[Symbol.dispose]();
    }
  }

  /** Begins where an earlier chain ended, or at the front; in the service's own order where it does not sort any more. */
  async function* begin(): AsyncGenerator<S, void, void> {
    try {
      const isResumed = earlier.length > 0 && (yield* pass.resume(earlier));
      if (!isResumed) yield* pass.begin(0);
    } catch (error) {
      if (sort === "own" || !source.isRefusal(error)) throw error;
      pass[Symbol.dispose]();
      [pass, sort, isUntried] = [new Pass(source.fetch("own"), options), "own", false];
      yield* pass.begin(0);
    }
  }

  const goesOn = () => pass.isOrdered || !isUntried;

  /** Begins anew in another order, if the first page of it is in the order of a key; else goes on as before. */
  async function* changeOrder(): AsyncGenerator<S, void, void> {
    isUntried = false;
    const other = sort === "own" ? "source_name asc" : "own";
    const next = new Pass(source.fetch(other), options);
    try {
      const beginning = next.begin(0);
      const first = await beginning.next();
      if (!next.isOrdered || first.done) return next[Symbol.dispose]();
      pass[Symbol.dispose]();
      [pass, sort] = [next, other];
      yield first.value;
    } catch (error) {
      next[Symbol.dispose]();
      if (!source.isRefusal(error)) throw error;
    }
  }

  return {
    [Symbol.asyncIterator]: readAll,
    get evidence() {
      return pass.evidence;
    },
    get sort() {
      return sort;
    },
  };
}

/**
 * Walks from the front only until `isSettled` says of a slice that nothing new can follow. If that never happens, it
 * ends at the end of the calls, as a full pass.
 */
export function walkFromFront<S extends Slice>(
  fetch: FetchSlice<S>,
  options: WalkOptions,
  isSettled: (slice: S) => boolean,
): Walk<S> {
  return walkOnce(new Pass(fetch, options), async function* (pass) {
    yield* pass.begin(0);
    yield* pass.readForward(isSettled);
    yield* pass.lookAtFront();
  });
}

/** Walks from the end, where the newest calls are in a service that lists the oldest first, until a slice is settled. */
export function walkFromEnd<S extends Slice>(
  fetch: FetchSlice<S>,
  options: WalkOptions,
  isSettled: (slice: S) => boolean,
  /** Where the last slice is expected to start. */
  offset: number,
): Walk<S> {
  return walkOnce(new Pass(fetch, options), async function* (pass) {
    yield* pass.begin(offset);
    yield* pass.readBackward(isSettled);
    yield* pass.reachEnd();
  });
}

function walkOnce<S extends Slice>(
  pass: Pass<S>,
  read: (pass: Pass<S>) => AsyncGenerator<S, void, void>,
): Walk<S> {
  return {
    sort: "own",
    get evidence() {
      return pass.evidence;
    },
    async *[Symbol.asyncIterator]() {
      try {
        yield* read(pass);
      } finally {
        pass[Symbol.dispose]();
      }
    },
  };
}
