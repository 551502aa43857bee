/**
 * The doorbell of one account. One sync that begins after any number of rings is enough for all of them; a ring
 * during a sync waits for another.
 */
export class Bell {
  /** All rings, and those that came while another already waited. */
  rings = 0;
  coalesced = 0;
  readonly #minMs: number;
  #isWaiting = false;
  #startedMs = Number.NEGATIVE_INFINITY;
  #rung = new AbortController();

  /** @param minMs time between the starts of two syncs */
  constructor(minMs: number) {
    this.#minMs = minMs;
  }

  ring(): boolean {
    const isFirst = !this.#isWaiting;
    this.rings++;
    if (!isFirst) this.coalesced++;
    this.askForSync();
    return isFirst;
  }

  askForSync(): void {
    this.#isWaiting = true;
    this.#rung.abort();
  }

  answer(nowMs: number): boolean {
    const wasWaiting = this.#isWaiting;
    this.#isWaiting = false;
    this.#startedMs = nowMs;
    this.#rung = new AbortController();
    return wasWaiting;
  }

  /** When the sync for waiting rings may begin; undefined if no ring waits. */
  dueMs(nowMs: number): number | undefined {
    if (!this.#isWaiting) return undefined;
    // If the clock was set back, the time counts from then.
    this.#startedMs = Math.min(this.#startedMs, nowMs);
    return this.#startedMs + this.#minMs;
  }

  get rung(): AbortSignal {
    return this.#rung.signal;
  }
}
