import type { Context, MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { fail, type SandboxEnv } from "./sandbox-envelope.ts";

/** The API does not show the size limits of its fields: this one is ours. */
const LARGEST_BODY_BYTES = 1_000_000;
const TOO_LARGE = `Body larger than ${LARGEST_BODY_BYTES} bytes`;

/** JSON can be read much deeper than it can be written again. */
const DEEPEST_BODY = 100;
const TOO_DEEP = `Body nested deeper than ${DEEPEST_BODY} levels`;

/** The methods whose bodies are read. */
const BODY_METHODS = new Set(["PUT", "PATCH", "POST", "DELETE"]);

/** Responds with 400 to a request whose Content-Length is too large. */
export const limitBody: MiddlewareHandler<SandboxEnv> = async (context, next) =>
  Number(context.req.header("content-length")) > LARGEST_BODY_BYTES ? fail(context, 400, TOO_LARGE) : next();

/**
 * Reads the body and leaves it to Hono for those who come later.
 *
 * @returns parsed JSON, the text of what is no JSON, or undefined when there is none.
 * @throws {HTTPException} with 400 when the body is nested too deep, and as soon as it is too large; Hono's adapter
 * lets the rest of it run dry.
 */
export async function readBody(context: Context<SandboxEnv>): Promise<unknown> {
  if (!BODY_METHODS.has(context.req.method)) return undefined;
  const { incoming } = context.env;
  const tooLarge = Promise.withResolvers<never>();
  let bytes = 0;
  // Hono's own body limit cannot be had: it needs the adapter's Request to be the global one.
  incoming.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LARGEST_BODY_BYTES) tooLarge.reject(new HTTPException(400, { message: TOO_LARGE }));
  });
  const text = await Promise.race([context.req.text(), tooLarge.promise]);
  const body = parse(text);
  if (isDeeperThan(DEEPEST_BODY, body)) throw new HTTPException(400, { message: TOO_DEEP });
  return body;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text === "" ? undefined : text;
  }
}

function isDeeperThan(levels: number, body: unknown): boolean {
  let values = [body];
  for (let level = 0; level <= levels && values.length > 0; level++)
    values = values.flatMap((value) =>
      typeof value === "object" && value !== null ? Object.values(value) : [],
    );
  return values.length > 0;
}
