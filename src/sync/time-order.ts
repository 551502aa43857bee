export type CallOrder = "newest" | "oldest" | "unknown";

/** Learns from the times of the calls, page by page, in which order a service lists them. */
export class TimeOrder {
  #rising = 0;
  #falling = 0;

  /** @param times of the calls of one page, in its order; ISO 8601 UTC, so that text order is time order */
  observe(times: readonly (string | null)[]): void {
    const known = times.filter((time) => time !== null);
    known.forEach((time, index) => {
      const before = known[index - 1];
      if (before === undefined || before === time) return;
      if (before < time) this.#rising++;
      else this.#falling++;
    });
  }

  /** The order of all pages seen; unknown as soon as one pair of calls speaks against it. */
  get order(): CallOrder {
    if (this.#falling > 0 && this.#rising === 0) return "newest";
    if (this.#rising > 0 && this.#falling === 0) return "oldest";
    return "unknown";
  }
}
