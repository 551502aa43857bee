import type { Slice } from "./slice.ts";

/** Slices whose calls are remembered: the first ones, which the closing request meets again, and the latest. */
const HEAD_SLICES = 4;
const TAIL_SLICES = 64;

/** What one slice says about the order of the calls. */
export interface OrderReport {
  /** Calls not met before. */
  fresh: number;
  /** Calls not met before that follow the last one met before: how far the slice brings the walk. */
  advance: number;
  /** Calls that stand before one they used to follow, and were less than the overlap away from it. */
  inversionsNear: number;
  /** The same, further away. */
  inversionsFar: number;
}

/**
 * Watches whether calls keep their relative order through a pass: the assumption (A2) that the proof of completeness
 * stands on. Remembers a bounded number of slices.
 */
export class OrderWitness {
  readonly #overlap: number;
  readonly #places = new Map<number, number>();
  /** Places that a newcomer shares with its neighbour: which of the two comes first there is not known. */
  #shared = new Set<number>();
  readonly #latest: number[][] = [];
  #slices = 0;
  #end = 0;

  constructor(overlap: number) {
    this.#overlap = overlap;
  }

  /** Whether any call of the slice has been met, and is remembered. */
  knows({ ids }: Slice): boolean {
    return ids.some((id) => id !== null && this.#places.has(id));
  }

  observe({ offset, ids }: Slice): OrderReport {
    const known = ids.map((id) => (id === null ? undefined : this.#places.get(id)));
    const inversions = this.#countInversions(known);
    const lastKnown = known.findLastIndex((place) => place !== undefined);
    const isNewFront = lastKnown === -1 && offset === 0 && this.#end > 0;
    const lead = isNewFront ? ids.length : lastKnown + 1;

    const added: number[] = [];
    // A newcomer between known calls shares its neighbour's place: of the two nothing is known yet.
    let place = known.find((found) => found !== undefined) ?? 0;
    for (const [index, id] of ids.slice(0, lead).entries()) {
      place = known[index] ?? place;
      if (id === null || this.#places.has(id)) continue;
      this.#places.set(id, place);
      this.#shared.add(place);
      added.push(id);
    }
    const beyond = new Set(ids.slice(lead).filter((id) => id !== null && !this.#places.has(id)));
    const last = lastKnown === -1 ? this.#end - 1 : (known[lastKnown] ?? 0);
    // What shares a place with the last known call may lie before or after it, and so before or after these.
    const isShared = this.#shared.has(last);
    if (!isShared) this.#makeRoom(last + 1, beyond.size);
    let next = last;
    for (const id of beyond) {
      if (id === null) continue;
      this.#places.set(id, isShared ? last : ++next);
      added.push(id);
    }
    this.#remember(added);
    return { fresh: added.length, advance: beyond.size, ...inversions };
  }

  /** What was placed higher and is still visible lies after the slice, for a slice has no gaps. */
  #makeRoom(start: number, count: number): void {
    if (start < this.#end) {
      for (const [id, place] of this.#places) if (place >= start) this.#places.set(id, place + count);
      this.#shared = new Set([...this.#shared].map((place) => (place >= start ? place + count : place)));
    }
    this.#end += count;
  }

  #countInversions(known: readonly (number | undefined)[]) {
    let furthest = -1;
    let inversionsNear = 0;
    let inversionsFar = 0;
    for (const place of known) {
      if (place === undefined) continue;
      if (place < furthest) {
        if (furthest - place <= this.#overlap) inversionsNear++;
        else inversionsFar++;
      }
      furthest = Math.max(furthest, place);
    }
    return { inversionsNear, inversionsFar };
  }

  #remember(added: number[]): void {
    this.#slices++;
    if (this.#slices <= HEAD_SLICES) return;
    this.#latest.push(added);
    if (this.#latest.length <= TAIL_SLICES) return;
    for (const id of this.#latest.shift() ?? []) this.#places.delete(id);
  }
}
