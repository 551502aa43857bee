/** Concurrent child processes for any number of accounts: each sync holds pages of its calls in memory. */
const MAX_CHILDREN = 4;

export interface Needs {
  /** Only one child of a warehouse runs at a time. */
  database: string;
  /** Undefined if it sends no requests. */
  host: string | undefined;
  /** Concurrent requests that it may send to the host. */
  requests: number;
}

/**
 * Runs the child processes of several accounts: a few at once, one per warehouse, and within the limit of requests to
 * each host. Children that wait for a host start in order.
 */
export class ChildQueue {
  readonly #hostRequests: number;
  readonly #running = new Set<Needs>();
  readonly #waiting: { needs: Needs; start: () => void }[] = [];

  /** @param hostRequests concurrent requests to one host, by all children together */
  constructor(hostRequests: number) {
    this.#hostRequests = hostRequests;
  }

  /** Runs the work when it is its turn; not at all after the signal aborted. */
  async run(needs: Needs, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { promise, resolve: start } = Promise.withResolvers<void>();
    const entry = { needs, start };
    this.#waiting.push(entry);
    const leave = () => {
      const index = this.#waiting.indexOf(entry);
      if (index >= 0) this.#waiting.splice(index, 1);
      start();
    };
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    this.#startNext();
    await promise;
    signal.removeEventListener("abort", leave);
    try {
      if (!signal.aborted) await work();
    } finally {
      this.#running.delete(needs);
      this.#startNext();
    }
  }

  #startNext(): void {
    const hosts = new Set<string | undefined>();
    for (const entry of [...this.#waiting]) {
      const { needs, start } = entry;
      if (this.#running.size >= MAX_CHILDREN) return;
      const isOvertaking = needs.host !== undefined && hosts.has(needs.host);
      if (isOvertaking || !this.#fits(needs)) {
        hosts.add(needs.host);
        continue;
      }
      this.#waiting.splice(this.#waiting.indexOf(entry), 1);
      this.#running.add(needs);
      start();
    }
  }

  #fits({ database, host, requests }: Needs): boolean {
    const running = [...this.#running];
    if (running.some((other) => other.database === database)) return false;
    if (host === undefined) return true;
    const neighbours = running.filter((other) => other.host === host);
    const sum = neighbours.reduce((total, other) => total + other.requests, requests);
    return neighbours.length === 0 || sum <= this.#hostRequests;
  }
}
