import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { isIP } from "node:net";
import { codeOf, UsageError } from "../base/errors.ts";
import { isLoopback } from "../base/loopback.ts";
import { isDoorbellPath, type PlainResponse, pathOf } from "./doorbell/doorbell-page.ts";
import type { Health } from "./health.ts";
import { METRICS_TYPE } from "./schedule-metrics.ts";

/** For a whole request: clients are near, or behind a proxy that is. */
const REQUEST_MS = 10_000;
const CHECK_MS = 500;
/** Further connections are closed. */
const MAX_CONNECTIONS = 2048;

export interface Address {
  host: string;
  /** 0 takes a free one. */
  port: number;
}

export interface MonitorPages {
  health: () => Health;
  metrics: () => string;
  /** Answers `/doorbell` and below, for any host name, because it has a secret. */
  doorbell?: ((request: IncomingMessage) => Promise<PlainResponse>) | undefined;
}

/**
 * Serves `/healthz` (200 or 503, JSON), `/metrics` (Prometheus) and the doorbell, with 421 for foreign host names.
 * @param requestMs time for a whole request, which then ends with 408
 * @throws UsageError if it cannot listen on the address
 */
export async function startMonitor({ host, port }: Address, pages: MonitorPages, requestMs = REQUEST_MS) {
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
      return send(response, 421, "text/plain", `This host name is not served here: use ${served}.\n`);
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.setHeader("allow", "GET, HEAD");
      return send(response, 405, "text/plain", "Only GET is allowed\n");
    }
    switch (path) {
      case "/healthz": {
        const health = pages.health();
        const status = health.status === "ok" ? 200 : 503;
        return send(response, status, "application/json", `${JSON.stringify(health)}\n`);
      }
      case "/metrics":
        return send(response, 200, METRICS_TYPE, pages.metrics());
      default:
        return send(response, 404, "text/plain", "only /healthz and /metrics exist\n");
    }
  });
  const urlHost = host.includes(":") ? `[${host}]` : host;
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (cause) {
    const isTaken = codeOf(cause) === "EADDRINUSE";
    throw new UsageError(`Cannot listen on ${urlHost}:${port}`, {
      cause,
      hint: isTaken
        ? "Another process is listening there: choose another address or port."
        : "It must be an address of this machine, and a port that this user may use.",
    });
  }
  const address = server.address();
  const actualPort = typeof address === "object" && address !== null ? address.port : port;
  return {
    url: `http://${urlHost}:${actualPort}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** @throws UsageError if it is malformed, or other machines could reach it without `allowRemote` */
export function parseAddress(text: string, allowRemote: boolean): Address {
  const [, bracketed, plain, digits = ""] =
    /^(?:(?:\[([0-9a-f:.]+)\]|([\w.-]+)):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) {
    throw new UsageError(`Cannot use --listen ${text}: must be an address and a port`, {
      hint: "Write it as 127.0.0.1:9464.",
    });
  }
  const host = bracketed ?? plain ?? "127.0.0.1";
  if (!allowRemote && !isLoopback(host)) {
    throw new UsageError(`Cannot use --listen ${text}: other machines could reach it`, {
      hint: "Use 127.0.0.1, or add --allow-remote: the endpoints expose no secrets, but have no password.",
    });
  }
  return { host, port };
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { "content-type": type, "cache-control": "no-store" });
  response.end(body);
}

/**
 * Checks the Host header. A foreign web page can make its own name resolve to our address, and then read what we
 * serve (DNS rebinding), so only names are allowed that nobody else can point at us. On a loopback address those are
 * the address, `localhost`, `127.0.0.1` and `[::1]`. If other machines may ask: any IP address, the name listened on,
 * and names outside public DNS: without a dot, or below `.local`, `.internal` and `.localhost`.
 * @param header with or without a port
 */
export function isAllowedHost(header: string | undefined, listened: string): boolean {
  if (header === undefined) return true;
  const [, address, name] = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(header) ?? [];
  const host = (address ?? name ?? "").toLowerCase();
  if (host === listened.toLowerCase()) return true;
  if (isLoopback(listened)) return ["localhost", "127.0.0.1", "::1"].includes(host);
  return isIP(host) !== 0 || /^([\w-]+|[\w.-]+\.(local|internal|localhost))$/.test(host);
}
