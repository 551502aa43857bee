import { SandboxCalls } from "./calls/call-store.ts";
import { SandboxInsights } from "./insight/insight-store.ts";
import type { SandboxSettings } from "./sandbox-options.ts";
import type { LoggedRequest } from "./traffic.ts";
import { Deliveries } from "./webhook/deliveries.ts";
import { SandboxWebhooks } from "./webhook/webhook-store.ts";

/** All that a sandbox holds between requests. */
export interface World {
  readonly calls: SandboxCalls;
  readonly insights: SandboxInsights;
  readonly webhooks: SandboxWebhooks;
  readonly deliveries: Deliveries;
  readonly requests: LoggedRequest[];
}

/** Makes the seeded state; each call that is added later is an event for the webhooks. */
export function createWorld(settings: SandboxSettings): World {
  const { seed, order, now, nulls, oddTexts } = settings;
  const webhooks = new SandboxWebhooks({ now, onChange: (id) => deliveries.takeUp(id) });
  const deliveries = new Deliveries({ ...settings, findWebhook: (id) => webhooks.get(id) });
  const calls = new SandboxCalls({
    seed,
    count: settings.calls,
    order: order === "random" ? "shuffled" : order,
    now,
    nulls,
    oddTexts,
    onInsert: (call) => {
      for (const id of webhooks.ids) deliveries.announce(id, call);
    },
  });
  return { calls, insights: new SandboxInsights(), webhooks, deliveries, requests: [] };
}
