import { hash } from "node:crypto";
import { CALL_COLUMNS, type Call, TRANSCRIPT_COLUMNS } from "./columns.ts";

/**
 * The longest duration, and with a minus the shortest: 68 years of seconds, 24 days of milliseconds. Sums of four
 * million such calls are exact in every format, of four billion in SQLite.
 */
export const MAX_DURATION = 2 ** 31 - 1;

export function isDuration(value: unknown): value is number {
  return Number.isInteger(value) && Math.abs(Number(value)) <= MAX_DURATION;
}

/** Whether an ISO 8601 time is in the years 0000 to 9999: others have a sign and do not sort as text. */
export function isSortable(time: string): boolean {
  return !/^[+-]/.test(time);
}

const HASHED_FIELDS = [...CALL_COLUMNS, ...TRANSCRIPT_COLUMNS];

/** Base64url of 256 bits. */
const HASH_LENGTH = 43;

/**
 * Returns the BLAKE2b of a call's content, 43 characters of base64url. BLAKE2b takes a third of the time of SHA-256
 * on processors without SHA instructions. The query of `recording_url` is left out: its signature is new in every
 * response, so every call would look changed in every run.
 */
export function hashCall(call: Call): string {
  let content = "";
  for (const field of HASHED_FIELDS) {
    const value = call[field];
    if (value === null) content += "-";
    else {
      const text = field === "recording_url" ? withoutQuery(`${value}`) : `${value}`;
      content += `${text.length}:${text}`;
    }
  }
  return hash("blake2b512", content, "base64url").slice(0, HASH_LENGTH);
}

function withoutQuery(url: string): string {
  const end = url.search(/[?#]/);
  return end === -1 ? url : url.slice(0, end);
}

/** Query members that sign a link: those of the large stores' presigned addresses, and usual names of others. */
const SIGNATURE_MEMBER =
  /^(x-(amz|goog|ms)-.+|awsaccesskeyid|googleaccessid|key-pair-id|policy|s[eprtv]|spr|sip|sk(oid|tid|[tesv])|.*(signature|token|expires?|expiry|hmac|nonce)|(.*[-_.])?(sig|sign|exp|ts|timestamp))$/i;

/**
 * Whether two links differ only in their signature: same address, and same query members except those that sign.
 * @param signature more names of such members, lower-cased; `*` for all
 */
export function isSameRecording(a: string | null, b: string | null, signature: ReadonlySet<string>): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  // Stored text has U+FFFD in place of half a surrogate pair.
  const [first, second] = [a.toWellFormed(), b.toWellFormed()];
  if (withoutQuery(first) !== withoutQuery(second)) return false;
  return signature.has("*") || unsignedMembers(first, signature) === unsignedMembers(second, signature);
}

function unsignedMembers(url: string, signature: ReadonlySet<string>): string {
  const [, query = ""] = /\?([^#]*)/.exec(url) ?? [];
  const members = query.split("&").filter((member) => {
    const [name = ""] = member.split("=", 1);
    return name !== "" && !SIGNATURE_MEMBER.test(name) && !signature.has(name.toLowerCase());
  });
  return members.sort().join("&");
}
