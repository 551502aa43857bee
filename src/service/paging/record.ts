import { Chain, HELD_BY_BEING_FIRST, type Link } from "./chain.ts";
import { endBy, endsAtTotal, findEnd } from "./end.ts";
import {
  type Behind,
  type End,
  type Evidence,
  fallFrom,
  firstTotals,
  type Gap,
  observeTotal,
} from "./evidence.ts";
import { IdSketch } from "./id-sketch.ts";
import { endOf, overlapOf, type Row, reachesTotal, type Slice } from "./slice.ts";

/** A list is endless once the pass has read this many times the first `total`, plus this many pages. */
const MAX_TIMES = 10;
const MAX_PAGES = 1000;

const NOTHING: Slice = { offset: 0, total: 0, rows: [] };

/** Collects the evidence of a pass, slice by slice. Slices of an interrupted pass count the same when read from the ledger. */
export class PassRecord {
  readonly #limit: number;
  #longest = 0;
  /** Slices that end before their `total`, the rows of the last one, and whether all, or the last two, are as long. */
  #cut = { slices: 0, rows: 0, isOneLength: true, isRepeated: false };
  readonly #overlap: number;
  readonly #mostBefore: number;
  readonly #chain = new Chain();
  /** Only the first slice, which the closing look has to meet. */
  readonly #front = new Chain();
  #first: Slice = NOTHING;
  readonly #frontIds = new Set<number>();
  readonly #frontMet = new Set<number>();
  /** The slices of the closing look, which must join as well. */
  readonly #closing = new Chain();
  readonly #met = new IdSketch();
  readonly #requestIds = new Set<string>();
  #left: Slice = NOTHING;
  #leftHeld = HELD_BY_BEING_FIRST;
  #furthest = 0;
  #hasClosing = false;
  #closingHeld = HELD_BY_BEING_FIRST;
  /** The keys under which the end and the closing look are held, as in {@link Link.held}. */
  #endHeld = 0;
  #frontHeld = 0;
  /** The same before the closing look has met enough calls. */
  #metHeld = 0;
  #end: End = "unseen";
  /** The look past the chain's last slice, if that is still the last one, and the look found no unseen call. */
  #look: Behind | undefined;
  /** The rows of the last look. */
  #rowsBehind: readonly Row[] = [];
  #totals = firstTotals(0);
  #startsAtFront = false;
  #counts = {
    slices: 0,
    fresh: 0,
    seamsBroken: 0,
    fragmented: 0,
    unplaced: 0,
    repeated: 0,
    old: 0,
    vanished: 0,
    closing: 0,
    closingOnly: 0,
  };
  readonly #behind: Behind[] = [];
  readonly #gaps: Gap[] = [];

  /** @param mostBefore the largest `total` in passes of this run that were given up */
  constructor({ limit, overlap }: { limit: number; overlap: number }, mostBefore = 0) {
    this.#limit = limit;
    this.#overlap = overlap;
    this.#mostBefore = mostBefore;
  }

  /** The chain's last slice, without any other data of its page. */
  get left(): Slice {
    return this.#left;
  }

  get isOrdered(): boolean {
    return this.#chain.keys.length > 0;
  }

  get evidence(): Omit<Evidence, "resumed" | "seamsMended" | "settled"> {
    const chain = this.#chain;
    const end = this.#end === "unseen" ? this.#leftHeld : this.#endHeld;
    const held = end & (this.#hasClosing ? this.#frontHeld : HELD_BY_BEING_FIRST);
    return {
      ...this.#counts,
      behind: this.#behind,
      gaps: this.#gaps,
      endsAt: this.endsAt,
      totals: fallFrom(this.#mostBefore, this.#totals),
      startsAtFront: this.#startsAtFront,
      keys: chain.keys,
      outOfPlace: chain.outOfPlace,
      end: this.#end,
      isProven: chain.isProven(held),
      isLinked: chain.isLinked(held),
      isFrontMet: chain.isLinked(this.#frontHeld),
      front: { met: this.#frontMet.size, needed: this.#frontNeeded },
      isOneLength: this.#cut.isOneLength,
    };
  }

  get hasEnded(): boolean {
    return this.#end !== "unseen";
  }

  /** The offset after the last call: after the one that lies furthest from the front, if the end is unseen. */
  get endsAt(): number {
    return this.hasEnded ? endOf(this.#left) : this.#furthest;
  }

  /** Whether the end, or the last look past the chain's last slice, showed no unseen call. */
  get isNothingBehind(): boolean {
    return this.hasEnded || this.#look !== undefined;
  }

  /** Whether the chain's last slice is linked to where the reading began. */
  get isLinked(): boolean {
    return this.#chain.isLinked(this.#leftHeld);
  }

  /** Whether the list has no end, or grows as fast as it is read. */
  get isEndless(): boolean {
    return this.#counts.fresh > MAX_TIMES * this.#totals.first + MAX_PAGES * this.#pageSize;
  }

  /** Where the next look has to begin: behind the last call, if `total` goes on as it did since the last look. */
  get offsetBehind(): number {
    const { after, total } = this.#behind.at(-1) ?? {};
    const moved = after === this.#counts.slices - 1 && total !== undefined ? this.#left.total - total : 0;
    // Pages that move further do not overlap.
    return Math.max(0, endOf(this.#left) + (Math.abs(moved) < this.#overlap ? moved : 0));
  }

  findLink(slice: Slice): Link {
    return this.#chain.findLink(slice, slice.offset === 0 || this.#counts.slices === 0);
  }

  isHeld(link: Link): boolean {
    return this.#chain.isHeld(link, this.#leftHeld);
  }

  /** Appends a slice to the chain, and notes the end if it and the look before it show it. */
  accept(slice: Slice, link = this.findLink(slice)): void {
    const [before, look] = [this.#left, this.#look];
    this.#lead(slice, link);
    if (look === undefined) return;
    const full = Math.min(this.#cut.rows, this.#limit);
    const isShort = this.#isCutByNumber && slice.rows.length < full;
    this.#noteEnd(findEnd({ before, look, after: slice, unseen: link.unseen, isShort }));
  }

  /** Appends a slice from where the list goes on behind offsets at which nothing came. */
  goOnBehindGap(slice: Slice): void {
    this.#gaps.push({ first: this.endsAt, last: slice.offset - 1 });
    this.accept(slice);
  }

  #noteEnd(end: End): void {
    this.#end = end;
    this.#endHeld = this.#leftHeld;
  }

  /**
   * Notes that the end moves as fast as it is read: `total` moves, the last slice ends exactly at its own, and the pass has
   * read what the last look found.
   */
  noteMovingEnd(): void {
    const isMet = this.isShort(this.#left) && !this.hasUnseen({ rows: this.#rowsBehind });
    if (isMet && !this.#totals.isConstant && endsAtTotal(this.#left)) this.#noteEnd("moving");
  }

  /** Takes the page of the last call again: a list that ends elsewhere though its `total` stands still has a cached one. */
  checkEnd(slice: Slice): void {
    if (slice.total !== this.#totals.last) return;
    if (this.hasUnseen(slice)) this.lookBehind(slice);
    else if (endOf(slice) !== this.endsAt) this.#noteEnd("moving");
  }

  /**
   * Restores the chain of an interrupted pass, and continues from the slice that reaches furthest. None of them proves the
   * end, since their limit is not known.
   */
  takeUp(earlier: readonly Slice[]): void {
    let furthest = NOTHING;
    for (const slice of earlier) {
      this.#lead(slice, this.findLink(slice));
      if (endOf(slice) >= endOf(furthest)) furthest = slice;
    }
    this.#left = furthest;
    this.#leftHeld = this.findLink(furthest).held;
  }

  #lead(slice: Slice, link: Link): void {
    this.acceptEarlier(slice, link);
    this.#furthest = Math.max(this.#furthest, endOf(slice));
    this.#end = "unseen";
    this.#look = undefined;
    this.#left = { offset: slice.offset, total: slice.total, rows: slice.rows };
    this.#leftHeld = link.held;
  }

  /** Adds a slice to the chain that does not become its last one. */
  acceptEarlier(slice: Slice, link: Link): void {
    if (this.#counts.slices === 0) {
      this.#startsAtFront = slice.offset === 0;
      this.#first = { offset: slice.offset, total: slice.total, rows: slice.rows };
      this.#front.add(slice, HELD_BY_BEING_FIRST);
      for (const { id } of slice.rows) if (id !== null) this.#frontIds.add(id);
    }
    this.#counts.vanished += this.#chain.countVanished(this.#left.rows, slice);
    if (!this.#chain.isLinked(link.held)) this.#counts.seamsBroken++;
    this.#observe(slice, link);
    this.#chain.add(slice, link.held);
  }

  /** Rows of a full page: of the longest, if one ended before its `total`. */
  get pageRows(): number {
    return this.#cut.slices > 0 ? this.#pageSize : this.#limit;
  }

  /** Rows per page, as seen so far. A resumed pass may ask for fewer rows than before. */
  get #pageSize(): number {
    return Math.min(this.#longest, this.#limit);
  }

  /** Calls of the first slice that the closing look has to meet. */
  get #frontNeeded(): number {
    return Math.min(overlapOf(this.#pageSize, this.#overlap), this.#frontIds.size);
  }

  /** Returns the offset of the slice after the chain's last one: lower if its last calls have equal keys. */
  nextOffset(stepBack = 1): number {
    // Pages may have become shorter, and as many rows as before would lead back.
    const size = Math.min(this.#pageSize, this.#cut.slices > 0 ? this.#cut.rows : this.#pageSize);
    const overlap = overlapOf(size, this.#overlap);
    const equal = this.#chain.countEqualAtEnd(this.#left.rows);
    const isTooWide = equal < overlap || equal + 1 >= size;
    const rows = isTooWide ? overlap : Math.min(equal + overlap, size - 1);
    return Math.max(0, endOf(this.#left) - rows * stepBack);
  }

  /** Whether the service cuts pages by their number of rows: two slices that end before their `total` show it. */
  get #isCutByNumber(): boolean {
    return this.#cut.isOneLength && this.#cut.slices >= 2 && this.#cut.rows === this.#longest;
  }

  /** Takes a slice from after the chain's last one, without adding it to the chain. */
  lookBehind(behind: Slice, unseen = behind.rows.length - this.#chain.findLink(behind, false).known): void {
    const { slices: after } = this.#counts;
    const look = { ...behind, rows: behind.rows.length, unseen, after, repeats: this.#placeOf(behind.rows) };
    this.#behind.push(look);
    this.#noteOrigin(behind);
    if (this.hasEnded) {
      // Looks further behind a proven end come after the pass, whose `total` they do not have.
      if (unseen > 0) this.#end = "unseen";
      return;
    }
    // Known calls that come again are not beyond the list.
    this.#totals = observeTotal(this.#totals, unseen === 0 ? { ...behind, rows: [] } : behind);
    this.#rowsBehind = behind.rows;
    this.#look = unseen === 0 ? look : undefined;
    // No slice could join an empty one.
    if (this.#left.rows.length === 0 && unseen === 0) this.#noteEnd(endBy(this.#left, look));
  }

  /** Returns the offset at which rows were read before, if the first or the last slice has one end of them. */
  #placeOf(rows: readonly Row[]): number | undefined {
    for (const { offset, rows: known } of [this.#first, this.#left]) {
      for (const index of [0, rows.length - 1]) {
        const id = rows[index]?.id ?? undefined;
        const place = id === undefined ? -1 : known.findIndex((row) => row.id === id);
        if (place >= 0) return Math.max(0, offset + place - index);
      }
    }
    return undefined;
  }

  /**
   * Takes a slice of the closing look. Returns whether the look has met the first slice, how many of its calls, and the
   * next offset; undefined if the slices of the look do not join.
   */
  acceptClosing(slice: Slice): { isMet: boolean; met: number; next: number } | undefined {
    const within = this.#closing.findLink(slice, slice.offset === 0);
    const isJoined = this.#closing.isHeld(within, this.#closingHeld);
    this.#hasClosing = true;
    this.#counts.closing++;
    this.#counts.closingOnly += slice.rows.filter(({ id }) => id !== null && !this.#met.has(id)).length;
    this.#observe(slice, this.#chain.findLink(slice, false));
    this.#chain.add(slice, 0);
    this.#counts.vanished += this.#chain.countVanished(this.#first.rows, slice);
    this.#closing.add(slice, within.held);
    this.#closingHeld = within.held;
    if (!isJoined) return undefined;
    // Calls may have jumped to the front, including some of the first slice. So the look has to meet as many of its calls as
    // pages share, on one slice or, in an order, several that join; unless one slice is the whole list.
    const isWhole = slice.offset === 0 && this.#end !== "unseen" && this.#left.offset === 0;
    if (!this.isOrdered) this.#frontMet.clear();
    for (const { id } of slice.rows) if (id !== null && this.#frontIds.has(id)) this.#frontMet.add(id);
    this.#metHeld |= (isWhole ? HELD_BY_BEING_FIRST : this.#front.findLink(slice, false).held) & within.held;
    if (isWhole || this.#frontMet.size >= this.#frontNeeded) this.#frontHeld = this.#metHeld;
    const size = Math.min(slice.rows.length, this.#pageSize);
    const next = Math.max(0, endOf(slice) - overlapOf(size, this.#overlap));
    const isMet = this.isOrdered
      ? this.#chain.isProven(this.#frontHeld)
      : this.#chain.isLinked(this.#frontHeld);
    return { isMet, met: this.#frontMet.size, next };
  }

  /**
   * Whether a slice is empty or shorter than a page: by the page size seen so far, the length to which two pages have
   * shrunk, or the limit in the first slice.
   */
  isShort({ rows }: Slice): boolean {
    const shrunk = this.#cut.isRepeated ? this.#cut.rows : this.#pageSize;
    const size = this.#counts.slices > 1 ? Math.min(this.#pageSize, shrunk) : this.#limit;
    return rows.length === 0 || rows.length < size;
  }

  /** Whether a slice has unseen calls, and none that the chain remembers. */
  isElsewhere(slice: Slice): boolean {
    return this.hasUnseen(slice) && this.#chain.findLink(slice, false).known === 0;
  }

  hasUnseen({ rows }: Pick<Slice, "rows">): boolean {
    return rows.some(({ id }) => id !== null && !this.#met.has(id));
  }

  #observe(slice: Slice, { unseen }: Link): void {
    const counts = this.#counts;
    if (!reachesTotal(slice)) {
      this.#cut.isRepeated = this.#cut.slices > 0 && this.#cut.rows === slice.rows.length;
      this.#cut.isOneLength &&= this.#cut.slices === 0 || this.#cut.isRepeated;
      this.#cut.slices++;
      this.#cut.rows = slice.rows.length;
    }
    counts.fresh += unseen;
    for (const { id } of slice.rows) if (id !== null) this.#met.add(id);
    this.#longest = Math.max(this.#longest, slice.rows.length);
    this.#totals = observeTotal(counts.slices === 0 ? undefined : this.#totals, slice);
    counts.slices++;
    if (slice.fragmented) counts.fragmented++;
    counts.unplaced += slice.rows.filter(({ id }) => id === null).length;
    this.#noteOrigin(slice);
  }

  /** Counts responses that a cache or a lagging replica may have sent. */
  #noteOrigin({ requestId, isOld = false }: Slice): void {
    if (isOld) this.#counts.old++;
    if (requestId === undefined) return;
    if (this.#requestIds.has(requestId)) this.#counts.repeated++;
    this.#requestIds.add(requestId);
  }
}
