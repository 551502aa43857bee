import { hasKey, keepsKey, ORDER_KEYS, type OrderKey } from "./order-key.ts";
import type { Row, Slice } from "./slice.ts";

/** Slices whose calls are remembered to the end of the pass: the first ones, which the closing look meets again. */
const HEAD_SLICES = 4;
/** Slices in each of two generations of later ones; the older one is forgotten when the younger is full. */
const GENERATION_SLICES = 32;

/** Bits of {@link Link.held}: one for each of {@link ORDER_KEYS}, and one for sharing any call at all. */
const LINKED = 1 << ORDER_KEYS.length;
const ALL = LINKED * 2 - 1;

/** How a slice is held that starts where the reading begins. */
export const HELD_BY_BEING_FIRST = ALL;

/** How a slice hangs together with those before it. */
export interface Link {
  /**
   * The hypotheses under which the slice is *held* by the front, a bit each: the keys by which it is joined, and
   * whether it shares any call with a slice that is linked to the front.
   */
  held: number;
  unseen: number;
  known: number;
}

interface KnownCall {
  row: Row;
  /** Under which hypotheses a slice that has the call is held. */
  held: number;
}

/**
 * What a pass has read, and what that proves.
 *
 * Assumed: (A1) a response is a contiguous slice, at one instant, of one order of the visible calls; (A2) that order is
 * by a key made of members of the call that do not change during the pass, equal keys in any order; (A3) a response is cut
 * by its number of rows. A2 is witnessed: every row of every slice is checked against all keys of {@link ORDER_KEYS}, and
 * one row out of place ends a key. So is A3: at least two slices that end before the last call, and all of those, have one
 * length.
 *
 * A slice is *held* by the front, under a key, if it starts at the front, or if it shares calls of two different keys
 * with slices that are held.
 *
 * Theorem. If a held slice is at the end of the calls, then every call that was visible in all responses was read, in
 * whatever order in time the slices were fetched, and however equal keys were shuffled.
 *
 * Proof. Let r be a call that was visible in all responses and never read. Claim: r lies to the right of every held
 * slice. It does of one that starts at the front: nothing lies to the left of it. Else the slice shares calls a and b of
 * different keys with held slices A and B, of which the claim holds already. The key of r is another than that of one
 * of them, say of a. In A, r lies to the right, and so after a. By the key it lies after a in every response (A2), and
 * so in that of our slice: there it is to the right of a, and as the slice is contiguous (A1) and does not have it, to the
 * right of the slice. But nothing lies to the right of a slice at the end. ∎
 *
 * The end is a held slice that is shorter than the service's pages: had another call followed, there was room for it (A3).
 * Where A3 has no witness, nothing but a look behind the last call shows the end. That slice is not held, since it shares no
 * call with the chain, so such a pass is proven only if every response had the same total and all of it was read.
 *
 * Which key is the service's own nobody knows: a pass is proven if its end is held under every key that is left, and
 * one is.
 */
export class Chain {
  #left = ALL;
  #outOfPlace: number | undefined;
  #slices = 0;
  readonly #head = new Map<number, KnownCall>();
  #recent = new Map<number, KnownCall>();
  #older = new Map<number, KnownCall>();

  /** The keys that every row so far is in the order of. */
  get keys(): OrderKey[] {
    return ORDER_KEYS.filter((_, index) => this.#left & (1 << index));
  }

  /** The call that ended the last key. */
  get outOfPlace(): number | undefined {
    return this.#outOfPlace;
  }

  /**
   * Returns how a slice would hang together with those before it.
   *
   * @param isFirst whether it is held by being where the reading begins; else it has to share calls
   */
  findLink({ rows }: Slice, isFirst: boolean): Link {
    let [held, unseen, known] = [isFirst ? ALL : 0, 0, 0];
    /** The first call of the slice that is held under each key. */
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

  /** Whether a slice is held as well as the one before it. */
  isHeld(link: Link, before: number): boolean {
    const keys = before & this.#left & ~LINKED;
    if (keys !== 0) return (link.held & keys) === keys;
    return before & LINKED ? (link.held & LINKED) !== 0 : link.known > 0;
  }

  /** Whether a slice is linked to the front by calls that are shared, if not held under a key. */
  isLinked(held: number): boolean {
    return (held & LINKED) !== 0;
  }

  /** Whether a slice is held under every key that is left, and one is. */
  isProven(held: number): boolean {
    const keys = this.#left & ~LINKED;
    return keys !== 0 && (held & keys) === keys;
  }

  /** Takes a slice in, and checks its rows against the keys. */
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

  /** Counts the calls at the end of a slice whose keys are equal, under the key where they are most. */
  countEqualAtEnd(rows: readonly Row[]): number {
    const last = rows.findLast(isPlaced);
    if (last === undefined) return 0;
    const counts = this.keys.map((key) => {
      const other = rows.findLastIndex((row) => isPlaced(row) && key.compare(row, last) !== 0);
      return rows.length - 1 - other;
    });
    return Math.max(0, ...counts);
  }

  /** Counts the calls of an earlier slice that a later one does not have, though it has calls on both sides of their place. */
  countVanished(before: readonly Row[], now: readonly Row[]): number {
    const [key] = this.keys;
    const first = now.find(isPlaced);
    const last = now.findLast(isPlaced);
    if (key === undefined || first === undefined || last === undefined) return 0;
    const inside = before.filter(
      (row) => isPlaced(row) && key.compare(first, row) < 0 && key.compare(row, last) < 0,
    );
    if (inside.length === 0) return 0;
    const ids = new Set(now.map(({ id }) => id));
    return inside.filter(({ id }) => !ids.has(id)).length;
  }

  #find(id: number): KnownCall | undefined {
    return this.#recent.get(id) ?? this.#older.get(id) ?? this.#head.get(id);
  }

  /** Ends the keys that a row is out of the order of, or has other members of than before. */
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

/** Whether it is known where a call stands in an order. */
function isPlaced({ id, isRejected = false }: Row): boolean {
  return id !== null && !isRejected;
}
