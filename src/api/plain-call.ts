import { randomUUID } from "node:crypto";
import {
  CALL_COLUMNS,
  type Call,
  DNI_FIELDS,
  type DniField,
  isDuration,
  TRANSCRIPT_COLUMNS,
} from "../call.ts";

/**
 * Makes a call of a row that has documented members alone, each of its documented type; undefined for any other row. It
 * gives what the schema gives: faster, and no reasons.
 *
 * @param parseTime returns a time as UTC with milliseconds, undefined or null where it cannot be read
 * @param linesJson the JSON of `transcription_details`, where {@link CUT_LINES} stands in its place
 */
export function parsePlainCall(
  row: unknown,
  parseTime: (value: string) => string | null | undefined,
  linesJson?: string,
): Call | undefined {
  if (!isObject(row) || !hasOnly(row, CALL_MEMBERS)) return undefined;
  const { call_id, call_started, duration, org_unit_id, transcription_details: lines } = row;
  const { insight_name, caller_id, tracking_number, disposition, org_unit_name, recording_url } = row;
  const { summary, transcription, dni_data } = row;
  if (typeof call_id !== "number" || !Number.isSafeInteger(call_id)) return undefined;
  if (!isInteger(duration) || !isInteger(org_unit_id) || !isText(call_started)) return undefined;
  if (typeof duration === "number" && !isDuration(duration)) return undefined;
  const details = lines === CUT_LINES ? linesJson : writeLines(lines);
  if (details === undefined) return undefined;
  if (!isText(insight_name) || !isText(caller_id) || !isText(tracking_number)) return undefined;
  if (!isText(disposition) || !isText(org_unit_name) || !isText(recording_url)) return undefined;
  if (!isText(summary) || !isText(transcription)) return undefined;
  const dni = readDni(dni_data ?? {});
  const started = toUtc(call_started, parseTime);
  if (dni === undefined || started === undefined) return undefined;
  return {
    call_id,
    insight_name: insight_name ?? null,
    caller_id: caller_id ?? null,
    tracking_number: tracking_number ?? null,
    call_started: started,
    duration: duration ?? null,
    disposition: disposition ?? null,
    org_unit_id: org_unit_id ?? null,
    org_unit_name: org_unit_name ?? null,
    recording_url: recording_url ?? null,
    summary: summary ?? null,
    transcription: transcription ?? null,
    transcription_details: details,
    extra: null,
    ...dni,
  };
}

/** What stands for the lines of a transcript that were cut out: a text that no service can send. */
export const CUT_LINES = randomUUID();

/** Members of `dni_data` that the API document names. */
export const DNI_MEMBERS: ReadonlySet<string> = new Set(DNI_FIELDS);
/** Members of a call that it names (API v3 § 2.3). */
export const CALL_MEMBERS: ReadonlySet<string> = new Set(
  [...CALL_COLUMNS, ...TRANSCRIPT_COLUMNS, "dni_data"].filter(
    (name) => name !== "extra" && !DNI_MEMBERS.has(name),
  ),
);

function readDni(dni: unknown): Record<DniField, string | null> | undefined {
  if (!isObject(dni) || !hasOnly(dni, DNI_MEMBERS)) return undefined;
  const { utm_source, utm_medium, utm_campaign, utm_content, utm_term, gclid, gclsrc } = dni;
  const { google_analytics_cid, referring_url, campaign_name, campaign_id } = dni;
  if (!isText(utm_source) || !isText(utm_medium) || !isText(utm_campaign)) return undefined;
  if (!isText(utm_content) || !isText(utm_term) || !isText(gclid) || !isText(gclsrc)) return undefined;
  if (!isText(google_analytics_cid) || !isText(referring_url)) return undefined;
  if (!isText(campaign_name) || !isText(campaign_id)) return undefined;
  return {
    utm_source: utm_source ?? null,
    utm_medium: utm_medium ?? null,
    utm_campaign: utm_campaign ?? null,
    utm_content: utm_content ?? null,
    utm_term: utm_term ?? null,
    gclid: gclid ?? null,
    gclsrc: gclsrc ?? null,
    google_analytics_cid: google_analytics_cid ?? null,
    referring_url: referring_url ?? null,
    campaign_name: campaign_name ?? null,
    campaign_id: campaign_id ?? null,
  };
}

/** A time as we write it, on a day that each month has. */
const UTC_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

function toUtc(
  value: string | null | undefined,
  parseTime: (value: string) => string | null | undefined,
): string | null | undefined {
  if (value === null || value === undefined) return null;
  return UTC_TIME.test(value) ? value : (parseTime(value) ?? undefined);
}

/** The JSON of a list of objects that have texts alone, which can hold no number that was rounded; else undefined. */
function writeLines(lines: unknown): string | null | undefined {
  if (lines === null || lines === undefined) return null;
  if (!Array.isArray(lines)) return undefined;
  for (const line of lines) {
    if (!isObject(line)) return undefined;
    for (const name in line) if (typeof line[name] !== "string") return undefined;
  }
  return JSON.stringify(lines);
}

function hasOnly(object: Record<string, unknown>, names: ReadonlySet<string>): boolean {
  for (const name in object) if (!names.has(name)) return false;
  return true;
}

function isText(value: unknown): value is string | null | undefined {
  return typeof value === "string" || value === null || value === undefined;
}

function isInteger(value: unknown): value is number | null | undefined {
  return Number.isSafeInteger(value) || value === null || value === undefined;
}

/** Whether it is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
