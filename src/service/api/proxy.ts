import { attempt, UsageError } from "../../base/errors.ts";
import { isLoopback } from "../../base/loopback.ts";

export interface Proxy {
  url: URL;
  /** Its address without user and password. */
  name: string;
  variable: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy for an address by HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in either case, lower case first. This
 * machine is never reached through one.
 * @throws UsageError that does not show the value, because it may hold a password
 */
export function proxyOf(target: URL, env: Environment = process.env): Proxy | undefined {
  const variable = target.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const text = read(env, variable);
  if (text === "" || isLoopback(target.hostname) || isExempt(target, read(env, "NO_PROXY"))) return undefined;
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  const login = url && attempt(() => decodeURIComponent(url.username + url.password));
  if (url === null || login === undefined || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`Cannot use ${variable}: it is not the address of an HTTP proxy`, {
      hint: "Write it as http://host:port or http://user:password@host:port, with %40 for an @ in the password.",
    });
  }
  url.pathname = "/";
  return { url, name: url.origin, variable };
}

/** Returns a variable that sends other programs through a proxy, if only that one is set. */
export function unreadProxyFor(target: URL, env: Environment = process.env): string | undefined {
  if (isLoopback(target.hostname) || isExempt(target, read(env, "NO_PROXY"))) return undefined;
  return ["all_proxy", "ALL_PROXY"].find((name) => (env[name] ?? "") !== "");
}

function read(env: Environment, name: string): string {
  return env[name.toLowerCase()] ?? env[name] ?? "";
}

/** Whether an item of NO_PROXY is the host or a domain above it, with its port if the item has one; `*` is all. */
function isExempt({ protocol, hostname, port }: URL, noProxy: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  const targetPort = port || (protocol === "https:" ? "443" : "80");
  return noProxy.split(/[\s,]+/).some((item) => {
    const [, bracketed, plain, itemPort = targetPort] = /^(?:\[(.+)\]|([^:]+))(?::(\d+))?$/.exec(item) ?? [];
    const domain = (bracketed ?? plain ?? item).toLowerCase().replace(/^\*?\./, "");
    if (domain === "" || itemPort !== targetPort) return false;
    return domain === "*" || host === domain || host.endsWith(`.${domain}`);
  });
}
