import { randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** What each route of the sandbox can reach: Node's own request and response, for answers that break HTTP. */
export type SandboxEnv = { Bindings: HttpBindings };

/** Answers 200 with `data` in the common envelope (API v3 § 1). */
export function succeed(context: Context<SandboxEnv>, data: object): Response {
  return context.json({ code: 200, message: "Success", data, ...stamp() });
}

/** Answers with an error. The API does not show the shape of its errors: this one, without data, is ours. */
export function fail(context: Context<SandboxEnv>, status: ContentfulStatusCode, message: string): Response {
  return context.json({ code: status, message, ...stamp() }, status);
}

function stamp(): { request_id: string; timestamp: string } {
  return { request_id: randomUUID(), timestamp: new Date().toISOString() };
}
