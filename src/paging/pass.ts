import type { Evidence } from "./evidence.ts";
import { type FetchSlice, Prefetch } from "./prefetch.ts";
import { PassRecord } from "./record.ts";
import { endOf, overlapOf, type Slice } from "./slice.ts";
import { Throttle } from "./throttle.ts";

export interface WalkOptions {
  limit: number;
  /** Rows that neighbouring pages share; more where the keys of those are equal. @default 50 */
  overlap?: number | undefined;
  /** How many pages are fetched at once. @default 4 */
  throttle?: Throttle | undefined;
}

const DEFAULT_OVERLAP = 50;
const DEFAULT_CONCURRENCY = 4;

/** Slices in a row that neither join nor bring unseen calls, after which a seam or the end is given up. */
const MAX_FRUITLESS = 10;
const MAX_FRUITLESS_BROKEN = 2;
/** Tries to join two slices that share calls by two keys; after that they are only linked. */
const MAX_TIE_TRIES = 4;
/** Slices that bring few calls or begin at the front again, after which the end is given up. */
const MAX_THIN = 50;
/** Planned slices in a row that bring no unseen calls, after which the plan is given up. */
const MAX_IDLE_PLANS = 3;
/** Slices read at the front in the end, to meet a known call again. */
const MAX_CLOSING = 10;

/** The steps of one pass over the calls in one order; each yields the slices that it takes into the chain. */
export class Pass<S extends Slice> implements Disposable {
  readonly #options: { limit: number; overlap: number };
  readonly #pages: Prefetch<S>;
  #record: PassRecord;
  #first: S | undefined;
  #resumed = 0;
  #seamsMended = 0;
  #settled = false;

  constructor(fetch: FetchSlice<S>, { limit, overlap = DEFAULT_OVERLAP, throttle }: WalkOptions) {
    this.#options = { limit, overlap };
    this.#record = new PassRecord(this.#options);
    this.#pages = new Prefetch(fetch, { overlap, throttle: throttle ?? new Throttle(DEFAULT_CONCURRENCY) });
  }

  get evidence(): Evidence {
    const [resumed, seamsMended, settled] = [this.#resumed, this.#seamsMended, this.#settled];
    return { ...this.#record.evidence, resumed, seamsMended, settled };
  }

  get isOrdered(): boolean {
    return this.#record.isOrdered;
  }

  [Symbol.dispose](): void {
    this.#pages[Symbol.dispose]();
  }

  async *resume(earlier: readonly Slice[]): AsyncGenerator<S, boolean, void> {
    this.#record.takeUp(earlier);
    const next = await this.#pages.fetch(this.#record.nextOffset());
    const link = this.#record.findLink(next);
    if (!this.#record.isHeld(link)) {
      this.#record = new PassRecord(this.#options);
      return false;
    }
    this.#resumed = earlier.length;
    this.#pages.planAfter(next);
    this.#record.accept(next, link);
    yield next;
    return true;
  }

  async *begin(offset: number): AsyncGenerator<S, void, void> {
    let first = await this.#pages.fetch(offset);
    // The calls may have become fewer than the offset.
    for (let back = 100; first.rows.length === 0 && back <= first.offset * 2; back *= 2) {
      first = await this.#pages.fetch(Math.max(0, Math.min(first.total, first.offset) - back));
    }
    this.#pages.planAfter(first);
    this.#first = first;
    this.#record.accept(first);
    yield first;
  }

  /** Reads the pages that the total promises, several at once, as long as `goesOn` says so. */
  async *readPlanned(goesOn: () => boolean): AsyncGenerator<S, void, void> {
    const record = this.#record;
    for (let idle = 0; idle < MAX_IDLE_PLANS && !record.isEndless; ) {
      if (!goesOn()) return;
      const right = await this.#pages.take();
      if (right === undefined) return;
      if (right.rows.length === 0) break; // planned by a total that has shrunk since, or was never true
      if (!record.isHeld(record.findLink(right))) {
        const outcome = yield* this.#walkOn(() => record.isHeld(record.findLink(right)));
        if (outcome === "end") break; // what lay there has moved before the end, and was read
        if (outcome === "arrived") this.#seamsMended++;
      }
      idle = record.hasUnseen(right) ? 0 : idle + 1;
      record.accept(right);
      yield right;
    }
    this.#pages.drop();
  }

  async *reachEnd(): AsyncGenerator<S, void, void> {
    if (await this.#hasEnded()) return;
    yield* this.#walkOn(() => false);
  }

  /** Reads on from the front, page after page, until one is settled. */
  async *readForward(isSettled: (slice: S) => boolean): AsyncGenerator<S, void, void> {
    this.#settled =
      (this.#first !== undefined && isSettled(this.#first)) || (yield* this.#walkOn(isSettled)) === "arrived";
  }

  /** Reads from the chain's first slice towards the front, until one is settled or starts at 0. */
  async *readBackward(isSettled: (slice: S) => boolean): AsyncGenerator<S, void, void> {
    let edge = this.#first;
    for (let fruitless = 0; edge !== undefined && fruitless < MAX_FRUITLESS; ) {
      if (edge.offset === 0 || isSettled(edge)) {
        this.#settled = true;
        break;
      }
      const size = Math.max(2, edge.rows.length);
      const shift = overlapOf(size, this.#options.overlap) * 2 ** fruitless;
      const slice: S = await this.#pages.fetch(Math.max(0, edge.offset - size + shift));
      const link = this.#record.findLink(slice);
      if (!this.#record.isHeld(link) || slice.offset >= edge.offset) {
        fruitless++;
        continue;
      }
      fruitless = 0;
      this.#record.acceptEarlier(slice, link);
      yield slice;
      edge = slice;
    }
  }

  /**
   * Reads the front once more, until it meets calls of the pass by two keys: what was added meanwhile is read, and a call
   * that has jumped to the front, as in an order by the last change, shows as out of place.
   */
  async *lookAtFront(): AsyncGenerator<S, void, void> {
    for (let slices = 0, offset = 0; slices < MAX_CLOSING; slices++) {
      const slice = await this.#pages.fetch(offset);
      const closing = this.#record.acceptClosing(slice);
      yield slice;
      if (closing === undefined || closing.isMet || slice.rows.length === 0) return;
      offset = closing.next;
    }
  }

  /**
   * Walks on from the chain's last slice until a slice has arrived where it should, or is the end. Steps back twice as far
   * each time the seam does not join. Any slice of the chain will do to join: between it and the front there is a path of
   * joined slices all the same.
   */
  async *#walkOn(hasArrived: (slice: S) => boolean): AsyncGenerator<S, "arrived" | "end" | "lost", void> {
    const record = this.#record;
    let [stepBack, fruitless, ties, thin] = [1, 0, 0, 0];
    // A pass that is broken already is not worth as many tries at each further seam.
    const patience = record.isLinked ? MAX_FRUITLESS : MAX_FRUITLESS_BROKEN;
    while (fruitless < patience && thin < MAX_THIN && !record.isEndless) {
      const asked = record.nextOffset(stepBack);
      const slice = await this.#pages.fetch(asked);
      const link = record.findLink(slice);
      if (!record.isHeld(link)) {
        const isTied = link.known > 0 && ++ties >= MAX_TIE_TRIES;
        if (!isTied) {
          fruitless++;
          stepBack *= 2;
          continue;
        }
      }
      [stepBack, ties] = [1, 0];
      const hasUnseen = record.hasUnseen(slice);
      record.accept(slice, link);
      yield slice;
      if (hasArrived(slice)) return "arrived";
      if (await this.#hasEnded()) return "end";
      // Calls that come as fast as they are read, or a list that is another each time, would be read for ever.
      const isThin = link.unseen * 4 < slice.rows.length || record.isShort(slice) || slice.offset === 0;
      if (hasUnseen && isThin) thin++;
      fruitless = hasUnseen ? 0 : fruitless + 1;
    }
    return "lost";
  }

  /** Whether the end of the calls was seen; looks behind the chain's last slice where the length of slices cannot show it. */
  async #hasEnded(): Promise<boolean> {
    const record = this.#record;
    if (record.hasEnded) return true;
    if (record.isCutByNumber || !record.isShort(record.left)) return false;
    const behind = await this.#pages.fetch(endOf(record.left));
    if (behind.offset === endOf(record.left)) record.lookBehind(behind);
    return record.hasEnded;
  }
}
