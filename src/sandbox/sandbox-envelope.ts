import { randomUUID } from "node:crypto";
import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { z } from "zod";

export type SandboxEnv = {
  /** Node's own request and response, for responses that break HTTP. */
  Bindings: HttpBindings;
  /** Parsed JSON, other text, or undefined for no body. */
  Variables: { body: unknown };
};

export type SandboxContext = Context<SandboxEnv>;

/** A whole number in a path or query. */
export const digits = z
  .string()
  .regex(/^\d+$/, "must be a whole number")
  .transform(Number)
  .pipe(z.int({ error: "must be a whole number" }));

export const idParams = z.object({ id: digits });

/** Responds with 200 and `data` in the common envelope (API v3 § 1). */
export function succeed(context: SandboxContext, data: object): Response {
  return context.json({ code: 200, message: "Success", data, ...stamp() });
}

/** Responds with an error. The API does not show the shape of errors: this one, without data, is ours. */
export function fail(context: SandboxContext, status: ContentfulStatusCode, message: string): Response {
  return context.json({ code: status, message, ...stamp() }, status);
}

/** @throws HTTPException (400) that names the invalid members */
export function parseRequest<Output>(schema: z.ZodType<Output>, value: unknown): Output {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const lines = result.error.issues.map(({ path, message }) =>
    [path.map(String).join("."), message].filter(Boolean).join(": "),
  );
  throw new HTTPException(400, { message: lines.join("; ") });
}

function stamp(): { request_id: string; timestamp: string } {
  return { request_id: randomUUID(), timestamp: new Date().toISOString() };
}
