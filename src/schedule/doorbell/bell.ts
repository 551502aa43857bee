/**
 * The doorbell of one account. However many rings wait, one sync that begins after them is enough for all; so a ring is
 * answered by the next sync that begins, and one that comes while a sync runs waits for another.
 */
export class Bell {
  /** Rings so far, and how many of them came while another waited already. */
  rings = 0;
  coalesced = 0;
  readonly #minMs: number;
  #isWaiting = false;
  #startedMs = Number.NEGATIVE_INFINITY;
  #rung = new AbortController();

  /** @param minMs time from the start of one sync to that of the next which a ring starts, milliseconds */
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

  /** Returns when the sync that rings wait for may begin, milliseconds; undefined where none waits. */
  dueMs(nowMs: number): number | undefined {
    if (!this.#isWaiting) return undefined;
    // After a clock was set back, the time counts from then.
    this.#startedMs = Math.min(this.#startedMs, nowMs);
    return this.#startedMs + this.#minMs;
  }

  get rung(): AbortSignal {
    return this.#rung.signal;
  }
}
