import { idOf, type PageRow } from "./page-row.ts";

/** Calls in each of two generations that are remembered; a call comes again in the pages beside its own. */
const GENERATION_CALLS = 50_000;

/**
 * Of two responses for one call, the one whose request was sent later counts: pages that are fetched at once, or again to
 * mend a seam, come in another order than they were asked for.
 */
export class Latest {
  #recent = new Map<number, number>();
  #older = new Map<number, number>();

  /**
   * Returns the rows of a response without those that a later one has told already.
   *
   * @param attempt number of the request, in the order of sending
   */
  keepLatest(rows: readonly PageRow[], attempt: number): readonly PageRow[] {
    const kept = rows.filter((row) => {
      const id = idOf(row);
      return id === null || (this.#recent.get(id) ?? this.#older.get(id) ?? 0) <= attempt;
    });
    for (const row of kept) {
      const id = idOf(row);
      if (id !== null) this.#recent.set(id, attempt);
    }
    if (this.#recent.size > GENERATION_CALLS) [this.#older, this.#recent] = [this.#recent, new Map()];
    return kept;
  }
}
