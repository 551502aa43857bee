import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from "node:http";
import { gzipSync } from "node:zlib";

/** Responds to one request, well or badly. */
export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export interface SeenRequest {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage["headers"];
}

/** The basis of the other test servers. */
export interface BadServer extends AsyncDisposable {
  readonly url: URL;
  readonly requests: readonly SeenRequest[];
}

/** Starts a server that gives the n-th request the n-th response, and all further ones the last. */
export async function startBadServer(...answers: [Answer, ...Answer[]]): Promise<BadServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((request, response) => {
    requests.push({ method: request.method, url: request.url, headers: request.headers });
    const answer = answers[requests.length - 1] ?? answers.at(-1);
    // The tests include clients that disconnect while the server writes.
    response.on("error", () => undefined);
    answer?.(request, response);
  });
  const { port, ...listening } = await listen(server);
  return { ...listening, url: new URL(`http://127.0.0.1:${port}`), requests };
}

/** Makes a server listen on 127.0.0.1, at a free port; it closes with all its connections. */
export async function listen(server: Server): Promise<AsyncDisposable & { port: number }> {
  // Its client is in the same process: after a stall it would reuse what the server closes.
  server.keepAliveTimeout = 0;
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error(`Cannot tell the port: ${address}`);
  return {
    port: address.port,
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
  await using server = await startBadServer(stall);
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
export const reset: Answer = (request) => request.socket.resetAndDestroy();

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
