import { storedWebhook, type Webhook, type WebhookChanges, withDefaults } from "./webhook-schema.ts";
import { WEBHOOK_SEEDS } from "./webhook-seeds.ts";

interface SandboxWebhooksOptions {
  /** Milliseconds since 1970-01-01 UTC. */
  readonly now: () => number;
  /** Is told the id of each webhook that was changed, by a request or by a test. */
  readonly onChange?: (id: number) => void;
}

/** The webhooks of a sandbox: seeded in each state, and open to change by a test. */
export class SandboxWebhooks {
  readonly #now: () => number;
  readonly #onChange: (id: number) => void;
  readonly #webhooks = new Map<number, Webhook>(WEBHOOK_SEEDS.map((seed) => [seed.webhook_id, seed]));

  constructor({ now, onChange = () => {} }: SandboxWebhooksOptions) {
    this.#now = now;
    this.#onChange = onChange;
  }

  get ids(): number[] {
    return [...this.#webhooks.keys()];
  }

  /**
   * Returns a webhook, a deleted one too, or undefined when there never was one with this id. It stays the same
   * object until the webhook is changed.
   */
  get(id: number): Webhook | undefined {
    return this.#webhooks.get(id);
  }

  /**
   * Does what PATCH does: the given fields take the place of the stored ones, and webhook_updated is now.
   *
   * @returns whether there was such a webhook, and not a deleted one (API v3 § 3).
   */
  update(id: number, changes: WebhookChanges): boolean {
    const webhook = this.#webhooks.get(id);
    if (webhook === undefined || webhook.webhook_status === "deleted") return false;
    const webhook_updated = new Date(this.#now()).toISOString();
    this.#set(id, { ...webhook, ...changes, webhook_updated });
    return true;
  }

  /** Does what PUT does: as `update`, and a field that is left out is empty or false, but for webhook_status. */
  replace(id: number, replacement: WebhookChanges): boolean {
    return this.update(id, withDefaults(replacement));
  }

  /**
   * Replaces members of a webhook behind the API's back, its state among them.
   *
   * @throws {Error} when there is no webhook with this id, or when it would not fit its schema.
   */
  edit(id: number, patch: Partial<Omit<Webhook, "webhook_id">>): void {
    const webhook = this.#webhooks.get(id);
    if (webhook === undefined) throw new Error(`Cannot edit webhook ${id}: the sandbox has no such webhook`);
    this.#set(id, { ...webhook, ...patch });
  }

  #set(id: number, webhook: unknown): void {
    this.#webhooks.set(id, storedWebhook.parse(webhook));
    this.#onChange(id);
  }
}
