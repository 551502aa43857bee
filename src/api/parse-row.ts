import { z } from "zod";
import { type Call, DNI_FIELDS, isDuration, isSortable, MAX_DURATION } from "../call.ts";
import { parseJson, stringifyJson } from "./parse-json.ts";
import { CALL_MEMBERS, CUT_LINES, DNI_MEMBERS, isObject, parsePlainCall } from "./plain-call.ts";

/** A member of a call that the API document does not promise, by its path, e.g. `dni_data.msclkid`. */
export interface Drift {
  path: string;
  /** `unknown`: kept in `extra`. `type`: a number where text is promised, kept as text. */
  kind: "unknown" | "type";
  /** The JSON type that was met. */
  json_type: string;
}

export interface RejectedRow {
  /** The call's identifier, where that much could be read. */
  call_id: number | null;
  /** The row as served. */
  json: string;
  /** The member that does not parse; empty for the row as a whole. */
  path: string;
  reason: string;
}

export type ParsedRow =
  | {
      call: Call;
      drift: readonly Drift[];
      /** The hash of its bytes, by which it is recognized when it is served again; where it can be told. */
      served?: string;
    }
  | { rejected: RejectedRow };

const text = z
  .union([z.string(), z.number(), z.bigint()])
  .nullish()
  .transform((value) => (value === null || value === undefined ? null : String(value)));
const integer = z
  .int()
  .nullish()
  .transform((value) => value ?? null);
const duration = integer.refine((value) => value === null || isDuration(value), {
  error: `not from -${MAX_DURATION} to ${MAX_DURATION}: sums of longer ones would not be exact`,
});
const time = z.iso
  .datetime({ offset: true, local: true })
  .nullish()
  .transform((value) =>
    value ? new Date(/(Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`).toISOString() : null,
  )
  .refine((value) => value === null || isSortable(value), { error: "not in the years 0000 to 9999 of UTC" });

/** Returns a time as documented, ISO 8601, in UTC; undefined for any other value. */
export function parseTime(value: unknown): string | null | undefined {
  return time.safeParse(value).data;
}

const dniSchema = z.object({
  utm_source: text,
  utm_medium: text,
  utm_campaign: text,
  utm_content: text,
  utm_term: text,
  gclid: text,
  gclsrc: text,
  google_analytics_cid: text,
  referring_url: text,
  campaign_name: text,
  campaign_id: text,
} satisfies Record<(typeof DNI_FIELDS)[number], typeof text>);

const callId = z.int({
  error: (issue) =>
    typeof issue.input === "bigint"
      ? `${issue.input} is beyond 2^53 − 1 and would be rounded`
      : "expected an integer",
});

const callSchema = z.object({
  call_id: callId,
  insight_name: text,
  caller_id: text,
  tracking_number: text,
  call_started: time,
  duration,
  disposition: text,
  org_unit_id: integer,
  org_unit_name: text,
  recording_url: text,
  dni_data: dniSchema.nullish().transform((value) => value ?? NO_DNI),
  summary: text,
  transcription: text,
  transcription_details: z
    .array(z.unknown())
    .nullish()
    .transform((value) => (value ? stringifyJson(value) : null)),
});

const NO_DNI = dniSchema.parse({});

const TEXT_MEMBERS = [
  "insight_name",
  "caller_id",
  "tracking_number",
  "disposition",
  "org_unit_name",
  "recording_url",
  "summary",
  "transcription",
];

/** Parses one element of `data.calls` (API v3 § 2.3). A row that does not parse is returned with the reason. */
export function parseRow(row: unknown): ParsedRow {
  return parsePlainRow(row) ?? parseAnyRow(row);
}

/**
 * Parses the JSON of one such element.
 *
 * @throws SyntaxError
 */
export function parseRowText(text: string): ParsedRow {
  // A plain row has no numbers that are rounded here: those of three members are checked, and there are no others.
  const [linesJson, rest] = cutLines(text);
  return parsePlainRow(JSON.parse(rest), linesJson) ?? parseAnyRow(parseJson(text));
}

/** Texts longer than this are parsed as they are: each line takes room on the stack of the regular expression. */
const MAX_CUT_LENGTH = 1_000_000;
/** Lines of a transcript, half of most calls: the documented members in their order, with nothing that is escaped. */
const LINES = (() => {
  const text = String.raw`"[^"\\\x00-\x1f]*"`;
  const line = `\\{"channel":${text},"time":${text},"text":${text}\\}`;
  return new RegExp(`("transcription_details":)(\\[(?:${line}(?:,(?=\\{)|(?=\\])))*\\])`);
})();

/**
 * Takes the lines out of a row where they are JSON as it would be kept, so that they need not be parsed and written
 * again. A plain row has no other place where a list of that name can be.
 */
function cutLines(text: string): [linesJson: string | undefined, rest: string] {
  const found = text.length > MAX_CUT_LENGTH ? null : LINES.exec(text);
  if (found === null) return [undefined, text];
  const [whole, name, lines] = found;
  const rest = `${text.slice(0, found.index)}${name}"${CUT_LINES}"${text.slice(found.index + whole.length)}`;
  // Copied: as a slice it would keep the whole row in memory.
  return [` ${lines}`.slice(1), rest];
}

/** Nearly all rows are as documented, and parsed in a fifth of the time that the schema takes. */
function parsePlainRow(row: unknown, linesJson?: string): ParsedRow | undefined {
  const call = parsePlainCall(row, parseTime, linesJson);
  return call && { call, drift: NO_DRIFT.drift };
}

function parseAnyRow(row: unknown): ParsedRow {
  const result = callSchema.safeParse(row);
  if (!result.success) {
    const [issue] = result.error.issues;
    return {
      rejected: {
        call_id: readCallId(row),
        json: stringifyJson(row),
        path: issue?.path.join(".") ?? "",
        reason: issue?.message ?? "unreadable",
      },
    };
  }
  const { dni_data, ...members } = result.data;
  const { extra, drift } = readDrift(row);
  return { call: { ...members, ...dni_data, extra }, drift };
}

const identified = z.object({ call_id: callId });

function readCallId(row: unknown): number | null {
  const result = identified.safeParse(row);
  return result.success ? result.data.call_id : null;
}

/** What of a row the document does not promise: unknown members (kept), and numbers in place of text (noted). */
function readDrift(row: unknown): { extra: string | null; drift: readonly Drift[] } {
  if (!isObject(row)) return NO_DRIFT;
  const drift: Drift[] = [];
  const unknown = collectUnknown(row, CALL_MEMBERS, "", drift);
  noteNumbers(row, TEXT_MEMBERS, "", drift);
  if (isObject(row.dni_data)) {
    const unknownDni = collectUnknown(row.dni_data, DNI_MEMBERS, "dni_data.", drift);
    noteNumbers(row.dni_data, DNI_FIELDS, "dni_data.", drift);
    if (unknownDni.length > 0) unknown.push(["dni_data", Object.fromEntries(unknownDni)]);
  }
  if (drift.length === 0) return NO_DRIFT;
  // fromEntries defines members rather than assigning them, so that even `__proto__` is one.
  return { extra: unknown.length > 0 ? stringifyJson(Object.fromEntries(unknown)) : null, drift };
}

const NO_DRIFT = { extra: null, drift: [] };

/** Members that are noted of one call, and characters of their names: more are kept in `extra` alone. */
const [MAX_DRIFT, MAX_NAME] = [100, 200];

function collectUnknown(
  object: Record<string, unknown>,
  known: ReadonlySet<string>,
  prefix: string,
  drift: Drift[],
): [string, unknown][] {
  const unknown: [string, unknown][] = [];
  for (const key of Object.keys(object)) {
    if (known.has(key)) continue;
    unknown.push([key, object[key]]);
    if (drift.length >= MAX_DRIFT) continue;
    const name = key.length > MAX_NAME ? `${key.slice(0, MAX_NAME)}…` : key;
    drift.push({ path: prefix + name, kind: "unknown", json_type: jsonType(object[key]) });
  }
  return unknown;
}

function noteNumbers(
  object: Record<string, unknown>,
  members: readonly string[],
  prefix: string,
  drift: Drift[],
): void {
  for (const member of members) {
    const type = jsonType(object[member]);
    if (type === "number") drift.push({ path: prefix + member, kind: "type", json_type: type });
  }
}

/** Returns what JSON calls the type of a value. */
export function jsonType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "bigint" ? "number" : typeof value;
}
