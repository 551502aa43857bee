import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { fail, type SandboxEnv } from "./sandbox-envelope.ts";

/** The rate limit has `Retry-After: 1`; `cut` is a truncated body, and `html` a page with status 200. */
export const FAULT_KINDS = ["500", "502", "429", "reset", "cut", "html"] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

const RETRY_AFTER_SECONDS = "1";

/** Responds with a fault instead of the regular response; for "cut" see `truncateResponse`. */
export function respondWithFault(context: Context<SandboxEnv>, kind: Exclude<FaultKind, "cut">): Response {
  switch (kind) {
    case "500":
      return fail(context, 500, "Internal server error");
    case "502":
      return context.html(page("502 Bad Gateway"), 502);
    case "429":
      context.header("Retry-After", RETRY_AFTER_SECONDS);
      return fail(context, 429, "Too many requests");
    case "html":
      return context.html(page("We will be back soon"));
    case "reset":
      context.env.incoming.socket.resetAndDestroy();
      return RESPONSE_ALREADY_SENT;
  }
}

/** Declares the full length of the response, sends half of it and destroys the socket. */
export async function truncateResponse(context: Context<SandboxEnv>): Promise<void> {
  const { status, headers } = context.res;
  const body = Buffer.from(await context.res.arrayBuffer());
  const { incoming, outgoing } = context.env;
  outgoing.writeHead(status, { ...Object.fromEntries(headers), "content-length": body.length });
  outgoing.write(body.subarray(0, body.length >> 1), () => incoming.socket.destroy());
  context.res = RESPONSE_ALREADY_SENT;
}

function page(title: string): string {
  return `<!doctype html>\n<html><head><title>${title}</title></head><body><h1>${title}</h1></body></html>\n`;
}
