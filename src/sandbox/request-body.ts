import type { Context, MiddlewareHandler } from "hono";
import { fail, type SandboxEnv } from "./sandbox-envelope.ts";

/** The API does not show the size limits of its fields: this one is ours. */
const LARGEST_BODY_BYTES = 1_000_000;

/** The methods whose bodies are read. */
const BODY_METHODS = new Set(["PUT", "PATCH", "POST", "DELETE"]);

/** Responds with 400 to a request whose Content-Length is too large. */
export const limitBody: MiddlewareHandler<SandboxEnv> = async (context, next) =>
  Number(context.req.header("content-length")) > LARGEST_BODY_BYTES
    ? fail(context, 400, `Body larger than ${LARGEST_BODY_BYTES} bytes`)
    : next();

/**
 * Reads the body and leaves it to Hono for those who come later; breaks off one that grows too large.
 *
 * @returns parsed JSON, the text of what is no JSON, or undefined when there is none.
 */
export async function readBody(context: Context<SandboxEnv>): Promise<unknown> {
  if (!BODY_METHODS.has(context.req.method)) return undefined;
  const { incoming } = context.env;
  let bytes = 0;
  // Hono's own body limit cannot be had: it needs the adapter's Request to be the global one.
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LARGEST_BODY_BYTES) incoming.destroy();
  });
  const text = await context.req.text();
  try {
    return JSON.parse(text);
  } catch {
    return text === "" ? undefined : text;
  }
}
