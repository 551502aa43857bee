import { hasKey, keepsKey, ORDER_KEYS, type OrderKey } from "./order-key.ts";
import { type Row, reachesTotal, type Slice } from "./slice.ts";

/** First slices, whose calls are remembered to the end of the pass: the closing look meets them again. */
const HEAD_SLICES = 4;
/** Later slices per generation. Two generations are remembered. */
const GENERATION_SLICES = 32;

/** The bit of {@link Link.held} after those of {@link ORDER_KEYS}. */
const LINKED = 1 << ORDER_KEYS.length;
const ALL = LINKED * 2 - 1;

export const HELD_BY_BEING_FIRST = ALL;

export interface Link {
  /** A bit for each key under which the slice is *held* by the front, and one for sharing any call with a linked slice. */
  held: number;
  unseen: number;
  known: number;
}

interface KnownCall {
  row: Row;
  /** The keys under which a slice with the call is held, as in {@link Link.held}. */
  held: number;
}

/**
 * Links the slices of a pass, and proves that they leave no gap.
 *
 * Assumptions: (A1) a response is a contiguous slice, at one instant, of one order of the visible calls; (A2) that order is
 * by a key of the call that does not change during the pass, with equal keys in any order; (A3) a response is cut by its
 * number of rows. A2 is checked: one row out of the order of a key of {@link ORDER_KEYS} rules that key out. So is A3: all
 * slices that end before their `total` have the same length, and there are at least two.
 *
 * A slice is *held* by the front, under a key, if it starts at the front, or if it shares calls of two different keys
 * with slices that are held.
 *
 * Theorem. If a held slice is at the end of the calls, then every call that was visible in all responses was read, in
 * whatever order in time the slices were fetched, and however equal keys were shuffled.
 *
 * Proof. Let r be a call that was visible in all responses and never read. Claim: r lies to the right of every held
 * slice. If the slice starts at the front, nothing lies to the left of it. Otherwise it shares calls a and b of different
 * keys with held slices A and B, for which the claim already holds. The key of r differs from the key of one of them, say
 * a. In A, r lies to the right, and so after a. By the key it lies after a in every response (A2), and so in that of our
 * slice. Since the slice is contiguous (A1) and does not contain r, r lies to the right of the slice. But nothing lies to
 * the right of a slice at the end. ∎
 *
 * The end is a held slice that is shorter than the service's pages: it had room for another call (A3). A look behind it
 * checks A3 once more: pages cut by size may have one length up to a large call. Where A3 cannot be checked otherwise, only
 * that look shows the end. It shares no call with the chain, so it is not held. Such a pass is proven only if every response
 * had the same `total` and as many calls were read.
 *
 * A2 is checked only where a call is read twice: one whose key changes while it moves from unread to read places is in no
 * response.
 *
 * The service's key is not known. So a pass is proven if at least one key is left, and the end is held under each.
 */
export class Chain {
  #left = ALL;
  #outOfPlace: number | undefined;
  #slices = 0;
  readonly #head = new Map<number, KnownCall>();
  #recent = new Map<number, KnownCall>();
  #older = new Map<number, KnownCall>();

  /** The keys that no row has ruled out. */
  get keys(): OrderKey[] {
    return ORDER_KEYS.filter((_, index) => this.#left & (1 << index));
  }

  /** The call that ruled out the last key. */
  get outOfPlace(): number | undefined {
    return this.#outOfPlace;
  }

  /** @param isFirst whether the slice is where the pass begins, and so is held without shared calls */
  findLink({ rows }: Slice, isFirst: boolean): Link {
    let [held, unseen, known] = [isFirst ? ALL : 0, 0, 0];
    /** For each key, the first call that is shared with a slice held under it. */
    const firsts: (Row | undefined)[] = [];
    for (const row of rows) {
      if (row.id === null) continue;
      const before = this.#find(row.id);
      if (before === undefined) {
        unseen++;
        continue;
      }
      known++;
      held |= before.held & LINKED;
      if (row.isRejected || before.row.isRejected) continue;
      let open = before.held & this.#left & ~held & ~LINKED;
      for (let index = 0; open !== 0; index++, open >>= 1) {
        const key = ORDER_KEYS[index];
        if (!(open & 1) || key === undefined) continue;
        const first = firsts[index];
        if (first === undefined) firsts[index] = row;
        else if (key.compare(first, row) !== 0) held |= 1 << index;
      }
    }
    return { held, unseen, known };
  }

  /** Whether a slice is held under each key that the slice before it is held under. */
  isHeld(link: Link, before: number): boolean {
    const keys = before & this.#left & ~LINKED;
    if (keys !== 0) return (link.held & keys) === keys;
    return before & LINKED ? (link.held & LINKED) !== 0 : link.known > 0;
  }

  /** Whether shared calls link a slice to the front; weaker than being held under a key. */
  isLinked(held: number): boolean {
    return (held & LINKED) !== 0;
  }

  /** Whether at least one key is left, and a slice is held under each. */
  isProven(held: number): boolean {
    const keys = this.#left & ~LINKED;
    return keys !== 0 && (held & keys) === keys;
  }

  /** Adds a slice, and rules out the keys that its rows contradict. */
  add({ rows }: Slice, held: number): void {
    this.#slices++;
    if (this.#slices % GENERATION_SLICES === 0) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    const generation = this.#slices <= HEAD_SLICES ? this.#head : this.#recent;
    let previous: Row | undefined;
    for (const row of rows) {
      if (row.id === null) continue;
      const before = this.#find(row.id);
      if (!row.isRejected) {
        this.#checkOrder(previous, row, before?.row.isRejected ? undefined : before?.row);
        previous = row;
      }
      generation.set(row.id, { row, held: before === undefined ? held : held | before.held });
    }
  }

  /** Counts the calls at the end of a slice that have the same key, under the key with the most of them. */
  countEqualAtEnd(rows: readonly Row[]): number {
    const last = rows.findLast(isPlaced);
    if (last === undefined) return 0;
    const counts = this.keys.map((key) => {
      const other = rows.findLastIndex((row) => isPlaced(row) && key.compare(row, last) !== 0);
      return rows.length - 1 - other;
    });
    return Math.max(0, ...counts);
  }

  /**
   * Counts the calls of an earlier slice that a later one lacks, though it has calls on both sides of their place, or on
   * one side and is where the list begins or ends on the other.
   */
  countVanished(before: readonly Row[], slice: Slice): number {
    const { rows: now } = slice;
    const [isFront, isEnd] = [slice.offset === 0, reachesTotal(slice)];
    const [key] = this.keys;
    const first = now.find(isPlaced);
    const last = now.findLast(isPlaced);
    if (key === undefined || first === undefined || last === undefined) return 0;
    const inside = before.filter(
      (row) =>
        isPlaced(row) && (isFront || key.compare(first, row) < 0) && (isEnd || key.compare(row, last) < 0),
    );
    if (inside.length === 0) return 0;
    const ids = new Set(now.map(({ id }) => id));
    return inside.filter(({ id }) => !ids.has(id)).length;
  }

  #find(id: number): KnownCall | undefined {
    return this.#recent.get(id) ?? this.#older.get(id) ?? this.#head.get(id);
  }

  /** Rules out the keys that a row is out of order by, and those of which a member has changed since it was last read. */
  #checkOrder(previous: Row | undefined, row: Row, before: Row | undefined): void {
    for (let index = 0, left = this.#left & ~LINKED; left !== 0; index++, left >>= 1) {
      const key = ORDER_KEYS[index];
      if (!(left & 1) || key === undefined) continue;
      const fits =
        hasKey(key, row) &&
        (previous === undefined || key.compare(previous, row) <= 0) &&
        (before === undefined || keepsKey(key, before, row));
      if (fits) continue;
      this.#left &= ~(1 << index);
      if ((this.#left & ~LINKED) === 0) this.#outOfPlace = row.id ?? undefined;
    }
  }
}

/** Whether the place of a row in an order is known. */
function isPlaced({ id, isRejected = false }: Row): boolean {
  return id !== null && !isRejected;
}
