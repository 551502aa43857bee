import { setTimeout as sleep } from "node:timers/promises";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { requireBearer } from "./auth.ts";
import { attributionApp, attributionRoute } from "./calls/attribution-routes.ts";
import { CONTROLLED_CALLS, controlApp } from "./control.ts";
import { createFaultDraw } from "./faults.ts";
import { insightApp, insightRoute } from "./insight/insight-routes.ts";
import { limitBody } from "./request-body.ts";
import { fail, failInvalid, failThrown, type SandboxEnv } from "./sandbox-envelope.ts";
import type { SandboxSettings } from "./sandbox-options.ts";
import { churn, logAndDisturb } from "./traffic.ts";
import { patchWebhookRoute, webhookApp } from "./webhook/webhook-routes.ts";
import type { World } from "./world.ts";

const OPERATIONS = [
  { path: attributionRoute.getRoutingPath(), methods: ["GET"] },
  { path: insightRoute.getRoutingPath(), methods: ["GET"] },
  { path: patchWebhookRoute.getRoutingPath(), methods: ["PUT", "PATCH"] },
];

/** Puts the four operations together: 401 comes before 405, that before 400, and 404 last. */
export function createApp(settings: SandboxSettings, world: World): OpenAPIHono<SandboxEnv> {
  const { seed, latencyMs, order, pageCap } = settings;
  const { calls } = world;
  const app = new OpenAPIHono<SandboxEnv>({ defaultHook: failInvalid });
  app.notFound((context) => fail(context, 404, "Not found"));
  app.onError(failThrown);

  if (latencyMs > 0) {
    app.use(async (_context, next) => {
      await sleep(latencyMs, undefined, { ref: false });
      await next();
    });
  }
  app.use(limitBody);
  app.use(attributionRoute.getRoutingPath(), churn(calls, settings));
  const disturb = logAndDisturb(world.requests, createFaultDraw(seed, settings.faults, settings.faultRate));
  for (const { path } of OPERATIONS) app.use(path, disturb);
  for (const path of ["/v3/*", CONTROLLED_CALLS]) app.use(path, requireBearer(settings.token));
  for (const { path, methods } of OPERATIONS) app.use(path, allowOnly(methods));

  app.route("/", attributionApp({ calls, seed, reshuffle: order === "random", pageCap }));
  app.route("/", insightApp(world.insights));
  app.route("/", webhookApp(world.webhooks, settings));
  app.route("/", controlApp(world));
  return app;
}

/** Responds with 405 to other methods; Hono would hand HEAD to the routes for GET, and the API shows no HEAD. */
function allowOnly(methods: readonly string[]): MiddlewareHandler<SandboxEnv> {
  return async (context, next) => {
    if (methods.includes(context.req.method)) return next();
    context.header("Allow", methods.join(", "));
    return fail(context, 405, "Method not allowed");
  };
}
