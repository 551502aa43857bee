/** Child processes at once, however many accounts there are: each sync holds pages of its calls in memory. */
const MOST_CHILDREN = 4;

export interface Ticket {
  /** Only one child of a warehouse runs at a time. */
  database: string;
  /** The host that it asks; undefined where it asks none. */
  host: string | undefined;
  /** Requests that it may send to the host at once. */
  requests: number;
}

/**
 * Lets the child processes of several accounts run in turn: a few at once, one of each warehouse, and to a host only as
 * many as stay within its limit of requests together. Who waits for a host is not overtaken by others that want it.
 */
export class ChildQueue {
  readonly #hostRequests: number;
  readonly #running = new Set<Ticket>();
  readonly #waiting: { ticket: Ticket; start: () => void }[] = [];

  /** @param hostRequests requests to one host at once, by all children together */
  constructor(hostRequests: number) {
    this.#hostRequests = hostRequests;
  }

  /** Runs the work when it is its turn; not at all once the signal has aborted. */
  async run(ticket: Ticket, work: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { promise, resolve: start } = Promise.withResolvers<void>();
    const entry = { ticket, start };
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
      this.#running.delete(ticket);
      this.#startNext();
    }
  }

  #startNext(): void {
    const taken = new Set<string | undefined>();
    for (const entry of [...this.#waiting]) {
      const { ticket, start } = entry;
      if (this.#running.size >= MOST_CHILDREN) return;
      const isOvertaking = ticket.host !== undefined && taken.has(ticket.host);
      if (isOvertaking || !this.#fits(ticket)) {
        taken.add(ticket.host);
        continue;
      }
      this.#waiting.splice(this.#waiting.indexOf(entry), 1);
      this.#running.add(ticket);
      start();
    }
  }

  #fits({ database, host, requests }: Ticket): boolean {
    const running = [...this.#running];
    if (running.some((other) => other.database === database)) return false;
    if (host === undefined) return true;
    const beside = running.filter((other) => other.host === host);
    const sum = beside.reduce((total, other) => total + other.requests, requests);
    return beside.length === 0 || sum <= this.#hostRequests;
  }
}
