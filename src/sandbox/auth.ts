import type { MiddlewareHandler } from "hono";
import { fail, type SandboxEnv } from "./sandbox-envelope.ts";

/** Responds with 401 to a request without the bearer token (API v3 § 5). */
export function requireBearer(token: string): MiddlewareHandler<SandboxEnv> {
  return async (context, next) =>
    context.req.header("authorization") === `Bearer ${token}`
      ? next()
      : fail(context, 401, "Missing or invalid bearer token");
}
