import { hash } from "node:crypto";

/** The members of `dni_data` (API v3 § 2.3), all text: what marketing put into the click that led to the call. */
export const DNI_FIELDS = [
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
  "gclid",
  "gclsrc",
  "google_analytics_cid",
  "referring_url",
  "campaign_name",
  "campaign_id",
] as const;

export type DniField = (typeof DNI_FIELDS)[number];

/**
 * One attributed call (API v3 § 2.3), flat, in the API's names. Missing members and null are both null here; an empty
 * string stays.
 */
export type Call = {
  /** An integer up to 2^53 − 1. */
  call_id: number;
  insight_name: string | null;
  /** In international format. */
  caller_id: string | null;
  /** The number that was called, in international format. */
  tracking_number: string | null;
  /** `YYYY-MM-DDTHH:mm:ss.sssZ`, years 0000 to 9999, so that text order is time order. */
  call_started: string | null;
  /** As served, up to {@link MAX_DURATION}; the API does not document the unit. */
  duration: number | null;
  /** As served, e.g. `ANSWERED`; the API does not list the values. */
  disposition: string | null;
  org_unit_id: number | null;
  org_unit_name: string | null;
  /** A signed link, so a secret while it is valid. */
  recording_url: string | null;
  summary: string | null;
  transcription: string | null;
  /** JSON array of {channel, time, text}. */
  transcription_details: string | null;
  /** JSON object of undocumented members; those of `dni_data` are under that key. */
  extra: string | null;
} & Record<DniField, string | null>;

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

/** The members with a column in `calls`. */
export const CALL_COLUMNS = [
  "call_id",
  "insight_name",
  "caller_id",
  "tracking_number",
  "call_started",
  "duration",
  "disposition",
  "org_unit_id",
  "org_unit_name",
  "recording_url",
  ...DNI_FIELDS,
  "extra",
] as const satisfies readonly (keyof Call)[];

/** The members with a column in `transcripts`. */
export const TRANSCRIPT_COLUMNS = [
  "summary",
  "transcription",
  "transcription_details",
] as const satisfies readonly (keyof Call)[];

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
