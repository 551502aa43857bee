import pLimit from "p-limit";
import type { WireCall } from "../calls/call-store.ts";
import { isLoopback, toDeliveryRequest } from "./delivery-request.ts";
import { OvertakenError, postDelivery } from "./post-delivery.ts";
import type { Webhook } from "./webhook-schema.ts";

/** One event for one webhook, in the order in which they ended. */
export interface LoggedDelivery {
  readonly webhook_id: number;
  readonly call_id: unknown;
  readonly method: string;
  /** The endpoint, with the query parameters of a GET. */
  readonly url: string;
  readonly body: string | undefined;
  /**
   * "delivered": a 2xx response. "failed": another response, or none. "withheld": the endpoint is beyond this
   * machine. "dropped": too many were waiting, or the webhook was deleted.
   */
  readonly outcome: "delivered" | "failed" | "withheld" | "dropped";
  /** The receiver's; undefined when it did not respond. */
  readonly status: number | undefined;
  readonly error: string | undefined;
}

type Outcome = Pick<LoggedDelivery, "outcome"> & Partial<Pick<LoggedDelivery, "status" | "error">>;

/** Something to tell a webhook of. */
interface WebhookEvent {
  readonly webhookId: number;
  readonly call: WireCall;
  readonly atMs: number;
}

interface DeliveriesOptions {
  readonly now: () => number;
  /** Deliver to other machines too. */
  readonly allowDelivery: boolean;
  /** Time for one delivery, in milliseconds. */
  readonly deliveryTimeoutMs: number;
  /** Returns a webhook as it is now, the same object until it is changed. */
  readonly findWebhook: (id: number) => Webhook | undefined;
}

const LONGEST_LOG = 10_000;
const MOST_WAITING = 1000;
const MOST_AT_ONCE = 4;

/**
 * Sends events to webhooks: each once, with no retry, bounded in number and time. Nothing here throws.
 *
 * What a webhook is, its state and its endpoint among it, is looked up when an event is sent. The events of an
 * inactive one are held, at most 1000 of them, until it is active again.
 */
export class Deliveries {
  readonly log: LoggedDelivery[] = [];
  readonly #options: DeliveriesOptions;
  readonly #limit = pLimit(MOST_AT_ONCE);
  readonly #open = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #held: WebhookEvent[] = [];

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Tells a webhook of a call that came in now; a deleted one is told nothing. */
  announce(webhookId: number, call: WireCall): void {
    if (this.#options.findWebhook(webhookId)?.webhook_status === "deleted") return;
    this.#add({ webhookId, call, atMs: this.#options.now() });
  }

  /** Takes up the events held for a webhook that was changed, which may be active now, or deleted. */
  takeUp(webhookId: number): void {
    const { own = [], others = [] } = Object.groupBy(this.#held, (event) =>
      event.webhookId === webhookId ? "own" : "others",
    );
    this.#held = others;
    for (const event of own) this.#add(event);
  }

  /** Waits until no delivery is waiting or under way; those held for inactive webhooks do not count. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open);
  }

  /** Breaks off what is held, waiting or under way. */
  async close(): Promise<void> {
    this.#stop.abort(new Error("the sandbox was closed"));
    for (const event of this.#held.splice(0)) this.#send(event);
    await this.settled();
  }

  #add(event: WebhookEvent): void {
    const webhook = this.#options.findWebhook(event.webhookId);
    if (webhook?.webhook_status === "inactive" && !this.#stop.signal.aborted) this.#hold(webhook, event);
    else if (this.#limit.pendingCount >= MOST_WAITING) this.#drop(event, "too many events are waiting");
    else this.#send(event);
  }

  #hold(webhook: Webhook, event: WebhookEvent): void {
    const held = this.#held.filter(({ webhookId }) => webhookId === webhook.webhook_id).length;
    if (held >= MOST_WAITING) this.#drop(event, "too many events are held");
    else this.#held.push(event);
  }

  #send(event: WebhookEvent): void {
    const sent = this.#limit(() => this.#deliver(event)).finally(() => this.#open.delete(sent));
    this.#open.add(sent);
  }

  /** Sends an event to its webhook as it is now, or once more to what it has become before anything went out. */
  async #deliver(event: WebhookEvent): Promise<void> {
    const { findWebhook, allowDelivery, deliveryTimeoutMs } = this.#options;
    const webhook = findWebhook(event.webhookId);
    if (webhook === undefined || webhook.webhook_status === "deleted")
      return this.#drop(event, "the webhook was deleted");
    if (this.#stop.signal.aborted) return this.#record(webhook, event, failed(this.#stop.signal.reason));
    if (webhook.webhook_status === "inactive") return this.#hold(webhook, event);

    const delivery = toDeliveryRequest(webhook, event.call, event.atMs);
    if (!allowDelivery && !isLoopback(delivery.url))
      return this.#record(webhook, event, { outcome: "withheld" });
    try {
      const status = await postDelivery(delivery, {
        isCurrent: () => findWebhook(event.webhookId) === webhook,
        timeoutMs: deliveryTimeoutMs,
        stop: this.#stop.signal,
      });
      this.#record(webhook, event, { outcome: isOk(status) ? "delivered" : "failed", status });
    } catch (error) {
      if (error instanceof OvertakenError) this.#add(event);
      else this.#record(webhook, event, failed(error));
    }
  }

  #drop(event: WebhookEvent, error: string): void {
    const webhook = this.#options.findWebhook(event.webhookId);
    if (webhook !== undefined) this.#record(webhook, event, { outcome: "dropped", error });
  }

  #record(webhook: Webhook, { call, atMs }: WebhookEvent, outcome: Outcome): void {
    const { method, url, body } = toDeliveryRequest(webhook, call, atMs);
    this.log.push({
      webhook_id: webhook.webhook_id,
      call_id: call.call_id,
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

function isOk(status: number): boolean {
  return status >= 200 && status < 300;
}

function failed(error: unknown): Outcome {
  return { outcome: "failed", error: error instanceof Error ? error.message : String(error) };
}
