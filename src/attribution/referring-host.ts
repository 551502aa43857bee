import { trimText } from "./call-text.ts";

const END_OF_AUTHORITY = /[/?#]/;

/** The host of a referring URL in lower case, without `www.`; null where the URL has none. */
export function toReferringHost(referringUrl: string | null): string | null {
  const url = trimText(referringUrl);
  if (url === null) return null;
  // The scheme goes, then what follows the host, the user before it, and the port.
  const authority = until(withoutScheme(url), END_OF_AUTHORITY);
  const host = until(authority.slice(authority.indexOf("@") + 1), /:/)
    .toLowerCase()
    .normalize("NFC");
  return (host.startsWith("www.") && host.length > 4 ? host.slice(4) : host) || null;
}

function until(text: string, end: RegExp): string {
  const at = text.search(end);
  return at === -1 ? text : text.slice(0, at);
}

function withoutScheme(url: string): string {
  if (url.startsWith("//")) return url.slice(2);
  const colon = url.indexOf("://");
  return colon > -1 && url.indexOf("/") === colon + 1 ? url.slice(colon + 3) : url;
}
