const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Of the zones that are furthest apart. */
const MAX_SHIFT_MS = 26 * HOUR_MS;
/** The share of starts that have to be shifted alike. */
const MOST = 0.9;

/** Finds out whether the starts of a list are those of another zone: nearly all differ by the same quarters of an hour. */
export class Shifts {
  readonly #counts = new Map<number, number>();
  #compared = 0;
  #utc = 0;

  /** @param isUtc whether the start would agree in UTC */
  add(listedMs: number, heldMs: number, isUtc: boolean): void {
    this.#compared++;
    if (isUtc) this.#utc++;
    const shift = Math.round((listedMs - heldMs) / QUARTER_MS) * QUARTER_MS;
    const isZone = Math.abs(shift) <= MAX_SHIFT_MS && Math.abs(listedMs - heldMs - shift) < MINUTE_MS;
    if (isZone) this.#counts.set(shift, (this.#counts.get(shift) ?? 0) + 1);
  }

  /** Returns by how much nearly all starts differ; undefined if they do not. With summer time there are two. */
  find(): { hours: number; isUtc: boolean } | undefined {
    const [first, second] = [...this.#counts].toSorted(([, a], [, b]) => b - a);
    if (first === undefined) return undefined;
    const [shift, count] = first;
    const isSummer = second !== undefined && Math.abs(second[0] - shift) === HOUR_MS;
    const alike = count + (isSummer ? second[1] : 0);
    if (shift === 0 || alike < MOST * this.#compared) return undefined;
    return { hours: shift / HOUR_MS, isUtc: this.#utc >= MOST * this.#compared };
  }
}
