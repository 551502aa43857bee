import type { MiddlewareHandler } from "hono";
import type { SandboxCalls } from "./calls/call-store.ts";
import { type FaultKind, respondWithFault, truncateResponse } from "./faults.ts";
import { deriveSeed, drawIndex, seededRandom } from "./random.ts";
import { readBody } from "./request-body.ts";
import type { SandboxEnv } from "./sandbox-envelope.ts";

/** One request of the four operations, in the order of the responses. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON, the text of what is no JSON, or undefined when there was none. */
  readonly body: unknown;
  /** 0 when the connection was reset without a response. */
  readonly status: number;
  /** The fault mixed into the response; undefined for a regular one. */
  readonly fault: FaultKind | undefined;
}

const LONGEST_LOG = 10_000;

/**
 * Puts the requests that pass through into the log, which keeps the last 10,000, and mixes faults in.
 *
 * A request that meets a fault is not carried out, but for "cut": that one is, and only its response is lost.
 */
export function logAndDisturb(
  log: LoggedRequest[],
  drawFault: () => FaultKind | undefined,
): MiddlewareHandler<SandboxEnv> {
  return async (context, next) => {
    const fault = drawFault();
    const body = await readBody(context);
    const isReplaced = fault !== undefined && fault !== "cut";
    if (isReplaced) context.res = respondWithFault(context, fault);
    else await next();

    const status = fault === "reset" ? 0 : context.res.status;
    log.push({
      method: context.req.method,
      path: context.req.path,
      query: context.req.query(),
      body,
      status,
      fault,
    });
    if (log.length > LONGEST_LOG) log.shift();

    if (fault === "cut") await truncateResponse(context);
  };
}

interface ChurnOptions {
  readonly seed: number;
  readonly insertEvery?: number | undefined;
  readonly deleteEvery?: number | undefined;
}

/** Adds and removes calls as the requests come by, before their responses are made. */
export function churn(calls: SandboxCalls, options: ChurnOptions): MiddlewareHandler<SandboxEnv> {
  const { seed, insertEvery, deleteEvery } = options;
  const random = seededRandom(deriveSeed(seed, "churn"));
  let requests = 0;
  return async (_context, next) => {
    requests++;
    if (insertEvery !== undefined && requests % insertEvery === 0) calls.insert();
    if (deleteEvery !== undefined && requests % deleteEvery === 0) {
      const id = calls.ids[drawIndex(random, calls.size)];
      if (id !== undefined) calls.remove(id);
    }
    await next();
  };
}
