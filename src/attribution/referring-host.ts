import { presentText } from "./call-text.ts";
import { remember } from "./remember.ts";

/** An address of the web up to where its host ends: most calls have it from others, and parsing is what takes time. */
const ORIGIN = /^https?:\/\/[^/?#\\\t\r\n]+(?=[/?#\\]|$)/i;
/** What begins with a scheme: where the URL standard finds no host in that, there is none. */
const SCHEME = /^[a-z][a-z\d+.-]*:(?:[/\\?#]|$)/i;
/** Schemes whose addresses have no host, whatever they look like. */
const HOSTLESS: ReadonlySet<string> = new Set(
  ["about", "blob", "callto", "data", "javascript", "mailto", "sip", "sips", "sms", "tel", "xmpp"].map(
    (scheme) => `${scheme}:`,
  ),
);
/** A path, a query or a fragment alone; two slashes begin a host. */
const RELATIVE = /^(?:[/\\](?![/\\])|[?#])/;
/** Names and IP addresses as the URL standard writes them; what else has no scheme may be a query, or not an address at all. */
const BARE_HOST = /^(?:[a-z\d_-]+(?:\.[a-z\d_-]+)*|\[[\da-f:]+\])$/;

/**
 * Returns the host without `www.`, in the ASCII form of the URL standard (`xn--…`), which browsers send. An address without
 * a scheme is read as a browser's address bar reads it. Null where there is no host.
 */
export function toReferringHost(referringUrl: string | null): string | null {
  const address = presentText(referringUrl);
  if (address === null) return null;
  const origin = ORIGIN.exec(address)?.[0];
  return hostOf(origin === undefined ? address : `${origin}/`);
}

const hostOf = remember((address: string): string | null => {
  const url = URL.parse(address);
  if (HOSTLESS.has(url?.protocol ?? "")) return null;
  const host = withoutRoot(url?.hostname ?? "") || bareHostOf(address);
  return host.startsWith("www.") && host.length > 4 ? host.slice(4) : host || null;
});

function bareHostOf(address: string): string {
  if (SCHEME.test(address) || RELATIVE.test(address)) return "";
  const host = withoutRoot(URL.parse(`http://${address}`)?.hostname ?? "");
  // A number alone would become an IP address.
  const isWritten = /[a-z:]/.test(host) || address.includes(host);
  return BARE_HOST.test(host) && isWritten ? host : "";
}

/** In lower case, since the standard leaves the hosts of apps (`android-app://`) as they are, and without the dot of the root. */
function withoutRoot(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}
