import { setTimeout as sleep } from "node:timers/promises";
import { Hono } from "hono";
import { listCalls } from "./calls/list-calls.ts";
import { CONTROLLED_CALLS, controlApp } from "./control.ts";
import {
  fail,
  failThrown,
  idParams,
  parseRequest,
  type SandboxContext,
  type SandboxEnv,
  succeed,
} from "./sandbox-envelope.ts";
import type { SandboxSettings } from "./sandbox-options.ts";
import { churn, logAndDisturb, readBody } from "./traffic.ts";
import { webhookChanges, webhookReplacement } from "./webhooks.ts";
import type { World } from "./world.ts";

const ATTRIBUTION = "/v3/conversations/attribution-engine";

/** Combines the four operations: 401 comes before 405, that before 400, and 404 last. */
export function createApp(settings: SandboxSettings, world: World): Hono<SandboxEnv> {
  const app = new Hono<SandboxEnv>();
  app.notFound((context) => fail(context, 404, "Not found"));
  app.onError(failThrown);

  app.use(async (_context, next) => {
    if (settings.latencyMs > 0) await sleep(settings.latencyMs, undefined, { ref: false });
    await next();
  });
  app.use(readBody);
  app.use(ATTRIBUTION, churn(world.calls, settings));
  const operations = Object.entries(operationsOf(settings, world));
  const disturb = logAndDisturb(world.requests, settings);
  for (const [path] of operations) app.use(path, disturb);
  for (const path of ["/v3/*", CONTROLLED_CALLS]) {
    app.use(path, async (context, next) =>
      context.req.header("authorization") === `Bearer ${settings.token}`
        ? next()
        : fail(context, 401, "Missing or invalid bearer token"),
    );
  }
  for (const [path, methods] of operations) {
    app.all(path, (context) => {
      const respond = methods[context.req.method];
      if (respond !== undefined) return respond(context);
      context.header("Allow", Object.keys(methods).join(", "));
      return fail(context, 405, "Method not allowed");
    });
  }
  app.route("/", controlApp(world));
  return app;
}

/** The operations by path and method (API v3 § 4). */
function operationsOf(
  settings: SandboxSettings,
  { calls, insights, webhooks }: World,
): Record<string, Record<string, (context: SandboxContext) => Response>> {
  const idOf = (context: SandboxContext) => parseRequest(idParams, context.req.param()).id;
  const respond = (context: SandboxContext, id: number, isFound: boolean) =>
    isFound ? succeed(context, { webhookId: id }) : fail(context, 404, `Webhook ${id} not found`);
  return {
    [ATTRIBUTION]: { GET: listCalls(calls, settings) },
    "/v3/insights/:id": {
      GET: (context) => {
        const id = idOf(context);
        const insight = insights.get(id);
        return insight ? succeed(context, insight) : fail(context, 404, `Insight ${id} not found`);
      },
    },
    "/v3/webhooks/:id": {
      PUT: (context) => {
        const id = idOf(context);
        const { webhook_id = id, ...changes } = parseRequest(webhookReplacement, jsonOf(context));
        if (webhook_id !== id) return fail(context, 400, `webhook_id: must be ${id}, as in the path`);
        const isFound = settings.putKeepsOmitted
          ? webhooks.update(id, changes)
          : webhooks.replace(id, changes);
        return respond(context, id, isFound);
      },
      PATCH: (context) => {
        const id = idOf(context);
        return respond(context, id, webhooks.update(id, parseRequest(webhookChanges, jsonOf(context))));
      },
    },
  };
}

function jsonOf(context: SandboxContext): unknown {
  const isJson = /^application\/json\b/i.test(context.req.header("content-type") ?? "");
  return isJson ? context.get("body") : undefined;
}
