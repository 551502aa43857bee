import { createHash } from "node:crypto";
import { stringify } from "csv-stringify/sync";
import { localTime } from "../calendar/local-time.ts";
import type { Audience } from "../folder.ts";
import type { Candidate, ConversionQuery } from "../rollup/conversion-query.ts";
import type { RollupSession, Selected } from "../rollup/session.ts";
import type { Consent } from "./choices.ts";
import { encodeTable } from "./encode-table.ts";
import type { ManifestFile } from "./manifest.ts";
import type { Column } from "./table.ts";
import type { ExportJob } from "./write-export.ts";

/** What every conversion in a file says. */
export interface ConversionOptions {
  /** Name of the conversion action in Google Ads. */
  name: string;
  /** As it goes into the file; blank where it is not known, since 0 would be a value. */
  value?: string | undefined;
  /** ISO 4217; of a value alone. */
  currency?: string | undefined;
  /** Consent to the use of the caller's data. */
  adUserData?: Consent | undefined;
  adPersonalization?: Consent | undefined;
  /** Whether each qualified call of a click or a caller counts, and not the first alone. */
  every: boolean;
}

const CONSENT = { granted: "Granted", denied: "Denied", unknown: "" } as const;

/** A file of conversions for Google Ads: by click id, or by the caller's hashed phone number. */
export interface GoogleTarget {
  kind: "google-ads" | "google-leads";
  conversion: ConversionOptions;
}

/** Why a call is no conversion; of several reasons the first. */
export type Reason =
  | "no gclid"
  | "not Google Ads"
  | "no caller id"
  | "malformed"
  | "no time"
  | "too old"
  | "too recent"
  | "not qualified"
  | "duplicate";

interface Kind extends Pick<ConversionQuery, "key" | "sources"> {
  /** Header of the first column. */
  header: string;
  missing: Reason;
  pattern: RegExp;
  /** A hashed phone number can be told by trying all numbers; a click id names nobody. */
  audience: Audience;
  /** Age of the call at which Google takes it no longer; that of the click, which is older, is not known. */
  maxAgeMs: number;
  minAgeMs: number;
  toField: (key: string) => string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * By click: "Import conversions from ad clicks using files" (support.google.com/google-ads/answer/7014069), 90 days, not
 * before 6 hours. By phone number: "enhanced conversions for leads", E.164 hashed with SHA-256, 63 days.
 */
const KINDS: Record<GoogleTarget["kind"], Kind> = {
  "google-ads": {
    header: "Google Click ID",
    key: "gclid",
    missing: "no gclid",
    pattern: /^[A-Za-z0-9_-]+$/,
    audience: "shared",
    maxAgeMs: 90 * DAY_MS,
    minAgeMs: 6 * HOUR_MS,
    // Values of gclsrc (API v3 § 2.3) that mean a click on Google Ads.
    sources: ["", "aw", "aw.ds"],
    toField: (gclid) => gclid,
  },
  "google-leads": {
    header: "Phone Number",
    key: "caller",
    missing: "no caller id",
    pattern: /^\+[1-9]\d{6,14}$/,
    audience: "owner",
    maxAgeMs: 63 * DAY_MS,
    minAgeMs: 0,
    toField: (phone) => createHash("sha256").update(phone).digest("hex"),
  },
};

/**
 * Writes conversions for Google Ads, and beside them the calls that are none, each with the reason: rows and those left
 * out are together the calls examined.
 */
export async function writeGoogle(job: ExportJob, target: GoogleTarget): Promise<ManifestFile[]> {
  const { scope, session, nowMs } = job;
  const kind = KINDS[target.kind];
  // Which calls the file is about must not decide which call of a click is the first.
  const { exclude_callers, include_gone } = scope.filter;
  const population = { ...(exclude_callers && { exclude_callers }), ...(include_gone && { include_gone }) };
  const { every } = target.conversion;
  const candidates = session.conversions({ ...kind, every }, population, scope.span);
  const judged = () => judge(candidates, kind, nowMs);

  const excluded: Record<string, number> = {};
  const columns: Column[] = [
    { name: "call_id", type: "integer" },
    { name: "call_started", type: "time" },
    { name: "reason", type: "text" },
  ];
  const rows = function* () {
    for (const { call_id, call_started, reason } of judged()) {
      if (reason === undefined) continue;
      excluded[reason] = (excluded[reason] ?? 0) + 1;
      yield [call_id, call_started, reason];
    }
  };
  const conversions = toConversionFile(judged(), { ...target.conversion, kind, timezone: scope.timezone });
  const file = await job.write(`${target.kind}.csv`, conversions, kind.audience);
  const table = await encodeTable({ columns, rows: rows() }, { format: "csv" });
  const rest = await job.write(`${target.kind}.excluded.csv`, table);
  const left = Object.values(excluded).reduce((sum, count) => sum + count, 0);
  return [
    { contents: target.kind, ...file, rows: candidates.count - left, examined: candidates.count, excluded },
    { contents: `${target.kind}.excluded`, ...rest, rows: left },
  ];
}

/** A call, and what speaks against it as a conversion. */
interface JudgedCall extends Candidate {
  reason: Reason | undefined;
}

/** Yields the lines of a file of conversions: the zone of its times, the header, and a line a conversion. */
function* toConversionFile(
  calls: Iterable<JudgedCall>,
  options: ConversionOptions & { kind: Kind; timezone: string },
): Generator<string> {
  const { kind, timezone, name, value = "", currency = "", adUserData, adPersonalization } = options;
  const hasConsent = adUserData !== undefined || adPersonalization !== undefined;
  const consents = hasConsent
    ? [CONSENT[adUserData ?? "unknown"], CONSENT[adPersonalization ?? "unknown"]]
    : [];
  const toLocal = localTime(timezone);
  yield `Parameters:TimeZone=${timezone}\n`;
  yield stringify([
    [
      kind.header,
      "Conversion Name",
      "Conversion Time",
      "Conversion Value",
      "Conversion Currency",
      ...(hasConsent ? ["Ad User Data", "Ad Personalization"] : []),
    ],
  ]);
  for (const { key, call_started, reason } of calls) {
    if (reason !== undefined || key === null || call_started === null) continue;
    yield stringify([[kind.toField(key), name, toLocal(call_started).local, value, currency, ...consents]]);
  }
}

/** Returns what speaks against one call as a conversion; undefined where nothing does. */
export function judgeCall(
  session: RollupSession,
  callId: number,
  target: GoogleTarget["kind"],
  nowMs: number,
): Reason | undefined {
  const kind = KINDS[target];
  const [call] = judge(session.conversions({ ...kind, every: false, likeCall: callId }, {}), kind, nowMs);
  return call?.reason;
}

/** Yields calls, each with what speaks against it. */
function* judge(candidates: Selected<Candidate>, kind: Kind, nowMs: number): Generator<JudgedCall> {
  for (const candidate of candidates.read()) {
    yield { ...candidate, reason: reasonAgainst(candidate, kind, nowMs) };
  }
}

/** Returns the first thing that speaks against a call as a conversion. */
function reasonAgainst(call: Candidate, kind: Kind, nowMs: number): Reason | undefined {
  if (call.key === null) return kind.missing;
  if (kind.sources?.includes(call.gclsrc) === false) return "not Google Ads";
  if (!kind.pattern.test(call.key)) return "malformed";
  if (call.call_started === null) return "no time";
  const ageMs = nowMs - Date.parse(call.call_started);
  if (ageMs > kind.maxAgeMs) return "too old";
  if (ageMs < kind.minAgeMs) return "too recent";
  if (!call.is_qualified) return "not qualified";
  return call.is_repeated ? "duplicate" : undefined;
}
