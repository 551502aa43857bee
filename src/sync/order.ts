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
  readonly #latest: number[][] = [];
  #slices = 0;
  #end = 0;

  constructor(overlap: number) {
    this.#overlap = overlap;
  }

  observe({ offset, ids }: Slice): OrderReport {
    const known = ids.map((id) => (id === null ? undefined : this.#places.get(id)));
    const report = { fresh: 0, advance: 0, ...this.#countInversions(known) };
    const lastKnown = known.findLastIndex((place) => place !== undefined);
    const added: number[] = [];
    let place = known.find((found) => found !== undefined);
    const mayAppend = lastKnown === -1 ? offset > 0 || this.#end === 0 : known[lastKnown] === this.#end - 1;
    ids.forEach((id, index) => {
      place = known[index] ?? place;
      if (id === null || known[index] !== undefined || this.#places.has(id)) return;
      report.fresh++;
      if (index > lastKnown) report.advance++;
      // A newcomer between known calls shares its neighbour's place: nothing is known of it against calls unseen here.
      const appended = index > lastKnown && mayAppend;
      this.#places.set(id, appended ? this.#end++ : (place ?? 0));
      added.push(id);
    });
    this.#remember(added);
    return report;
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
