import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import { text } from "node:stream/consumers";
import { listen } from "./bad-server.ts";
import { selfSigned } from "./certificate.ts";

const identity = selfSigned("localhost");

export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  readonly body: string;
}

export interface Receiver extends AsyncDisposable {
  /** Such as https://127.0.0.1:43211. */
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves with the next request. */
  next(): Promise<void>;
}

/** Starts a receiver for a webhook: TLS with a self-signed certificate, on 127.0.0.1. */
export async function startReceiver(
  answer: (response: ServerResponse, request: Received) => void = (response) => response.end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(identity, async (request, response) => {
    const { method, url } = request;
    const { "content-type": contentType, authorization } = request.headers;
    const whole = { method, url, contentType, authorization, body: await text(request) };
    received.push(whole);
    answer(response, whole);
    server.emit("received");
  });
  const { port, ...listening } = await listen(server);
  return {
    ...listening,
    url: `https://127.0.0.1:${port}`,
    received,
    next: async () => void (await once(server, "received")),
  };
}
