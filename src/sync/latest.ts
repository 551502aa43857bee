import { idOf, type PageRow } from "../api/recognized-page.ts";

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
    let outdated: Set<PageRow> | undefined;
    for (const row of rows) {
      const id = idOf(row);
      if (id === null) continue;
      const before = this.#recent.get(id) ?? this.#older.get(id);
      if (before === undefined || before <= attempt) this.#recent.set(id, attempt);
      else outdated = (outdated ?? new Set()).add(row);
    }
    if (this.#recent.size > GENERATION_CALLS) [this.#older, this.#recent] = [this.#recent, new Map()];
    return outdated === undefined ? rows : rows.filter((row) => !outdated.has(row));
  }
}
