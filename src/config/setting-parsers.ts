import { attempt } from "../base/errors.ts";
import { isLoopback } from "../base/loopback.ts";
import { toPrintable } from "../base/text/printable.ts";
import { assertNoPlaceholder } from "./placeholder-names.ts";

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

// Each reads the text of a setting, and throws an Error that says what is wrong with it.

export function parseBaseUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new Error("is not a URL");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw new Error(
      "must start with https:// (http:// only for this machine), because each request contains the token",
    );
  }
  if (url.username || url.password || url.search || url.hash) {
    throw new Error("must be a plain address, without user, query or fragment");
  }
  assertNoPlaceholder(text);
  if (/\/v3\/*$/.test(url.pathname)) throw new Error("must be given without /v3, which is appended");
  return url;
}

export function parseToken(text: string): string {
  const token = text.trim();
  if (token === "") throw new Error("is empty");
  if (/^bearer\s/i.test(token))
    throw new Error("begins with Bearer; leave out that word, which is sent anyway");
  if (/[\r\n]/.test(token)) throw new Error("holds more than one line");
  // The value must not be shown, so neither may undici's message about the header.
  if (!/^[\x21-\x7e]+$/.test(token)) throw new Error("holds characters that a bearer token cannot have");
  return token;
}

export function parseUserName(text: string): string {
  // HTTP Basic splits name and password at the first colon.
  if (text.trim() === "" || /[\p{Cc}:]/u.test(text)) throw new Error("is not a user name");
  return text;
}

export function parseOrgUnitId(text: string): string {
  const unit = text.trim();
  if (unit === "") throw new Error("is empty");
  // Invisible, and more likely a mistake.
  if (/[\s\p{C}]/u.test(unit)) throw new Error("must be without white space and control characters");
  return unit;
}

/** Errors do not show the address: anyone who knows it can ping the monitor. */
export function parseHeartbeatUrl(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null) throw new Error("is not a URL");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new Error("must start with https:// or http://");
  if (url.username || url.password || url.hash) throw new Error("must have neither user nor fragment");
  assertNoPlaceholder(text);
  return url;
}

const MAX_TITLE = 100;

export function parseTitle(text: string): string {
  const title = text.trim();
  if (title === "") throw new Error("is empty");
  // A line break could begin another header of a mail, and an invisible character turn the words around it.
  if (toPrintable(title) !== title)
    throw new Error("must be one line without control characters and invisible ones");
  const { length } = [...title];
  if (length > MAX_TITLE) throw new Error(`has ${length} characters; the maximum is ${MAX_TITLE}`);
  return title;
}

/** Returns the canonical spelling of a BCP 47 tag that this program knows how to write. */
export function parseLocale(text: string): string {
  const knownTag = (tag: string) => attempt(() => Intl.DateTimeFormat.supportedLocalesOf(tag)[0]);
  const tag = knownTag(text);
  if (tag !== undefined) return tag;
  const meant = knownTag(text.replaceAll("_", "-").replace(/[.@].*/, ""));
  throw new Error(
    `${text} is not a known locale (BCP 47)${meant === undefined ? ", such as en-US or de-DE" : `; did you mean ${meant}?`}`,
  );
}

/** Accepts a plain address without a name or quotes. */
export function isMailAddress(text: string): boolean {
  return (
    text.length <= 254 &&
    /^[^\s\p{C}@<>()[\]{}\\,;:"]{1,64}@[\p{L}\p{N}]([\p{L}\p{N}.-]*[\p{L}\p{N}])?$/u.test(text)
  );
}
