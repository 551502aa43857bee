import { Hono } from "hono";
import type { SandboxEnv } from "./sandbox-envelope.ts";
import type { World } from "./world.ts";

const MOST_LISTED = 100;

/** What is not of the API: the sandbox's state, for tests of other languages. It needs no token. */
export function controlApp(world: World): Hono<SandboxEnv> {
  const { webhooks, insights, deliveries, requests } = world;
  return new Hono<SandboxEnv>().get("/_sandbox/state", (context) =>
    context.json({
      webhooks: webhooks.ids.map((id) => webhooks.get(id)),
      insights: insights.ids.map((id) => insights.get(id)),
      deliveries: deliveries.log.slice(-MOST_LISTED),
      requests: requests.slice(-MOST_LISTED),
    }),
  );
}
