import { isIP } from "node:net";

/** Whether an address to listen on is this machine's own, so that no other can reach it. */
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
