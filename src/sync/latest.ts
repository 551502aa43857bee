import type { Exchange } from "../service/api/client.ts";
import { idOf, type ParsedRow } from "../service/api/parse-row.ts";

/** Calls per generation; two are remembered, since a call may only appear again on a page near its own. */
const GENERATION_CALLS = 50_000;

type Sent = Pick<Exchange, "attempt" | "nextAttempt">;

/**
 * Keeps the newer of two responses with the same call: the one whose request was sent after the other response had arrived.
 * Concurrent and repeated requests end in any order. Of two that overlap in time, it is unknown which response is newer.
 */
export class Latest {
  #recent = new Map<number, Sent>();
  #older = new Map<number, Sent>();

  /**
   * Returns the rows of a response without those that a newer response had, and the ids of those that may be older or newer
   * than in another response.
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
