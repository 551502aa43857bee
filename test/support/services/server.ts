import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  request,
  type Server,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { selfSigned } from "./certificate.ts";

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Responds to one request, well or badly. */
export type Answer = (request: SeenRequest, response: ServerResponse) => unknown;

export interface TestServer extends AsyncDisposable {
  readonly url: URL;
  readonly requests: readonly SeenRequest[];
  /** Resolves with the next request. */
  next(): Promise<unknown>;
}

/**
 * Starts a server on 127.0.0.1, at a free port, that gives the n-th request the n-th response, and all further ones the
 * last: without any, 200. It closes with all its connections.
 */
export async function startServer(...answers: Answer[]): Promise<TestServer> {
  return await serve(createServer(), answers);
}

/** Starts such a server with TLS and a self-signed certificate of a name. */
export async function startTlsServer(
  name: string,
  ...answers: Answer[]
): Promise<TestServer & { cert: string }> {
  const identity = selfSigned(name);
  const server = await serve(createTlsServer(identity), answers);
  return { ...server, url: new URL(server.url.href.replace("http:", "https:")), cert: identity.cert };
}

/** Makes a server give these responses and listen. */
export async function serve(server: Server, answers: readonly Answer[]): Promise<TestServer> {
  const requests: SeenRequest[] = [];
  server.on("request", async (incoming, response) => {
    // The tests include clients that disconnect while the server reads or writes.
    response.on("error", () => undefined);
    const body = await buffer(incoming).catch(() => undefined);
    if (body === undefined) return;
    const { method = "", url = "", headers } = incoming;
    const seen = { method, url, headers, body };
    const answer = answers[requests.length] ?? answers.at(-1) ?? text("");
    requests.push(seen);
    server.emit("seen");
    await answer(seen, response);
  });
  return {
    ...(await listen(server)),
    requests,
    next: () => once(server, "seen"),
  };
}

async function listen(server: Server): Promise<AsyncDisposable & { url: URL }> {
  // Its client is in the same process: after a stall it would reuse what the server closes.
  server.keepAliveTimeout = 0;
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error(`Cannot tell the port: ${address}`);
  return {
    url: new URL(`http://127.0.0.1:${address.port}`),
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Returns a port at which nothing listens. */
export async function unusedPort(): Promise<number> {
  await using server = await startServer();
  return Number(server.url.port);
}

/** A body with its length, as JSON unless the headers say otherwise. */
export function text(body: string | Buffer, status = 200, headers: OutgoingHttpHeaders = {}): Answer {
  return (_request, response) => {
    response.writeHead(status, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      ...headers,
    });
    response.end(body);
  };
}

export function json(body: unknown, status = 200, headers: OutgoingHttpHeaders = {}): Answer {
  return text(JSON.stringify(body), status, headers);
}

/** A body whose length is not announced. */
export function chunked(body: string | Buffer): Answer {
  return (_request, response) => {
    response.write(body);
    response.end();
  };
}

/** A gzip stream; only its first `share` when that is given, with a length that fits. */
export function gzip(body: string | Buffer, share = 1): Answer {
  const wire = gzipSync(body);
  return text(wire.subarray(0, wire.length * share), 200, { "content-encoding": "gzip" });
}

/** The exact bytes, then the end of the connection. */
export function raw(bytes: string): Answer {
  return (_request, response) => response.socket?.end(bytes);
}

/** Nothing at all. */
export const stall: Answer = () => undefined;

/** A reset of the connection (TCP RST) before any response. */
export const reset: Answer = (_request, response) => response.socket?.resetAndDestroy();

/** A body that drips for days. */
export const ENDLESS = "x".repeat(10_000_000);

/** Headers immediately, then the body byte by byte: never idle for long, and never done. */
export function drip(body: string, everyMs: number): Answer {
  return (_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
    let sent = 0;
    const timer = setInterval(() => response.write(body.charAt(sent++)), everyMs);
    response.on("close", () => clearInterval(timer));
  };
}

/** The response of another server, or the end of the connection if there is none. */
export function passOn(origin: string | URL): Answer {
  return ({ method, url, headers, body }, response) => {
    const { pathname, search } = new URL(url, origin);
    const options = { method, headers, agent: false };
    const passed = request(new URL(pathname + search, origin), options, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy()).end(body);
  };
}
