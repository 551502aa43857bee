import type { MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import type { SandboxCalls } from "./calls/call-store.ts";
import { type FaultKind, respondWithFault, truncateResponse } from "./faults.ts";
import { deriveSeed, drawIndex, seededRandom } from "./random.ts";
import type { SandboxEnv } from "./sandbox-envelope.ts";
import type { SandboxSettings } from "./sandbox-options.ts";

/** One request of the four operations, in the order of the responses. */
export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON, other text, or undefined for no body. */
  readonly body: unknown;
  /** 0 if the connection was reset without a response. */
  readonly status: number;
  /** The fault mixed into the response; undefined for a regular one. */
  readonly fault: FaultKind | undefined;
}

const LONGEST_LOG = 10_000;
/** The API documents no size limits: this one is ours. */
const LARGEST_BODY_BYTES = 1_000_000;

export const readBody: MiddlewareHandler<SandboxEnv> = async (context, next) => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  // To the end even if it is too large: otherwise the response would not arrive.
  for await (const chunk of context.env.incoming) {
    bytes += chunk.length;
    if (bytes <= LARGEST_BODY_BYTES) chunks.push(chunk);
  }
  if (bytes > LARGEST_BODY_BYTES)
    throw new HTTPException(400, { message: `Body larger than ${LARGEST_BODY_BYTES} bytes` });
  context.set("body", parse(Buffer.concat(chunks).toString()));
  await next();
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text === "" ? undefined : text;
  }
}

/** Faults repeat for the seed. A request that meets one is not carried out, except for "cut", which only loses its response. */
export function logAndDisturb(
  log: LoggedRequest[],
  { seed, faults, faultRate }: SandboxSettings,
): MiddlewareHandler<SandboxEnv> {
  const random = seededRandom(deriveSeed(seed, "faults"));
  return async (context, next) => {
    const isFault = random() < faultRate;
    const kind = faults[drawIndex(random, faults.length)];
    const fault = isFault ? kind : undefined;
    const isReplaced = fault !== undefined && fault !== "cut";
    if (isReplaced) context.res = respondWithFault(context, fault);
    else await next();

    const status = fault === "reset" ? 0 : context.res.status;
    log.push({
      method: context.req.method,
      path: context.req.path,
      query: context.req.query(),
      body: context.get("body"),
      status,
      fault,
    });
    if (log.length > LONGEST_LOG) log.shift();

    if (fault === "cut") await truncateResponse(context);
  };
}

export function churn(
  calls: SandboxCalls,
  { seed, insertEvery, deleteEvery }: SandboxSettings,
): MiddlewareHandler<SandboxEnv> {
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
