import { storedWebhook, type Webhook, type WebhookChanges } from "./webhook-schema.ts";
import { WEBHOOK_SEEDS } from "./webhook-seeds.ts";

/** The webhooks of a sandbox: seeded in each state, and open to change by a test. */
export class SandboxWebhooks {
  readonly #now: () => number;
  readonly #webhooks = new Map<number, Webhook>(WEBHOOK_SEEDS.map((seed) => [seed.webhook_id, seed]));

  /** `now` is in milliseconds since 1970-01-01 UTC. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get ids(): number[] {
    return [...this.#webhooks.keys()];
  }

  /** Returns a webhook, a deleted one too, or undefined when there never was one with this id. */
  get(id: number): Webhook | undefined {
    return this.#webhooks.get(id);
  }

  /** Returns the webhooks that deliver. */
  active(): Webhook[] {
    return [...this.#webhooks.values()].filter((webhook) => webhook.webhook_status === "active");
  }

  /**
   * Does what PUT and PATCH do: the given fields take the place of the stored ones, and webhook_updated is now.
   *
   * @returns whether there was such a webhook, and not a deleted one (API v3 § 3).
   */
  update(id: number, changes: WebhookChanges): boolean {
    const webhook = this.#webhooks.get(id);
    if (webhook === undefined || webhook.webhook_status === "deleted") return false;
    const webhook_updated = new Date(this.#now()).toISOString();
    this.#webhooks.set(id, storedWebhook.parse({ ...webhook, ...changes, webhook_updated }));
    return true;
  }

  /**
   * Replaces members of a webhook behind the API's back, its state among them.
   *
   * @throws {Error} when there is no webhook with this id, or when it would not fit its schema.
   */
  edit(id: number, patch: Partial<Omit<Webhook, "webhook_id">>): void {
    const webhook = this.#webhooks.get(id);
    if (webhook === undefined) throw new Error(`Cannot edit webhook ${id}: the sandbox has no such webhook`);
    this.#webhooks.set(id, storedWebhook.parse({ ...webhook, ...patch }));
  }
}
