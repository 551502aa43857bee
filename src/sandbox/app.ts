import { setTimeout as sleep } from "node:timers/promises";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import { SandboxCalls } from "./calls/call-store.ts";
import { listCalls } from "./calls/list-calls.ts";
import { Deliveries } from "./deliveries.ts";
import { SandboxInsights } from "./insights.ts";
import { jobLines } from "./jobs.ts";
import {
  digits,
  fail,
  idParams,
  parseRequest,
  type SandboxContext,
  type SandboxEnv,
  succeed,
} from "./sandbox-envelope.ts";
import type { SandboxSettings } from "./sandbox-options.ts";
import { churn, type LoggedRequest, logAndDisturb, readBody } from "./traffic.ts";
import { SandboxWebhooks, webhookChanges, webhookReplacement } from "./webhooks.ts";

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
  /** Lines of a CSV file of jobs that the calls led to. */
  jobs(): Iterable<string>;
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
  return {
    calls,
    insights: new SandboxInsights(),
    webhooks,
    deliveries,
    requests: [],
    jobs: () => jobLines(calls, settings),
  };
}

const ATTRIBUTION = "/v3/conversations/attribution-engine";

/** Combines the four operations: 401 comes before 405, that before 400, and 404 last. */
export function createApp(settings: SandboxSettings, world: World): Hono<SandboxEnv> {
  const app = new Hono<SandboxEnv>();
  app.notFound((context) => fail(context, 404, "Not found"));
  // 400 for an invalid request, 500 for our own mistakes.
  app.onError((error, context) =>
    fail(context, error instanceof HTTPException ? error.status : 500, error.message),
  );

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

const MAX_LISTED = 100;

/** Where a test makes and edits calls; unlike the state it needs the token. */
const CONTROLLED_CALLS = "/_sandbox/calls/*";

const members = z.record(z.string(), z.unknown());

/** Not part of the API: the sandbox's state, its calls and jobs, for tests in other languages and `outcome import`. */
function controlApp(world: World): Hono<SandboxEnv> {
  const { calls, webhooks, insights, deliveries, requests } = world;
  return new Hono<SandboxEnv>()
    .get("/_sandbox/state", (context) =>
      context.json({
        webhooks: webhooks.ids.map((id) => webhooks.get(id)),
        insights: insights.ids.map((id) => insights.get(id)),
        deliveries: deliveries.log.slice(-MAX_LISTED),
        requests: requests.slice(-MAX_LISTED),
      }),
    )
    .get("/_sandbox/jobs.csv", (context) => {
      context.header("Content-Type", "text/csv; charset=utf-8");
      return context.body(ReadableStream.from(world.jobs()).pipeThrough(new TextEncoderStream()));
    })
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
