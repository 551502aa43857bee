import type { Evidence } from "./evidence.ts";
import { type FetchSlice, Prefetch } from "./prefetch.ts";
import { PassRecord } from "./record.ts";
import { endOf, overlapOf, type Slice } from "./slice.ts";
import { Throttle } from "./throttle.ts";
import { isSure, judge, missingCallThreshold } from "./verdict.ts";

export interface WalkOptions {
  limit: number;
  /** Rows that neighbouring pages share; more if their keys are equal. @default 50 */
  overlap?: number | undefined;
  /** Limits how many pages are fetched at once. @default 4 */
  throttle?: Throttle | undefined;
}

export const DEFAULT_OVERLAP = 50;
const DEFAULT_CONCURRENCY = 4;

/** Slices in a row without a joined seam or an unseen call before the pass gives up a seam, the end, or the first slice. */
const MAX_FRUITLESS = 10;
const MAX_FRUITLESS_BROKEN = 2;
/** Tries to join two slices by two keys; after that, shared calls link them. */
const MAX_TIE_TRIES = 4;
/** Slices with few unseen calls, or at the front again, before the pass gives up the end. */
const MAX_THIN = 50;
/** Planned slices in a row without an unseen call before the pass gives up its plan. */
const MAX_IDLE_PLANS = 3;
/** Gaps between calls that the pass reads on behind. */
const MAX_GAPS = 10;
/** Slices of the closing look before it gives up the first slice. */
const MAX_CLOSING = 50;

/** The steps of one pass over the calls in one order; each yields the slices that it adds to the chain. */
export class Pass<S extends Slice> implements Disposable {
  readonly #options: { limit: number; overlap: number };
  readonly #mostBefore: number;
  readonly #pages: Prefetch<S>;
  #record: PassRecord;
  #first: S | undefined;
  #resumed = 0;
  #seamsMended = 0;
  #settled = false;

  /** @param mostBefore the largest `total` of the run before this pass */
  constructor(
    fetch: FetchSlice<S>,
    { limit, overlap = DEFAULT_OVERLAP, throttle }: WalkOptions,
    mostBefore = 0,
  ) {
    this.#options = { limit, overlap };
    this.#mostBefore = mostBefore;
    this.#record = new PassRecord(this.#options, mostBefore);
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
      this.#record = new PassRecord(this.#options, Math.max(this.#mostBefore, next.total));
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
    // The list may have become shorter than the offset.
    for (let back = 100; first.rows.length === 0 && back <= first.offset * 2; back *= 2) {
      first = await this.#pages.fetch(Math.max(0, Math.min(first.total, first.offset) - back));
    }
    this.#pages.planAfter(first);
    this.#first = first;
    this.#record.accept(first);
    yield first;
  }

  /** Reads the pages up to `total`, several at once, while `goesOn` returns true. */
  async *readPlanned(goesOn: () => boolean): AsyncGenerator<S, void, void> {
    const record = this.#record;
    for (let idle = 0; idle < MAX_IDLE_PLANS && !record.isEndless; ) {
      if (!goesOn()) return;
      const right = await this.#pages.take();
      if (right === undefined) return;
      if (right.rows.length === 0) break; // `total` has fallen since, or was wrong
      if (!record.isHeld(record.findLink(right))) {
        const outcome = yield* this.#walkOn(() => record.isHeld(record.findLink(right)));
        if (outcome === "end") break; // the planned calls have moved before the end, and were read
        if (outcome === "arrived") this.#seamsMended++;
      }
      idle = record.hasUnseen(right) ? 0 : idle + 1;
      record.accept(right);
      yield right;
    }
    this.#pages.drop();
  }

  async *reachEnd(): AsyncGenerator<S, void, void> {
    if ((yield* this.#walkOn(() => false)) !== "lost") return;
    this.#record.noteMovingEnd();
    // What lies there explains why the pass has seen no end.
    if (!this.#record.hasEnded) await this.#lookBehind();
  }

  /**
   * Reads to the end. If that is far below `total`, reads on where the list goes on: a service may leave pages empty between
   * others.
   *
   * @param isRefusal whether an error means that the service does not list what lies there
   */
  async *readAll(
    goesOn: () => boolean,
    isRefusal: (error: unknown) => boolean,
  ): AsyncGenerator<S, void, void> {
    for (let gaps = 0; ; gaps++) {
      yield* this.readPlanned(goesOn);
      if (goesOn()) yield* this.reachEnd();
      if (!goesOn() || gaps === MAX_GAPS) return;
      const next = await this.#findBehindGap(isRefusal);
      if (next === undefined) return;
      yield this.#goOnBehindGap(next);
    }
  }

  /**
   * Looks further behind the end of a pass that would be sure, and reads on where the list goes on: the page behind the last
   * call is also empty if the service drops its rows, or cannot send the first one. A `total` that moves is no cached one.
   */
  async *lookFurther(isRefusal: (error: unknown) => boolean): AsyncGenerator<S, void, void> {
    const { endsAt: end, totals, fresh } = this.evidence;
    if (!totals.isConstant || !isSure(judge(this.evidence, fresh).verdict)) return;
    const { pageRows } = this.#record;
    for (const beyond of [1, pageRows, 2 * pageRows]) {
      const slice = await this.#fetchUnlessRefused(end + beyond, isRefusal);
      if (slice === undefined) return;
      if (!this.#record.hasUnseen(slice)) {
        this.#record.lookBehind({ ...slice, offset: end + beyond });
        continue;
      }
      // Calls that came after the pass follow its last one, and are counted.
      const again = await this.#pages.fetch(end);
      const isGrown = end + beyond < slice.total && this.#record.hasUnseen(again);
      if (isGrown || again.total !== slice.total) return;
      yield this.#goOnBehindGap(slice);
      yield* this.readPlanned(() => true);
      return yield* this.reachEnd();
    }
    // A list that became shorter meanwhile may have passed the looks.
    this.#record.checkEnd(await this.#pages.fetch(Math.max(0, end - 1)));
  }

  #goOnBehindGap(slice: S): S {
    this.#pages.planAfter(slice);
    this.#record.goOnBehindGap(slice);
    return slice;
  }

  /** Looks once at the last page by `total`, and halves the way to it until it finds the first full page of calls that were not read. */
  async #findBehindGap(isRefusal: (error: unknown) => boolean): Promise<S | undefined> {
    const { endsAt, totals } = this.#record.evidence;
    if (!this.#record.isNothingBehind || totals.last - endsAt <= missingCallThreshold(totals.last))
      return undefined;
    let last: S | undefined;
    let [empty, next] = [endsAt, Math.max(endsAt + 1, totals.last - this.#options.limit)];
    for (let offset = next; ; offset = Math.floor((empty + next) / 2)) {
      const slice = await this.#fetchUnlessRefused(offset, isRefusal);
      const isPart = last !== undefined && slice !== undefined && this.#record.isShort(slice);
      if (slice !== undefined && !isPart && this.#record.isElsewhere(slice)) [last, next] = [slice, offset];
      else empty = offset;
      if (last === undefined || next - empty <= 1) return last;
    }
  }

  #fetchUnlessRefused(offset: number, isRefusal: (error: unknown) => boolean): Promise<S | undefined> {
    return this.#pages.fetch(offset).catch((error: unknown) => {
      if (isRefusal(error)) return undefined;
      throw error;
    });
  }

  /** Reads from the front, page after page, until one is settled. */
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
   * Reads the front again until it meets the first slice by two keys. This reads the calls added meanwhile. A call that has
   * jumped to the front, as in an order by the last change, is found out of place.
   */
  async *lookAtFront(): AsyncGenerator<S, void, void> {
    const record = this.#record;
    let [fruitless, met, offset] = [0, 0, 0];
    for (let slices = 0; fruitless < MAX_FRUITLESS && slices < MAX_CLOSING; slices++) {
      const slice = await this.#pages.fetch(offset);
      const hasUnseen = record.hasUnseen(slice);
      const closing = record.acceptClosing(slice);
      yield slice;
      if (closing === undefined || closing.isMet || slice.rows.length === 0) return;
      fruitless = hasUnseen || closing.met > met ? 0 : fruitless + 1;
      [met, offset] = [Math.max(met, closing.met), closing.next];
    }
  }

  /**
   * Reads on from the chain's last slice until `hasArrived` returns true, or the end. Steps back twice as far each time the
   * seam does not join. A slice may join any slice of the chain, since that one is joined to the front.
   */
  async *#walkOn(hasArrived: (slice: S) => boolean): AsyncGenerator<S, "arrived" | "end" | "lost", void> {
    const record = this.#record;
    let [stepBack, fruitless, ties, thin] = [1, 0, 0, 0];
    // A broken pass is not worth many tries at each further seam.
    const patience = record.isLinked ? MAX_FRUITLESS : MAX_FRUITLESS_BROKEN;
    const goesOn = () => fruitless < patience && thin < MAX_THIN && !record.isEndless;
    while (!record.hasEnded && goesOn()) {
      // A page that brought nothing new may be the last one, too: one call fills pages of a list that never had more.
      if (stepBack === 1 && (fruitless > 0 || record.isShort(record.left))) await this.#lookBehind();
      if (record.hasEnded) break;
      const slice = await this.#pages.fetch(record.nextOffset(stepBack));
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
      // Pages that have become shorter may take many to pass the known calls.
      const isCatchingUp = endOf(slice) > endOf(record.left) && endOf(slice) < record.endsAt;
      record.accept(slice, link);
      yield slice;
      if (hasArrived(slice)) return "arrived";
      // A list that grows as fast as it is read, or differs each time, would be read forever.
      const isThin = link.unseen * 4 < slice.rows.length || record.isShort(slice) || slice.offset === 0;
      if (hasUnseen && isThin) thin++;
      fruitless = hasUnseen ? 0 : fruitless + (isCatchingUp ? 0 : 1);
    }
    return record.hasEnded ? "end" : "lost";
  }

  /** Looks past the chain's last call; a page that ends by its size instead of its number of calls hides the next one. */
  async #lookBehind(): Promise<void> {
    const offset = this.#record.offsetBehind;
    this.#record.lookBehind({ ...(await this.#pages.fetch(offset)), offset });
  }
}
