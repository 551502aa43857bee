import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { UsageError } from "../base/errors.ts";
import { isDoorbellPath, type PlainResponse, pathOf } from "./doorbell/doorbell-page.ts";
import type { Health } from "./health.ts";
import { METRICS_TYPE } from "./prometheus-format.ts";

/** Time for a whole request, milliseconds: those who are meant to ask are near, or behind a proxy that is. */
const REQUEST_MS = 10_000;
const CHECK_MS = 500;
/** Connections at once, beyond which new ones are closed. */
const MOST_CONNECTIONS = 2048;

export interface Address {
  host: string;
  /** 0 takes a free one. */
  port: number;
}

export interface Monitor extends AsyncDisposable {
  readonly url: string;
}

export interface MonitorPages {
  health: () => Health;
  metrics: () => string;
  /** Answers what comes to `/doorbell` and below it; it has a secret, and so is for any host name. */
  doorbell?: ((request: IncomingMessage) => Promise<PlainResponse>) | undefined;
}

/**
 * Serves `/healthz` (200 or 503, JSON) and `/metrics` (Prometheus), with 421 to requests for a name that is not ours; and
 * the doorbell, where there is one.
 *
 * @param requestMs time for a whole request, after which it ends with 408, milliseconds
 * @throws UsageError where the address cannot be listened on
 */
export async function startMonitor(
  { host, port }: Address,
  pages: MonitorPages,
  requestMs = REQUEST_MS,
): Promise<Monitor> {
  const timeouts = { requestTimeout: requestMs, connectionsCheckingInterval: CHECK_MS };
  const server = createServer(timeouts, async (request, response) => {
    const path = pathOf(request);
    if (pages.doorbell !== undefined && isDoorbellPath(path)) {
      const { status, text, headers = {} } = await pages.doorbell(request);
      response.setHeaders(new Map(Object.entries(headers)));
      return send(response, status, "text/plain", text);
    }
    if (!isAllowedHost(request.headers.host, host)) {
      const served = isLoopback(host) ? "localhost" : "an IP address, or the name given to --listen";
      return send(response, 421, "text/plain", `This host name is not served here: ask for ${served}.\n`);
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return send(response, 405, "text/plain", "GET alone\n");
    }
    switch (path) {
      case "/healthz": {
        const health = pages.health();
        return send(
          response,
          health.status === "ok" ? 200 : 503,
          "application/json",
          `${JSON.stringify(health)}\n`,
        );
      }
      case "/metrics":
        return send(response, 200, METRICS_TYPE, pages.metrics());
      default:
        return send(response, 404, "text/plain", "/healthz and /metrics alone\n");
    }
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const isTaken = cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE";
    throw new UsageError("Cannot use --listen: cannot listen on this address", {
      cause,
      hint: isTaken
        ? "Another process is listening there: choose another address or port."
        : "It must be an address of this machine, and a port that this user may take.",
    });
  }
  const address = server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actualPort}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** @throws UsageError where it is malformed, or other machines could reach it without `allowRemote` */
export function parseAddress(text: string, allowRemote: boolean): Address {
  const [, bracketed, plain, digits = ""] =
    /^(?:(?:\[([0-9a-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) {
    throw new UsageError(
      `Cannot use --listen ${text}: must be an address and a port, such as 127.0.0.1:9464`,
    );
  }
  const host = bracketed ?? plain ?? "127.0.0.1";
  if (!allowRemote && !isLoopback(host)) {
    throw new UsageError(`Cannot use --listen ${text}: other machines could reach it`, {
      hint: "Use 127.0.0.1, or add --allow-remote: the endpoints expose no secrets, but have no password either.",
    });
  }
  return { host, port };
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
  response.end(body);
}

export function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1)$/i.test(host);
}

/**
 * Whether a request may be answered, by its Host header. A web page of somebody else's can have its own name resolve to
 * our address, and then read what we serve to the browser that shows it (DNS rebinding): so names are let through that
 * nobody else can point at us. On a loopback address those are the address, `localhost`, `127.0.0.1` and `[::1]`. Where
 * other machines may ask, they are any IP address, the name that is listened on, and names that no public DNS has: without
 * a dot, as of a container, or below `.local`, `.internal` and `.localhost`.
 *
 * @param header with or without a port; no browser leaves it out
 * @param listened the address or name that is listened on
 */
export function isAllowedHost(header: string | undefined, listened: string): boolean {
  if (header === undefined) return true;
  const [, address, name] = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(header) ?? [];
  const host = (address ?? name ?? "").toLowerCase();
  if (host === listened.toLowerCase()) return true;
  if (isLoopback(listened)) return ["localhost", "127.0.0.1", "::1"].includes(host);
  return isIP(host) !== 0 || /^([\w-]+|[\w.-]+\.(local|internal|localhost))$/.test(host);
}
