import { Hono } from "hono";
import { z } from "zod";
import { digits, fail, type SandboxEnv, succeed } from "./sandbox-envelope.ts";
import type { World } from "./world.ts";

const MOST_LISTED = 100;

/** Where a test makes and edits calls; unlike the state it needs the token. */
export const CONTROLLED_CALLS = "/_sandbox/calls/*";

const members = z.record(z.string(), z.unknown());

/** Not part of the API: the sandbox's state and its calls, for tests in other languages. */
export function controlApp(world: World): Hono<SandboxEnv> {
  const { calls, webhooks, insights, deliveries, requests } = world;
  return new Hono<SandboxEnv>()
    .get("/_sandbox/state", (context) =>
      context.json({
        webhooks: webhooks.ids.map((id) => webhooks.get(id)),
        insights: insights.ids.map((id) => insights.get(id)),
        deliveries: deliveries.log.slice(-MOST_LISTED),
        requests: requests.slice(-MOST_LISTED),
      }),
    )
    .post("/_sandbox/calls", (context) => {
      const { success, data } = members.safeParse(context.get("body") ?? {});
      if (!success) return fail(context, 400, "The members of a call must be a JSON object");
      return succeed(context, { call_id: calls.insert(data) });
    })
    .patch("/_sandbox/calls/:id", (context) => {
      const { data: id } = digits.safeParse(context.req.param("id"));
      const { success, data } = members.safeParse(context.get("body"));
      if (!success) return fail(context, 400, "The members of a call must be a JSON object");
      if (id === undefined || calls.get(id) === undefined)
        return fail(context, 404, `Call ${context.req.param("id")} not found`);
      calls.edit(id, data);
      return succeed(context, { call_id: id });
    });
}
