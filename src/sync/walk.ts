import { OrderWitness } from "./order.ts";
import { type FetchSlice, Prefetch } from "./prefetch.ts";
import { endOf, overlapOf, reachesTotal, type Slice, sharesCall } from "./slice.ts";
import type { Evidence } from "./verdict.ts";

export interface WalkOptions {
  /** Rows that neighbouring pages share. @default 50 */
  overlap?: number | undefined;
  /** Pages fetched at once. @default 4 */
  concurrency?: number | undefined;
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
/** Slices from the front that the closing look may meet. */
const HEAD_SLICES = 4;

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
 */
export async function* walk<S extends Slice>(
  fetch: FetchSlice<S>,
  options: WalkOptions,
  evidence: Evidence,
): AsyncGenerator<S, void, void> {
  using pass = new Pass(fetch, options, evidence);
  yield* pass.start();
  yield* pass.readPlanned();
  yield* pass.reachEnd();
  yield* pass.lookAtFront();
}

class Pass<S extends Slice> implements Disposable {
  readonly #overlap: number;
  readonly #joins: (left: Slice, right: Slice) => boolean;
  readonly #pages: Prefetch<S>;
  readonly #witness: OrderWitness;
  readonly #evidence: Evidence;
  readonly #head: Slice[] = [];
  /** The chain's last slice. */
  #left: Slice = { offset: 0, total: 0, ids: [] };

  constructor(fetch: FetchSlice<S>, options: WalkOptions, evidence: Evidence) {
    const { overlap = DEFAULT_OVERLAP, concurrency = DEFAULT_CONCURRENCY, joins = sharesCall } = options;
    this.#overlap = overlap;
    this.#joins = joins;
    this.#pages = new Prefetch(fetch, { overlap, concurrency });
    this.#witness = new OrderWitness(overlap);
    this.#evidence = evidence;
  }

  [Symbol.dispose](): void {
    this.#pages[Symbol.dispose]();
  }

  async *start(): AsyncGenerator<S, void, void> {
    const first = await this.#pages.fetch(0);
    this.#evidence.firstTotal = first.total;
    this.#pages.planAfter(first);
    this.#accept(first);
    yield first;
  }

  async *readPlanned(): AsyncGenerator<S, void, void> {
    for (;;) {
      const right = await this.#pages.take();
      if (right === undefined) return;
      if (right.ids.length === 0) continue; // planned by a total that has shrunk since
      if (!this.#joins(this.#left, right)) {
        const outcome = yield* this.#walkOn(right);
        if (outcome === "end") continue; // what lay there has moved before the end, and was read
        if (outcome === "lost") this.#evidence.seamsBroken++;
        if (outcome === "met") this.#evidence.seamsMended++;
      }
      this.#accept(right);
      yield right;
    }
  }

  async *reachEnd(): AsyncGenerator<S, void, void> {
    const outcome = yield* this.#walkOn(undefined);
    this.#evidence.endReached = outcome === "end";
  }

  /** Reads the front once more, until it meets a call of the pass: calls may have moved or come there meanwhile. */
  async *lookAtFront(): AsyncGenerator<S, void, void> {
    let previous: S | undefined;
    for (let slices = 0; slices < MAX_CLOSING; slices++) {
      const offset = previous ? endOf(previous) - overlapOf(previous.ids.length, this.#overlap) : 0;
      const slice = await this.#pages.fetch(offset);
      if (previous && !this.#joins(previous, slice)) return;
      this.#accept(slice);
      yield slice;
      if (reachesTotal(slice) || this.#head.some((known) => this.#joins(known, slice))) {
        this.#evidence.closingMet = true;
        return;
      }
      previous = slice;
    }
  }

  /**
   * Walks on from the chain's last slice until it meets `goal`, or comes to the end: a slice that reaches its own
   * total and brings nothing new. Steps back twice as far each time the join is missing.
   */
  async *#walkOn(goal: S | undefined): AsyncGenerator<S, "met" | "end" | "lost", void> {
    let back = overlapOf(this.#left.ids.length, this.#overlap);
    let endings = 0;
    for (let fruitless = 0; fruitless < MAX_FRUITLESS; ) {
      const offset = Math.max(0, endOf(this.#left) - back);
      const slice = await this.#pages.fetch(offset);
      const startsAnew = this.#left.ids.length === 0 && slice.offset === 0;
      if (!startsAnew && !this.#joins(this.#left, slice)) {
        if (offset === 0) return "lost";
        fruitless++;
        back *= 2;
        continue;
      }
      if (endOf(slice) <= endOf(this.#left)) fruitless++;
      const advance = this.#accept(slice);
      yield slice;
      if (goal !== undefined && this.#joins(slice, goal)) return "met";
      if (reachesTotal(slice) && (advance === 0 || ++endings === MAX_ENDINGS)) return "end";
      if (advance > 0) fruitless = 0;
      back = overlapOf(slice.ids.length, this.#overlap);
    }
    return "lost";
  }

  /** Takes a slice into the chain. Returns how many calls it brings beyond those known. */
  #accept(slice: S): number {
    const evidence = this.#evidence;
    const report = this.#witness.observe(slice);
    const { offset, total, ids } = slice; // without the rows it may carry
    if (this.#head.length < HEAD_SLICES) this.#head.push({ offset, total, ids });
    this.#left = { offset, total, ids };
    evidence.slices++;
    evidence.totalConstant &&= slice.total === evidence.firstTotal;
    evidence.lastTotal = slice.total;
    evidence.fresh += report.fresh;
    evidence.inversionsNear += report.inversionsNear;
    evidence.inversionsFar += report.inversionsFar;
    return report.advance;
  }
}
