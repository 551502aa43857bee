import { SandboxCalls } from "./calls/call-store.ts";
import { Deliveries } from "./deliveries.ts";
import { SandboxInsights } from "./insights.ts";
import type { SandboxSettings } from "./sandbox-options.ts";
import type { LoggedRequest } from "./traffic.ts";
import { SandboxWebhooks } from "./webhooks.ts";

export interface World {
  /** A test may insert, remove and edit them. With the order "random" no response shows them in the order of `ids`. */
  readonly calls: SandboxCalls;
  /** Insights 101 (keywords), 102 (LLM), 103 (deleted) and 104 (with a draft); a test may edit them. */
  readonly insights: SandboxInsights;
  /** Webhooks 44 (active), 45 (inactive) and 46 (deleted); a test may edit them. */
  readonly webhooks: SandboxWebhooks;
  /** Its log has the last 10,000 events that ended. */
  readonly deliveries: Deliveries;
  /** The last 10,000 requests of the four operations. */
  readonly requests: LoggedRequest[];
}

/** Makes the seeded state; each call added later is an event for the webhooks. */
export function createWorld(settings: SandboxSettings): World {
  const webhooks = new SandboxWebhooks(settings.now, () => deliveries.start());
  const deliveries = new Deliveries(settings, (id) => webhooks.get(id));
  const calls = new SandboxCalls({
    ...settings,
    onInsert: (call) => {
      for (const id of webhooks.ids) deliveries.announce(id, call);
    },
  });
  return { calls, insights: new SandboxInsights(), webhooks, deliveries, requests: [] };
}
