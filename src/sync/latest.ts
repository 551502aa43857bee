import type { Exchange } from "../api/client.ts";
import { idOf, type ParsedRow } from "../api/parse-row.ts";

/** Calls in each of two generations that are remembered; a call comes again in the pages beside its own. */
const GENERATION_CALLS = 50_000;

type Sent = Pick<Exchange, "attempt" | "nextAttempt">;

/**
 * Of two responses for one call, the one whose request was sent after the other had come counts: pages that are fetched at
 * once, or again to mend a seam, come in another order than they were asked for. Of two requests that were under way at
 * once, it is unknown which the service answered first.
 */
export class Latest {
  #recent = new Map<number, Sent>();
  #older = new Map<number, Sent>();

  /**
   * Returns the rows of a response without those that a later one had already, and the ids of those that may be older or newer
   * than another response's.
   */
  keepLatest(
    rows: readonly ParsedRow[],
    sent: Sent,
  ): { rows: readonly ParsedRow[]; unordered: ReadonlySet<number> } {
    const outdated = new Set<ParsedRow>();
    const unordered = new Set<number>();
    for (const row of rows) {
      const id = idOf(row);
      if (id === null) continue;
      const before = this.#recent.get(id) ?? this.#older.get(id);
      if (before === undefined || before.nextAttempt <= sent.attempt || before.attempt === sent.attempt) {
        this.#recent.set(id, sent);
      } else if (sent.nextAttempt <= before.attempt) {
        outdated.add(row);
      } else {
        unordered.add(id);
        this.#recent.set(id, {
          attempt: Math.max(before.attempt, sent.attempt),
          nextAttempt: Math.max(before.nextAttempt, sent.nextAttempt),
        });
      }
    }
    if (this.#recent.size > GENERATION_CALLS) [this.#older, this.#recent] = [this.#recent, new Map()];
    return { rows: outdated.size === 0 ? rows : rows.filter((row) => !outdated.has(row)), unordered };
  }
}
