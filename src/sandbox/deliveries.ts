import type { WireCall } from "./calls/call-store.ts";
import { isLoopback, sendDelivery, toDeliveryRequest } from "./delivery-request.ts";
import type { SandboxSettings } from "./sandbox-options.ts";
import type { Webhook } from "./webhooks.ts";

/** One event for one webhook, in the order in which they ended. */
export interface LoggedDelivery {
  readonly webhook_id: number;
  readonly call_id: unknown;
  readonly method: string;
  /** The endpoint, with the query parameters of a GET. */
  readonly url: string;
  readonly body: string | undefined;
  /**
   * "delivered": a 2xx response. "failed": another response, or none. "withheld": the endpoint is on another machine.
   * "dropped": too many were waiting, or the webhook was deleted.
   */
  readonly outcome: "delivered" | "failed" | "withheld" | "dropped";
  /** Undefined if the receiver did not respond. */
  readonly status: number | undefined;
  readonly error: string | undefined;
}

type Outcome = Pick<LoggedDelivery, "outcome"> & Partial<Pick<LoggedDelivery, "status" | "error">>;

interface WebhookEvent {
  readonly webhookId: number;
  readonly call: WireCall;
  readonly atMs: number;
}

const LONGEST_LOG = 10_000;
const MAX_WAITING = 1000;
const MAX_AT_ONCE = 4;

/** Sends each event once, without retries. Up to 1000 events of inactive webhooks wait. Nothing here throws. */
export class Deliveries {
  readonly log: LoggedDelivery[] = [];
  readonly #settings: SandboxSettings;
  readonly #findWebhook: (id: number) => Webhook | undefined;
  readonly #underWay = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #waiting: WebhookEvent[] = [];

  constructor(settings: SandboxSettings, findWebhook: (id: number) => Webhook | undefined) {
    this.#settings = settings;
    this.#findWebhook = findWebhook;
  }

  announce(webhookId: number, call: WireCall): void {
    const webhook = this.#findWebhook(webhookId);
    if (webhook === undefined || webhook.webhook_status === "deleted") return;
    const event = { webhookId, call, atMs: this.#settings.now() };
    if (this.#waiting.filter((other) => other.webhookId === webhookId).length >= MAX_WAITING) {
      this.#record(webhook, event, { outcome: "dropped", error: "too many events are waiting" });
      return;
    }
    this.#waiting.push(event);
    this.start();
  }

  /** Sends what can be sent now, after an event arrived or ended, or a webhook changed. */
  start(): void {
    this.#waiting = this.#waiting.filter((event) => this.#mustWait(event));
  }

  /** Waits until no delivery is pending; those of inactive webhooks do not count. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error("the sandbox was closed"));
    this.start();
    await this.settled();
  }

  /** Sends or records an event, unless it must wait. */
  #mustWait(event: WebhookEvent): boolean {
    const webhook = this.#findWebhook(event.webhookId);
    if (webhook === undefined) return false;
    if (this.#stop.signal.aborted) this.#record(webhook, event, failed(this.#stop.signal.reason));
    else if (webhook.webhook_status === "deleted")
      this.#record(webhook, event, { outcome: "dropped", error: "the webhook was deleted" });
    else if (webhook.webhook_status === "inactive" || this.#underWay.size >= MAX_AT_ONCE) return true;
    else this.#send(webhook, event);
    return false;
  }

  #send(webhook: Webhook, event: WebhookEvent): void {
    const sent = this.#deliver(webhook, event).then((outcome) => {
      this.#record(webhook, event, outcome);
      this.#underWay.delete(sent);
      this.start();
    });
    this.#underWay.add(sent);
  }

  async #deliver(webhook: Webhook, { call, atMs }: WebhookEvent): Promise<Outcome> {
    const { allowDelivery, deliveryTimeoutMs } = this.#settings;
    const request = toDeliveryRequest(webhook, call, atMs);
    if (!allowDelivery && !isLoopback(request.url)) return { outcome: "withheld" };
    try {
      const status = await sendDelivery(request, deliveryTimeoutMs, this.#stop.signal);
      return { outcome: status >= 200 && status < 300 ? "delivered" : "failed", status };
    } catch (error) {
      return failed(error);
    }
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

function failed(error: unknown): Outcome {
  return { outcome: "failed", error: error instanceof Error ? error.message : String(error) };
}
