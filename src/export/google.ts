import { createHash } from "node:crypto";
import { stringify } from "csv-stringify/sync";
import { localTime } from "../calendar/local-time.ts";
import { iterateSelected, selectCalls } from "../rollup/calls.ts";
import { type CallFilter, filterConditions } from "../rollup/filter.ts";
import { literals } from "../rollup/literal.ts";
import { callsWith, isQualified, phoneDigits, present, trimmed } from "../rollup/row.ts";
import type { Consent } from "./choices.ts";
import type { ExportJob } from "./export.ts";
import { encodeTable } from "./format.ts";
import type { ManifestFile } from "./manifest.ts";
import type { Column, Value } from "./table.ts";

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

/** What judging calls needs of an export. */
export type JudgedJob = Pick<ExportJob, "reader" | "tally" | "nowMs">;

interface Candidate {
  call_id: number;
  call_started: string | null;
  /** The click id, or the phone number. */
  key: string | null;
  gclsrc: string;
  is_qualified: boolean;
  /** Whether an earlier qualified call has the same key (and, where every call counts, the same second). */
  is_repeated: boolean;
}

interface Kind {
  /** Header of the first column. */
  header: string;
  /** Over `calls AS c`; null where a call has none. */
  key: string;
  missing: Reason;
  pattern: RegExp;
  /** Age of the call at which Google takes it no longer; that of the click, which is older, is not known. */
  maxAgeMs: number;
  minAgeMs: number;
  /** Values of gclsrc (API v3 § 2.3) that mean a click on Google Ads. */
  sources?: readonly string[];
  toField: (key: string) => string;
}

/** Empty where there is none. */
const GCLSRC = `coalesce(lower(${trimmed("gclsrc")}), '')`;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * By click: "Import conversions from ad clicks using files" (support.google.com/google-ads/answer/7014069), 90 days, not
 * before 6 hours. By phone number: "enhanced conversions for leads", E.164 hashed with SHA-256, 63 days.
 */
const KINDS: Record<GoogleTarget["kind"], Kind> = {
  "google-ads": {
    header: "Google Click ID",
    key: present("gclid"),
    missing: "no gclid",
    pattern: /^[A-Za-z0-9_-]+$/,
    maxAgeMs: 90 * DAY_MS,
    minAgeMs: 6 * HOUR_MS,
    sources: ["", "aw", "aw.ds"],
    toField: (gclid) => gclid,
  },
  "google-leads": {
    header: "Phone Number",
    key: `nullif(${phoneDigits("caller_id")}, '')`,
    missing: "no caller id",
    pattern: /^\+[1-9]\d{6,14}$/,
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
  const { scope, tally, reader } = job;
  const kind = KINDS[target.kind];
  // Which calls the file is about must not decide which call of a click is the first.
  const { exclude_callers, include_gone } = scope.filter;
  const population = { ...(exclude_callers && { exclude_callers }), ...(include_gone && { include_gone }) };
  findFirstConversions(job, population, kind, { every: target.conversion.every });
  const examined = selectCalls(reader.sqlite, { filter: scope.filter, span: scope.span, rules: tally.rules });

  const excluded: Record<string, number> = {};
  const columns: Column[] = [
    { name: "call_id", type: "integer" },
    { name: "call_started", type: "time" },
    { name: "reason", type: "text" },
  ];
  const rows = function* () {
    for (const { call_id, call_started, reason } of judged(job, kind)) {
      if (reason === undefined) continue;
      excluded[reason] = (excluded[reason] ?? 0) + 1;
      yield [call_id, call_started, reason];
    }
  };
  const conversions = toConversionFile(job, kind, target.conversion);
  const file = await job.write(`${target.kind}.csv`, conversions);
  const table = await encodeTable({ columns, rows: rows() }, { format: "csv" });
  const rest = await job.write(`${target.kind}.excluded.csv`, table);
  const left = Object.values(excluded).reduce((sum, count) => sum + count, 0);
  return [
    { contents: target.kind, ...file, rows: examined - left, examined, excluded },
    { contents: `${target.kind}.excluded`, ...rest, rows: left },
  ];
}

/** Yields the lines of a file of conversions: the zone of its times, the header, and a line a conversion. */
function* toConversionFile(job: ExportJob, kind: Kind, options: ConversionOptions): Generator<string> {
  const { name, value = "", currency = "", adUserData, adPersonalization } = options;
  const hasConsent = adUserData !== undefined || adPersonalization !== undefined;
  const consents = hasConsent
    ? [CONSENT[adUserData ?? "unknown"], CONSENT[adPersonalization ?? "unknown"]]
    : [];
  const toLocal = localTime(job.scope.timezone);
  yield `Parameters:TimeZone=${job.scope.timezone}\n`;
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
  for (const { key, call_started, reason } of judged(job, kind)) {
    if (reason !== undefined || key === null || call_started === null) continue;
    yield stringify([[kind.toField(key), name, toLocal(call_started).local, value, currency, ...consents]]);
  }
}

/** Returns what speaks against the one selected call as a conversion; undefined where nothing does. */
export function judgeSelectedCall(job: JudgedJob, kind: GoogleTarget["kind"]): Reason | undefined {
  findFirstConversions(job, {}, KINDS[kind], { every: false, ofSelected: true });
  const [call] = judged(job, KINDS[kind]);
  return call?.reason;
}

/** Yields the selected calls, each with what speaks against it. */
function* judged(job: JudgedJob, kind: Kind): Generator<Candidate & { reason: Reason | undefined }> {
  const columns = [
    "c.call_id",
    "c.call_started",
    kind.key,
    GCLSRC,
    isQualified(job.tally.rules),
    "c.call_id NOT IN (SELECT call_id FROM first_conversions)",
  ];
  for (const [id, started, key, gclsrc, isQualified, isRepeated] of iterateSelected(
    job.reader.sqlite,
    columns,
  )) {
    const candidate = {
      call_id: Number(id),
      call_started: toText(started),
      key: toText(key),
      gclsrc: toText(gclsrc) ?? "",
      is_qualified: isQualified === 1,
      is_repeated: isRepeated === 1,
    };
    yield { ...candidate, reason: reasonAgainst(candidate, kind, job.nowMs) };
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

/**
 * Finds the first qualified call of each click or caller, whenever it was: what an earlier file has reported must not be
 * reported again because the dates of this one begin later.
 */
function findFirstConversions(
  { reader, tally }: JudgedJob,
  filter: CallFilter,
  kind: Kind,
  { every, ofSelected = false }: { every: boolean; ofSelected?: boolean },
): void {
  const inFilter = filterConditions(filter, tally.rules);
  const where = [
    ...inFilter.sql,
    `${kind.key} IS NOT NULL`,
    "c.call_started IS NOT NULL",
    isQualified(tally.rules),
    ...(ofSelected
      ? [`${kind.key} = (SELECT ${kind.key} FROM calls AS c JOIN selected USING (call_id))`]
      : []),
    ...(kind.sources ? [`${GCLSRC} IN (${literals(kind.sources)})`] : []),
  ];
  // Google takes two conversions of one click in one second for the same.
  const same = every ? `${kind.key}, substr(c.call_started, 1, ${"YYYY-MM-DDTHH:MM:SS".length})` : kind.key;
  reader.sqlite.exec(
    "DROP TABLE IF EXISTS temp.first_conversions; CREATE TEMP TABLE first_conversions (call_id INTEGER PRIMARY KEY)",
  );
  reader.sqlite
    .prepare(
      `INSERT INTO temp.first_conversions SELECT call_id FROM (
        SELECT c.call_id, row_number() OVER (PARTITION BY ${same} ORDER BY c.call_started, c.call_id) AS place
        ${callsWith([...where, same])} WHERE ${where.join("\n AND ")}
      ) WHERE place = 1`,
    )
    .run(inFilter.values);
}

function toText(value: Value | undefined): string | null {
  return typeof value === "string" ? value : null;
}
