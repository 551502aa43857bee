import { buildConnector, type Dispatcher, Pool, ProxyAgent } from "undici";
import { proxyOf, unreadProxyFor } from "./proxy.ts";

interface RouteOptions extends Pick<Pool.Options, "connections" | "pipelining"> {
  /** Time for a connection, each of a proxy's steps included. */
  connectMs: number;
  /** Called with each connection, before anything is sent to the target; what it throws is the request's error. */
  onConnected?: () => void;
}

/**
 * Opens connections to an origin by HTTP/1.1, through the proxy that the environment names for it. Requests name their
 * origin, and their signals bound them: undici's own timers are coarser.
 */
export function openRoute(
  target: URL,
  { connectMs, onConnected = () => {}, ...limits }: RouteOptions,
): Dispatcher {
  const options = { ...limits, allowH2: false, headersTimeout: 0, bodyTimeout: 0 };
  const proxy = proxyOf(target);
  if (proxy === undefined) {
    const connect = buildConnector({ timeout: connectMs, allowH2: false });
    return new Pool(target.origin, { ...options, connect: announced(connect, onConnected) });
  }
  return new ProxyAgent({
    uri: proxy.url.href,
    connectTimeout: connectMs,
    proxyTls: { allowH2: false },
    // A proxy that accepts connections, and does not respond, would hold them for ever.
    clientFactory: (origin, settings) =>
      new Pool(origin, { ...settings, allowH2: false, headersTimeout: connectMs }),
    factory: (origin, settings) => {
      const connect =
        "connect" in settings && typeof settings.connect === "function" ? settings.connect : undefined;
      const through: buildConnector.connector = (to, done) => connect?.(to, done);
      return new Pool(origin, { ...options, connect: announced(through, onConnected) });
    },
  });
}

function announced(connect: buildConnector.connector, announce: () => void): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      try {
        announce();
      } catch (problem) {
        socket.destroy();
        return callback(problem instanceof Error ? problem : new Error(String(problem)), null);
      }
      callback(null, socket);
    });
}

/** Returns a target's name for an error, with its proxy. */
export function nameRoute(target: URL, name: string): string {
  const proxy = proxyOf(target);
  return proxy === undefined ? name : `${name} through the proxy ${proxy.name}`;
}

/** Says what to do if a target cannot be reached. @param direct what to check where there is no proxy */
export function adviseOnRoute(target: URL, reason: string, direct: string): string {
  if (isCertificateError(reason)) {
    return "Set NODE_EXTRA_CA_CERTS to a file with the certificate authority of the service, or of a proxy that inspects TLS.";
  }
  const proxy = proxyOf(target);
  const unread = proxy === undefined ? unreadProxyFor(target) : undefined;
  if (unread !== undefined)
    return `${unread} is set, but calltally only reads HTTPS_PROXY and HTTP_PROXY. To use an HTTP proxy, set these. ${direct}`;
  return proxy === undefined
    ? direct
    : `Check ${proxy.variable}, with the proxy's user and password, or add ${target.hostname} to NO_PROXY.`;
}

export function isCertificateError(reason: string): boolean {
  return /certificate|altname/i.test(reason);
}
