import { Client, type Dispatcher } from "undici";
import { type DeliveryRequest, isLoopback } from "./delivery-request.ts";

/** The webhook was changed before anything of the delivery went out. */
export class OvertakenError extends Error {}

interface PostOptions {
  /** Asked right before the request goes out, when the connection stands. */
  readonly isCurrent: () => boolean;
  /** Time for all of it, in milliseconds. */
  readonly timeoutMs: number;
  /** Breaks it off. */
  readonly stop: AbortSignal;
}

/**
 * Sends a request over a connection of its own and returns the status of the response; redirects are not followed.
 *
 * A receiver on this machine may sign its own certificate: nobody stands between it and us.
 *
 * @throws {OvertakenError} when it was not sent, since it is not current any more.
 */
export async function postDelivery(
  { method, url, body }: DeliveryRequest,
  { isCurrent, timeoutMs, stop }: PostOptions,
): Promise<number> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
  const client = new Client(url.origin, {
    allowH2: false,
    pipelining: 0,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { rejectUnauthorized: !isLoopback(url), timeout: timeoutMs },
  });
  // Unlike the signal of a request, this ends one that waits for its connection, too.
  const end = () => void client.destroy(signal.reason);
  signal.addEventListener("abort", end);
  try {
    const response = await client.compose(onlyIf(isCurrent)).request({
      method,
      path: `${url.pathname}${url.search}`,
      headers: {
        ...(body !== undefined && { "content-type": "application/json" }),
        ...((url.username || url.password) && { authorization: basicAuthorization(url) }),
      },
      ...(body !== undefined && { body }),
    });
    await response.body.dump();
    return response.statusCode;
  } finally {
    signal.removeEventListener("abort", end);
    await client.destroy();
  }
}

/** Lets a request out only if this is true at the moment when it would be written. */
function onlyIf(isCurrent: () => boolean): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      if (!isCurrent()) throw new OvertakenError("The webhook was changed");
      start?.(controller, context);
    };
    return dispatch(options, handler);
  };
}

function basicAuthorization({ username, password }: URL): string {
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString("base64")}`;
}
