import { presentText, trimText } from "./call-text.ts";
import { remember } from "./remember.ts";

/** An address up to the end of its host: most calls share it with others, and parsing is what takes time. */
const ORIGIN = /^([a-z][a-z\d+.-]*:\/\/)([^/?#\\]+)(?=[/?#\\]|$)/i;
/** Text with a scheme: if the URL standard finds no host in it, there is none. */
const SCHEME = /^[a-z][a-z\d+.-]*:(?:[/\\?#]|$)/i;
/** Schemes without a host. */
const HOSTLESS: ReadonlySet<string> = new Set(
  ["about", "blob", "callto", "data", "javascript", "mailto", "sip", "sips", "sms", "tel", "xmpp"].map(
    (scheme) => `${scheme}:`,
  ),
);
/** A path, query or fragment alone; two slashes begin a host. */
const RELATIVE = /^(?:[/\\](?![/\\])|[?#])/;
/**
 * Names and IP addresses as the URL standard writes them; anything else without a scheme may be a query or no address
 * at all.
 */
const BARE_HOST = /^(?:[a-z\d_-]+(?:\.[a-z\d_-]+)*|\[[\da-f:]+\])$/;

/**
 * Returns the host without `www.`, in the URL standard's ASCII form (`xn--…`), which browsers send. An address
 * without a scheme is read as a browser's address bar does. Null if there is no host.
 */
export function toReferringHost(referringUrl: string | null): string | null {
  // The URL standard leaves out tabs and line breaks, wherever they are.
  const written = trimText(referringUrl)?.replace(/[\t\r\n]/g, "");
  const [, scheme, authority] = ORIGIN.exec(written ?? "") ?? [];
  // A macro in a page's credentials, path or query says nothing about its host.
  const host = authority?.slice(authority.lastIndexOf("@") + 1);
  const address = presentText(host === undefined ? referringUrl : `${scheme}${host}/`);
  return address === null ? null : hostOf(address);
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

/** Lower-cases, because the standard leaves hosts of apps (`android-app://`) unchanged, and removes the root's dot. */
function withoutRoot(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}
