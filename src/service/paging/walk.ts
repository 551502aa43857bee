import type { Evidence } from "./evidence.ts";
import type { Sort } from "./order-key.ts";
import { Pass, type WalkOptions } from "./pass.ts";
import type { FetchSlice } from "./prefetch.ts";
import type { Slice } from "./slice.ts";

/** Reads the calls while its slices are iterated. */
export interface Walk<S extends Slice> extends AsyncIterable<S> {
  readonly evidence: Evidence;
  readonly sort: Sort;
}

export interface Source<S extends Slice> {
  fetch: (sort: Sort) => FetchSlice<S>;
  /** Whether an error means that the service does not support the order asked for; it is then read in its own. */
  isRefusal: (error: unknown) => boolean;
}

export interface WalkStart {
  /** The order of the last proven pass. @default own */
  sort?: Sort | undefined;
  /** The chain of an interrupted pass in that order. @default none */
  earlier?: readonly Slice[];
  /** The largest `total` of the run before this walk. @default none */
  mostBefore?: number;
}

/**
 * Reads all calls in overlapping slices, and yields each slice once it is in the chain. Offsets shift while they are read;
 * `Chain` has the proof of what the slices show nevertheless.
 *
 * If the rows are in no order by a key, the walk starts again in another order, if that one has a key.
 */
export function walk<S extends Slice>(
  source: Source<S>,
  options: WalkOptions,
  { sort = "own", earlier = [], mostBefore }: WalkStart = {},
): Walk<S> {
  let pass = new Pass(source.fetch(sort), options, mostBefore);
  let isUntried = true;

  async function* readAll(): AsyncGenerator<S, void, void> {
    try {
      yield* begin();
      for (;;) {
        yield* pass.readAll(goesOn, source.isRefusal);
        if (goesOn()) yield* pass.lookAtFront();
        if (goesOn()) return yield* pass.lookFurther(source.isRefusal);
        yield* changeOrder();
      }
    } finally {
      pass[Symbol.dispose]();
    }
  }

  /** Continues an earlier chain, or begins at the front; in the service's own order if it refuses to sort. */
  async function* begin(): AsyncGenerator<S, void, void> {
    try {
      const isResumed = earlier.length > 0 && (yield* pass.resume(earlier));
      if (!isResumed) yield* pass.begin(0);
    } catch (error) {
      if (sort === "own" || !source.isRefusal(error)) throw error;
      pass[Symbol.dispose]();
      [pass, sort, isUntried] = [new Pass(source.fetch("own"), options, mostBefore), "own", false];
      yield* pass.begin(0);
    }
  }

  const goesOn = () => pass.isOrdered || !isUntried;

  /** Starts again in another order if its first page is in the order of a key; otherwise goes on as before. */
  async function* changeOrder(): AsyncGenerator<S, void, void> {
    isUntried = false;
    const other = sort === "own" ? "source_name asc" : "own";
    const next = new Pass(source.fetch(other), options, pass.evidence.totals.most);
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
 * Reads from the front until `isSettled` returns true: nothing new can follow that slice. If it never does, the walk reads
 * to the end, as a full pass.
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

/** Reads backwards from the end, for a service that lists the oldest calls first, until a slice is settled. */
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
