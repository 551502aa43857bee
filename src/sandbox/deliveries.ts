import { request } from "node:https";
import pLimit from "p-limit";
import type { WireCall } from "./call-store.ts";
import { type DeliveryRequest, isLoopback, toDeliveryRequest } from "./delivery-request.ts";
import type { Webhook } from "./webhook-schema.ts";

/** One event for one webhook, in the order in which they ended. */
export interface LoggedDelivery {
  readonly webhook_id: number;
  readonly method: string;
  /** The endpoint, with the query parameters of a GET. */
  readonly url: string;
  readonly body: string | undefined;
  /**
   * "delivered": a 2xx response. "failed": another response, or none. "withheld": the endpoint is beyond this
   * machine. "dropped": too many were waiting.
   */
  readonly outcome: "delivered" | "failed" | "withheld" | "dropped";
  /** The receiver's; undefined when it did not respond. */
  readonly status: number | undefined;
  readonly error: string | undefined;
}

type Outcome = Pick<LoggedDelivery, "outcome"> & Partial<Pick<LoggedDelivery, "status" | "error">>;

interface DeliveriesOptions {
  readonly now: () => number;
  /** Deliver to other machines too. */
  readonly allowDelivery: boolean;
}

const LONGEST_LOG = 1000;
const MOST_WAITING = 1000;
const MOST_AT_ONCE = 4;
const TIMEOUT_MS = 2000;

/** Sends events to webhooks: each once, with no retry, bounded in number and time. Nothing here throws. */
export class Deliveries {
  readonly log: LoggedDelivery[] = [];
  readonly #options: DeliveriesOptions;
  readonly #limit = pLimit(MOST_AT_ONCE);
  readonly #open = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Tells a webhook, as it is now, of a call that came in. */
  send(webhook: Webhook, call: WireCall): void {
    const delivery = toDeliveryRequest(webhook, call, this.#options.now());
    const end = (outcome: Outcome) => this.#record(webhook, delivery, outcome);
    if (!this.#options.allowDelivery && !isLoopback(delivery.url)) end({ outcome: "withheld" });
    else if (this.#limit.pendingCount >= MOST_WAITING) end({ outcome: "dropped" });
    else this.#track(this.#limit(deliver, delivery, this.#stop.signal).then(end));
  }

  /** Waits until no delivery is waiting or under way. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  /** Breaks off what is waiting or under way. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("the sandbox was closed"));
    await this.settled();
  }

  #track(sent: Promise<void>): void {
    const tracked = sent.finally(() => this.#open.delete(tracked));
    this.#open.add(tracked);
  }

  #record({ webhook_id }: Webhook, { method, url, body }: DeliveryRequest, outcome: Outcome): void {
    this.log.push({
      webhook_id,
      method,
      url: url.href,
      body,
      status: undefined,
      error: undefined,
      ...outcome,
    });
    if (this.log.length > LONGEST_LOG) this.log.shift();
  }
}

async function deliver(delivery: DeliveryRequest, stop: AbortSignal): Promise<Outcome> {
  try {
    stop.throwIfAborted();
    const status = await post(delivery, AbortSignal.any([stop, AbortSignal.timeout(TIMEOUT_MS)]));
    return { outcome: status >= 200 && status < 300 ? "delivered" : "failed", status };
  } catch (error) {
    return { outcome: "failed", error: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Sends the request and returns the status of the response; redirects are not followed.
 *
 * A receiver on this machine may sign its own certificate: nobody stands between it and us.
 */
async function post({ method, url, body }: DeliveryRequest, signal: AbortSignal): Promise<number> {
  const headers =
    body === undefined
      ? {}
      : { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const options = { method, headers, signal, agent: false, rejectUnauthorized: !isLoopback(url) };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  request(url, options, (response) => {
    response.on("error", reject).on("end", () => resolve(response.statusCode ?? 0));
    response.resume();
  })
    .on("error", reject)
    .end(body);
  return promise;
}
