import { OrderWitness } from "./order.ts";
import { type FetchSlice, Prefetch } from "./prefetch.ts";
import { endOf, overlapOf, reachesTotal, type Slice, sharesCall } from "./slice.ts";
import { Throttle } from "./throttle.ts";
import { type Evidence, noEvidence } from "./verdict.ts";

export interface WalkOptions {
  /** Rows that neighbouring pages share. @default 50 */
  overlap?: number;
  /** How many pages are fetched at once. @default 4 */
  throttle?: Throttle;
  /** Whether two slices are joined. The tests put a blind one here, to show that their servers catch it. */
  joins?: (left: Slice, right: Slice) => boolean;
}

const DEFAULT_OVERLAP = 50;
const DEFAULT_CONCURRENCY = 4;

/** Steps that neither join nor lead forward, after which a seam is given up. */
const MAX_FRUITLESS = 10;
/** Slices that reach their total and still bring news, after which the end is taken as reached. */
const MAX_ENDINGS = 10;
/** Slices read at the front in the end, to meet a known call again. */
const MAX_CLOSING = 10;

/**
 * Walks all calls in overlapping slices, and yields each slice once it has its place in the chain.
 *
 * Offset pages shift while they are read: a call removed before our position moves an unread one behind it. So each
 * slice must share a call with the one before it. If the first starts at 0, the last reaches the end, and every two
 * neighbours share a call, then no call that was visible throughout was missed, in whatever order in time the slices
 * were fetched: an unread call r would lie after slice k and before slice k + 1, but they share a call a, and so a < r
 * and r < a. (Assumed: an answer is a contiguous slice of one order at one moment, and two calls never swap places.)
 *
 * What the walk sees on its way is added to `evidence`, from which `judge` makes the verdict.
 *
 * @param earlier the chain of a pass that was cut short: it is taken up if its last slice still joins, as
 * `evidence.resumed` then says
 */
export async function* walk<S extends Slice>(
  fetch: FetchSlice<S>,
  options: WalkOptions,
  evidence: Evidence,
  earlier: readonly Slice[] = [],
): AsyncGenerator<S, void, void> {
  using pass = new Pass(fetch, options, evidence);
  yield* pass.start(earlier);
  yield* pass.readPlanned();
  yield* pass.reachEnd();
  yield* pass.lookAtFront();
}

/**
 * Walks from the front only until `isSettled` says of a slice that nothing new can follow. If that never happens, it
 * ends like {@link walk}, as a full pass.
 */
export async function* walkFromFront<S extends Slice>(
  fetch: FetchSlice<S>,
  options: WalkOptions,
  evidence: Evidence,
  isSettled: (slice: S) => boolean,
): AsyncGenerator<S, void, void> {
  using pass = new Pass(fetch, options, evidence);
  yield* pass.start([]);
  yield* pass.readForward(isSettled);
  yield* pass.lookAtFront();
}

/** The same from the end, where the newest calls are in a service that lists the oldest first. */
export async function* walkFromEnd<S extends Slice>(
  fetch: FetchSlice<S>,
  options: WalkOptions,
  evidence: Evidence,
  isSettled: (slice: S) => boolean,
  /** Where the last slice is expected to start. */
  offset: number,
): AsyncGenerator<S, void, void> {
  using pass = new Pass(fetch, options, evidence);
  yield* pass.startAt(offset);
  yield* pass.readBackward(isSettled);
  yield* pass.reachEnd();
}

class Pass<S extends Slice> implements Disposable {
  readonly #overlap: number;
  readonly #joins: (left: Slice, right: Slice) => boolean;
  readonly #pages: Prefetch<S>;
  readonly #evidence: Evidence;
  #witness: OrderWitness;
  /** The chain's first and last slice. */
  #first: S | undefined;
  #left: Slice = { offset: 0, total: 0, ids: [] };

  constructor(fetch: FetchSlice<S>, options: WalkOptions, evidence: Evidence) {
    const { overlap = DEFAULT_OVERLAP, joins = sharesCall } = options;
    this.#overlap = overlap;
    this.#joins = joins;
    this.#pages = new Prefetch(fetch, {
      overlap,
      throttle: options.throttle ?? new Throttle(DEFAULT_CONCURRENCY),
    });
    this.#witness = new OrderWitness(overlap);
    this.#evidence = evidence;
  }

  [Symbol.dispose](): void {
    this.#pages[Symbol.dispose]();
  }

  /** Begins at the front, or where the earlier chain ended. */
  async *start(earlier: readonly Slice[]): AsyncGenerator<S, void, void> {
    if (earlier.length > 0) {
      for (const slice of earlier) this.#accept(slice);
      const next = await this.#pages.fetch(this.#nextOffset());
      if (this.#joins(this.#left, next)) {
        this.#evidence.resumed = earlier.length;
        this.#evidence.startsAtFront = earlier[0]?.offset === 0;
        this.#pages.planAfter(next);
        this.#accept(next);
        yield next;
        return;
      }
      this.#forget();
    }
    yield* this.startAt(0);
  }

  async *startAt(offset: number): AsyncGenerator<S, void, void> {
    let first = await this.#pages.fetch(offset);
    // The calls may have become fewer than the offset.
    for (let back = 100; first.ids.length === 0 && first.offset > 0 && back <= first.offset * 2; back *= 2) {
      first = await this.#pages.fetch(Math.max(0, first.total - back));
    }
    this.#pages.planAfter(first);
    this.#first = first;
    this.#evidence.startsAtFront = first.offset === 0;
    this.#accept(first);
    yield first;
  }

  async *readPlanned(): AsyncGenerator<S, void, void> {
    for (;;) {
      const right = await this.#pages.take();
      if (right === undefined) return;
      if (right.ids.length === 0) continue; // planned by a total that has shrunk since
      if (!this.#joins(this.#left, right)) {
        const outcome = yield* this.#walkOn((slice) => this.#joins(slice, right));
        if (outcome === "end") return; // what lay there has moved before the end, and was read
        if (outcome === "lost") this.#evidence.seamsBroken++;
        if (outcome === "arrived") this.#evidence.seamsMended++;
      }
      this.#accept(right);
      yield right;
    }
  }

  async *reachEnd(): AsyncGenerator<S, void, void> {
    this.#evidence.endReached = (yield* this.#walkOn(() => false)) === "end";
  }

  /** Reads on from the front, page after page, until one is settled. */
  async *readForward(isSettled: (slice: S) => boolean): AsyncGenerator<S, void, void> {
    if (this.#first !== undefined && isSettled(this.#first)) {
      this.#evidence.settled = true;
      return;
    }
    const outcome = yield* this.#walkOn(isSettled);
    this.#evidence.settled = outcome === "arrived";
    this.#evidence.endReached = outcome === "end";
  }

  /** Reads from the chain's first slice towards the front, until one is settled or starts at 0. */
  async *readBackward(isSettled: (slice: S) => boolean): AsyncGenerator<S, void, void> {
    let edge = this.#first;
    const end = this.#left;
    for (let fruitless = 0; edge !== undefined && fruitless < MAX_FRUITLESS; ) {
      if (edge.offset === 0 || isSettled(edge)) {
        this.#evidence.settled = true;
        break;
      }
      const size = Math.max(2, edge.ids.length);
      const shift = overlapOf(size, this.#overlap) * 2 ** fruitless;
      const slice: S = await this.#pages.fetch(Math.max(0, edge.offset - size + shift));
      if (!this.#joins(edge, slice) || slice.offset >= edge.offset) {
        fruitless++;
        continue;
      }
      fruitless = 0;
      this.#accept(slice);
      yield slice;
      edge = slice;
    }
    this.#left = end;
  }

  /** Reads the front once more, until it meets a call of the pass: calls may have moved or come there meanwhile. */
  async *lookAtFront(): AsyncGenerator<S, void, void> {
    let previous: S | undefined;
    for (let slices = 0; slices < MAX_CLOSING; slices++) {
      const offset = previous === undefined ? 0 : this.#nextOffset();
      const slice = await this.#pages.fetch(offset);
      if (previous && !this.#joins(previous, slice)) return;
      const isMet = reachesTotal(slice) || this.#witness.knows(slice);
      const { fresh } = this.#evidence;
      this.#accept(slice);
      // Deletions bring calls to the front whose places are forgotten: they are no news.
      this.#evidence.fresh = fresh;
      yield slice;
      if (isMet) {
        this.#evidence.closingMet = true;
        return;
      }
      previous = slice;
    }
  }

  /**
   * Walks on from the chain's last slice until a slice has arrived where it should, or is the end: one that reaches its
   * own total and brings nothing new. Steps back twice as far each time the join is missing. Any slice of the chain will
   * do to join, and the front needs none: between them and the end there is a path of joined slices all the same.
   */
  async *#walkOn(hasArrived: (slice: S) => boolean): AsyncGenerator<S, "arrived" | "end" | "lost", void> {
    let endings = 0;
    let stepBack = 1;
    for (let fruitless = 0; fruitless < MAX_FRUITLESS; ) {
      const offset = this.#nextOffset(stepBack);
      const slice = await this.#pages.fetch(offset);
      if (slice.offset > 0 && !this.#joins(this.#left, slice) && !this.#witness.knows(slice)) {
        fruitless++;
        stepBack *= 2;
        continue;
      }
      if (endOf(slice) <= endOf(this.#left)) fruitless++;
      const advance = this.#accept(slice);
      yield slice;
      if (hasArrived(slice)) return "arrived";
      if (reachesTotal(slice) && (advance === 0 || ++endings === MAX_ENDINGS)) return "end";
      if (advance > 0) fruitless = 0;
      stepBack = 1;
    }
    return "lost";
  }

  /** Where the slice after the chain's last one starts. */
  #nextOffset(stepBack = 1): number {
    return Math.max(0, endOf(this.#left) - overlapOf(this.#left.ids.length, this.#overlap) * stepBack);
  }

  /** Takes a slice into the chain. Returns how many calls it brings beyond those known. */
  #accept({ offset, total, ids, torn = false }: Slice): number {
    const slice = { offset, total, ids }; // without the rows it may carry
    const evidence = this.#evidence;
    const report = this.#witness.observe(slice);
    if (evidence.slices === 0) evidence.firstTotal = total;
    this.#left = slice;
    evidence.slices++;
    if (torn) evidence.torn++;
    evidence.totalConstant &&= total === evidence.firstTotal;
    evidence.lastTotal = total;
    evidence.fresh += report.fresh;
    evidence.inversionsNear += report.inversionsNear;
    evidence.inversionsFar += report.inversionsFar;
    return report.advance;
  }

  #forget(): void {
    Object.assign(this.#evidence, noEvidence());
    this.#witness = new OrderWitness(this.#overlap);
    this.#left = { offset: 0, total: 0, ids: [] };
  }
}
