import { randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import type { Hook } from "@hono/zod-openapi";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";

/** What each route of the sandbox can reach: Node's own request and response, for responses that break HTTP. */
export type SandboxEnv = { Bindings: HttpBindings };

/** Responds with 200 and `data` in the common envelope (API v3 § 1). */
export function succeed(context: Context<SandboxEnv>, data: object): Response {
  return context.json({ code: 200, message: "Success", data, ...stamp() });
}

/** Responds with an error. The API does not show the shape of its errors: this one, without data, is ours. */
export function fail(context: Context<SandboxEnv>, status: ContentfulStatusCode, message: string): Response {
  return context.json({ code: status, message, ...stamp() }, status);
}

/** Responds with 400 to a request that does not fit its schema; lets the others pass. */
export const failInvalid: Hook<unknown, SandboxEnv, string, Response | undefined> = (result, context) => {
  if (result.success) return undefined;
  const { issues } = result.error;
  const lines = issues.map(({ path, message }) => [path.map(String).join("."), message].filter(Boolean));
  return fail(context, 400, lines.map((line) => line.join(": ")).join("; "));
};

/** Responds with 400 where Hono could not read the body (it would say 415 to some), and 500 to our own mistakes. */
export function failThrown(error: Error, context: Context<SandboxEnv>): Response {
  return fail(context, error instanceof HTTPException ? 400 : 500, error.message);
}

function stamp(): { request_id: string; timestamp: string } {
  return { request_id: randomUUID(), timestamp: new Date().toISOString() };
}
