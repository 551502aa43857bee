import { Chain, HELD_BY_BEING_FIRST, type Link } from "./chain.ts";
import { type Evidence, observeTotal, type Totals } from "./evidence.ts";
import { IdSketch } from "./id-sketch.ts";
import { isTrusted, type Sort } from "./order-key.ts";
import { endOf, overlapOf, reachesTotal, type Slice } from "./slice.ts";

/** Times the calls that the service first counted, and pages beyond, after which a list has no end. */
const MOST_TIMES = 10;
const MOST_PAGES = 1000;

const NOTHING: Slice = { offset: 0, total: 0, rows: [] };

/**
 * What a pass has read: a fold over its slices in the order of the chain, so that the slices of a pass that was cut short
 * are worth the same again when they are read from the ledger.
 */
export class PassRecord {
  readonly #limit: number;
  readonly #sort: Sort;
  /** Rows that the service gives a page, as far as it has shown. */
  #pageSize = 0;
  readonly #overlap: number;
  readonly #chain = new Chain();
  /** The first slice alone, which the closing look has to meet. */
  readonly #front = new Chain();
  #first: Slice = NOTHING;
  /** The closing look, slice by slice: it must hang together by itself, too. */
  readonly #closing = new Chain();
  readonly #met = new IdSketch();
  readonly #requestIds = new Set<string>();
  #left: Slice = NOTHING;
  #leftHeld = HELD_BY_BEING_FIRST;
  #hasClosing = false;
  #closingHeld = HELD_BY_BEING_FIRST;
  /** Under which hypotheses the end, and the closing look, are held. */
  #endHeld = 0;
  #frontHeld = 0;
  #end: Evidence["end"] = "unseen";
  #totals: Totals = {
    first: 0,
    last: 0,
    least: 0,
    most: 0,
    isConstant: true,
    fall: 0,
    falls: 0,
    overruns: 0,
  };
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
  };

  /** @param options what is asked for: rows of a page, rows that neighbours share, and the order */
  constructor({ limit, overlap, sort }: { limit: number; overlap: number; sort: Sort }) {
    this.#limit = limit;
    this.#overlap = overlap;
    this.#sort = sort;
  }

  /** The chain's last slice, without what it may carry beside its rows. */
  get left(): Slice {
    return this.#left;
  }

  /** Whether the rows so far are in the order of a key. */
  get isOrdered(): boolean {
    return this.#chain.keys.length > 0;
  }

  /** Whether one of those keys can be trusted. */
  get isTrusted(): boolean {
    return this.#chain.keys.some((key) => isTrusted(key, this.#sort));
  }

  get evidence(): Omit<Evidence, "resumed" | "seamsMended" | "settled"> {
    const chain = this.#chain;
    const end = this.#end === "unseen" ? this.#leftHeld : this.#endHeld;
    const held = end & (this.#hasClosing ? this.#frontHeld : HELD_BY_BEING_FIRST);
    return {
      ...this.#counts,
      totals: this.#totals,
      startsAtFront: this.#startsAtFront,
      keys: chain.keys,
      outOfPlace: chain.outOfPlace,
      end: this.#end,
      isProven: chain.isProven(held),
      isLinked: chain.isLinked(held),
      isFrontMet: chain.isLinked(this.#frontHeld),
      isTrusted: this.isTrusted,
    };
  }

  /** Whether the chain's last slice is linked to where the reading began. */
  get isLinked(): boolean {
    return this.#chain.isLinked(this.#leftHeld);
  }

  /** Whether far more calls came than were there: new ones come as fast as they are read, or the list has no end. */
  get isEndless(): boolean {
    return this.#counts.fresh > MOST_TIMES * this.#totals.first + MOST_PAGES * this.#pageSize;
  }

  /** Returns how a slice would hang together with those before it. */
  findLink(slice: Slice): Link {
    return this.#chain.findLink(slice, slice.offset === 0 || this.#counts.slices === 0);
  }

  /** Whether a slice is held as well as the chain's last one. */
  isHeld(link: Link): boolean {
    return this.#chain.isHeld(link, this.#leftHeld);
  }

  /** Takes a slice into the chain, as its last one. */
  accept(slice: Slice, link = this.findLink(slice)): void {
    this.acceptEarlier(slice, link);
    // Without what it may carry beside its rows.
    this.#left = { offset: slice.offset, total: slice.total, rows: slice.rows };
    this.#leftHeld = link.held;
  }

  /** Takes a slice into the chain that does not lead it on. */
  acceptEarlier(slice: Slice, link: Link): void {
    if (this.#counts.slices === 0) {
      this.#startsAtFront = slice.offset === 0;
      this.#first = { offset: slice.offset, total: slice.total, rows: slice.rows };
      this.#front.add(slice, HELD_BY_BEING_FIRST);
    }
    this.#counts.vanished += this.#chain.countVanished(this.#left.rows, slice.rows);
    if (!this.#chain.isLinked(link.held)) this.#counts.seamsBroken++;
    this.#observe(slice, link);
    this.#chain.add(slice, link.held);
  }

  /** Makes the slice that reaches furthest the chain's last one: the pass goes on from there. */
  goBackTo(slice: Slice): void {
    this.#left = slice;
    this.#leftHeld = this.findLink(slice).held;
  }

  /** Where the slice after the chain's last one starts; further back where its last calls have equal keys. */
  nextOffset(stepBack = 1): number {
    const size = this.#pageSize;
    const overlap = overlapOf(size, this.#overlap);
    const equal = this.#chain.countEqualAtEnd(this.#left.rows);
    const isTooWide = equal < overlap || equal + 1 >= size;
    const rows = isTooWide ? overlap : Math.min(equal + overlap, size - 1);
    return Math.max(0, endOf(this.#left) - rows * stepBack);
  }

  /**
   * Whether the chain's last slice may be the end of the calls: it has fewer rows than the service gives a page. A look
   * beyond it has to find nothing. Pages of one or two calls, of which no part would join, may end where their total does.
   */
  get mayBeEnd(): boolean {
    const { rows, total } = this.#left;
    return this.isShort(this.#left) || (rows.length > 0 && rows.length <= 2 && endOf(this.#left) === total);
  }

  /** Takes a look beyond the chain's last slice, which counts as a witness alone; says what it finds there. */
  lookBeyond(beyond: Slice): "nothing" | "its tail" | "more" {
    this.#totals = observeTotal(this.#totals, beyond);
    this.#noteOrigin(beyond);
    if (beyond.rows.length === 0) return "nothing";
    const { rows } = this.#left;
    const tail = rows.slice(-beyond.rows.length);
    // Calls that came in before have moved the last ones there; of calls with equal keys it may be others.
    const isTail =
      beyond.rows.length < rows.length &&
      this.#chain.countEqualAtEnd(rows) === 1 &&
      beyond.rows.every(({ id }, index) => id === tail[index]?.id);
    return isTail ? "its tail" : "more";
  }

  /** Notes that the chain's last slice is the end of the calls. */
  noteEnd(end: "disputed" | "seen"): void {
    this.#end = end;
    this.#endHeld = this.#leftHeld;
  }

  /**
   * Takes a slice of the closing look. Returns whether it meets the pass, and where the look goes on otherwise; undefined
   * where its own slices do not join.
   */
  acceptClosing(slice: Slice): { isMet: boolean; next: number } | undefined {
    const within = this.#closing.findLink(slice, slice.offset === 0);
    const isJoined = this.#closing.isHeld(within, this.#closingHeld);
    this.#hasClosing = true;
    this.#observe(slice, this.#chain.findLink(slice, false));
    this.#chain.add(slice, 0);
    this.#counts.vanished += this.#chain.countVanished(this.#first.rows, slice.rows);
    this.#closing.add(slice, within.held);
    this.#closingHeld = within.held;
    if (!isJoined) return undefined;
    // Calls may have jumped to the front from anywhere, some of the first slice among them: as many as pages share have to be
    // where they were. Of one or two calls there cannot be two keys.
    const isWhole =
      slice.offset === 0 && slice.rows.length <= 2 && (reachesTotal(slice) || this.#end === "disputed");
    const met = this.#front.findLink(slice, false);
    const isEnough = met.known >= Math.min(overlapOf(this.#pageSize, this.#overlap), this.#first.rows.length);
    this.#frontHeld |= (isWhole ? HELD_BY_BEING_FIRST : isEnough ? met.held : 0) & within.held;
    const next = Math.max(0, endOf(slice) - overlapOf(this.#pageSize, this.#overlap));
    const isMet = this.isOrdered
      ? this.#chain.isProven(this.#frontHeld)
      : this.#chain.isLinked(this.#frontHeld);
    return { isMet, next };
  }

  /** Whether a slice has fewer rows than the service gives a page, as far as it has shown; else than were asked for. */
  isShort({ rows }: Slice): boolean {
    return rows.length < (this.#counts.slices > 1 ? this.#pageSize : this.#limit);
  }

  /** Whether a slice has a call that the pass has not met yet. */
  hasUnseen({ rows }: Slice): boolean {
    return rows.some(({ id }) => id !== null && !this.#met.has(id));
  }

  #observe(slice: Slice, { unseen }: Link): void {
    const counts = this.#counts;
    counts.fresh += unseen;
    for (const { id } of slice.rows) if (id !== null) this.#met.add(id);
    this.#pageSize = Math.max(this.#pageSize, slice.rows.length);
    this.#totals = observeTotal(counts.slices === 0 ? undefined : this.#totals, slice);
    counts.slices++;
    if (slice.fragmented) counts.fragmented++;
    counts.unplaced += slice.rows.filter(({ id }) => id === null).length;
    this.#noteOrigin(slice);
  }

  /** Notes whether a response came from the service as it is now. */
  #noteOrigin({ requestId, isOld = false }: Slice): void {
    if (isOld) this.#counts.old++;
    if (requestId === undefined) return;
    if (this.#requestIds.has(requestId)) this.#counts.repeated++;
    this.#requestIds.add(requestId);
  }
}
