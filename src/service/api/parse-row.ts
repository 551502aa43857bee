import { z } from "zod";
import { isObject, jsonType, stringifyJson } from "../../base/text/parse-json.ts";
import { isDuration, MAX_DURATION } from "../../calls/call.ts";
import {
  type Call,
  COLUMNS,
  DNI_FIELDS,
  type DniField,
  type Member,
  SERVED_FIELDS,
  TRANSCRIPT_COLUMNS,
} from "../../calls/columns.ts";
import { isWrittenTime, servedTime } from "../../calls/served-time.ts";

/** A member of a call that the API document does not promise, by its path, e.g. `dni_data.msclkid`. */
export interface Drift {
  path: string;
  /** `unknown`: kept in `extra`. `type`: readable, but in another form than documented, such as a number in place of text. */
  kind: "unknown" | "type";
  json_type: string;
}

export interface RejectedRow {
  /** The call's id, if that much could be read. */
  call_id: number | null;
  json: string;
  /** The member that cannot be parsed; empty for the whole row. */
  path: string;
  reason: string;
}

export type ParsedRow = { call: Call; drift: readonly Drift[] } | { rejected: RejectedRow };

/** Returns null if the row's id cannot be read. */
export function idOf(row: ParsedRow): number | null {
  return "rejected" in row ? row.rejected.call_id : row.call.call_id;
}

const DNI_MEMBERS: ReadonlySet<string> = new Set(DNI_FIELDS);
const CALL_MEMBERS: ReadonlySet<string> = new Set([...SERVED_FIELDS, "dni_data", ...TRANSCRIPT_COLUMNS]);

/** The most undocumented members recorded of one call, and the longest name; anything more is kept in `extra` only. */
const [MAX_DRIFT, MAX_NAME] = [100, 200];

/** Parses one element of `data.calls` (API v3 § 2.3), or returns the reason why it cannot be parsed. */
export function parseRow(row: unknown): ParsedRow {
  try {
    return new RowParser().parse(row);
  } catch (error) {
    if (!(error instanceof UnreadableMember)) throw error;
    const { path, message } = error;
    const id = isObject(row) ? toNumber(row.call_id) : null;
    const call_id = isInteger(id) ? id : null;
    return { rejected: { call_id, json: stringifyJson(row), path, reason: message } };
  }
}

class UnreadableMember extends Error {
  readonly path: string;

  constructor(path: string, reason: string) {
    super(reason);
    this.path = path;
  }
}

/** Parses one row member by member, and notes what the document does not promise. */
class RowParser {
  readonly #drift: Drift[] = [];

  parse(row: unknown): ParsedRow {
    const members = toObject(row, "");
    const unknown = this.#takeUnknown(members, CALL_MEMBERS);
    const call: Call = {
      ...this.#readMembers(members, SERVED_FIELDS),
      ...this.#toDni(this.#read(members, "dni_data", emptyUnless(isObject)), unknown),
      ...this.#readMembers(members, TRANSCRIPT_COLUMNS),
      // fromEntries defines members instead of assigning them, so even `__proto__` is one.
      extra: unknown.length > 0 ? stringifyJson(Object.fromEntries(unknown)) : null,
    };
    return { call, drift: this.#drift };
  }

  #toDni(value: unknown, unknown: [string, unknown][]): Pick<Call, DniField> {
    const dni = toObject(value ?? {}, "dni_data");
    const unknownDni = this.#takeUnknown(dni, DNI_MEMBERS, "dni_data.");
    if (unknownDni.length > 0) unknown.push(["dni_data", Object.fromEntries(unknownDni)]);
    return this.#readMembers(dni, DNI_FIELDS, "dni_data.");
  }

  #readMembers<Name extends Member>(
    object: Record<string, unknown>,
    names: readonly Name[],
    prefix?: string,
  ): Pick<Call, Name>;
  #readMembers(object: Record<string, unknown>, names: readonly Member[], prefix = ""): object {
    const read: Record<string, Call[Member]> = {};
    for (const name of names) read[name] = this.#readMember(object, name, prefix);
    return read;
  }

  #readMember(object: Record<string, unknown>, name: Member, prefix: string): Call[Member] {
    switch (COLUMNS[name].type) {
      case "id":
        return toId(this.#read(object, name, toNumber));
      case "integer":
        return toInteger(this.#read(object, name, toNumber), name);
      case "time":
        return toTime(this.#read(object, name, toIsoTime));
      case "duration":
        return toDuration(this.#read(object, name, toRounded));
      case "lines":
        return toLines(this.#read(object, name, emptyUnless(Array.isArray)));
      default:
        return this.#toText(object, name, prefix);
    }
  }

  #toText(object: Record<string, unknown>, name: string, prefix: string): string | null {
    const value = object[name];
    if (typeof value === "string") return value;
    if (value === null || value === undefined) return null;
    const path = prefix + name;
    // A number beyond all doubles was read as infinity. A truth value may be what a tag was read as, and is no name or number.
    const isReadable =
      typeof value === "boolean" ? prefix !== "" : typeof value === "bigint" || Number.isFinite(value);
    if (!isReadable) throw new UnreadableMember(path, "Invalid input");
    this.#drift.push({ path, kind: "type", json_type: jsonType(value) });
    return String(value);
  }

  /** Reads a member by a function that returns unchanged what it does not know. */
  #read(object: Record<string, unknown>, path: string, read: (value: unknown) => unknown): unknown {
    const value = object[path];
    const parsed = read(value);
    if (parsed !== value) this.#drift.push({ path, kind: "type", json_type: jsonType(value) });
    return parsed;
  }

  #takeUnknown(object: Record<string, unknown>, known: ReadonlySet<string>, prefix = "") {
    const unknown: [string, unknown][] = [];
    for (const key in object) {
      if (known.has(key)) continue;
      unknown.push([key, object[key]]);
      if (this.#drift.length >= MAX_DRIFT) continue;
      const name = key.length > MAX_NAME ? `${key.slice(0, MAX_NAME)}…` : key;
      this.#drift.push({ path: prefix + name, kind: "unknown", json_type: jsonType(object[key]) });
    }
    return unknown;
  }
}

const NUMBER_TEXT = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?)?$/;

/** Returns the number that a text is, with all digits and without white space around it, and null for an empty text. */
function toNumber(value: unknown): unknown {
  const text = typeof value === "string" ? value.trim() : undefined;
  if (text === undefined || !NUMBER_TEXT.test(text)) return value;
  if (text === "") return null;
  const number = Number(text);
  return isInteger(number) || text.includes(".") ? number : BigInt(text);
}

function toRounded(value: unknown): unknown {
  const number = toNumber(value);
  return typeof number === "number" && Number.isFinite(number) ? Math.round(number) : number;
}

/** Returns null for what some languages send in place of an object, or of a list, that has no members. */
const emptyUnless = (isDocumented: (value: unknown) => boolean) => (value: unknown) => {
  const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return !isDocumented(value) && (isEmpty || value === "" || value === false) ? null : value;
};

const TIME_TEXT = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)? ?(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?$/;

/** Returns a time with a space for the T, without seconds, or with an offset such as +0530 or +05, as ISO 8601 in its extended format. */
function toIsoTime(value: unknown): unknown {
  if (value === "") return null;
  const [, day, clock, seconds = ":00", utc = "", hours, minutes = "00"] =
    typeof value === "string" && !isWrittenTime(value) ? (TIME_TEXT.exec(value) ?? []) : [];
  if (day === undefined) return value;
  return `${day}T${clock}${seconds}${hours === undefined ? utc : `${hours}:${minutes}`}`;
}

function toId(value: unknown): number {
  if (isInteger(value)) return value;
  const isLong = typeof value === "bigint";
  const reason = isLong ? `${value} is beyond 2^53 − 1 and would be rounded` : "expected an integer";
  throw new UnreadableMember("call_id", reason);
}

const integer = z.int().nullish();

function toInteger(value: unknown, path: string): number | null {
  return (isInteger(value) ? value : read(integer, value, path)) ?? null;
}

function toDuration(value: unknown): number | null {
  const duration = toInteger(value, "duration");
  if (duration === null || isDuration(duration)) return duration;
  const reason = `not from -${MAX_DURATION} to ${MAX_DURATION}: sums of longer ones would not be exact`;
  throw new UnreadableMember("duration", reason);
}

function toTime(value: unknown): string | null {
  return isWrittenTime(value) ? value : read(servedTime, value, "call_started");
}

const lines = z.array(z.unknown()).nullish();

function toLines(value: unknown): string | null {
  const list = Array.isArray(value) ? value : read(lines, value, "transcription_details");
  return list ? stringifyJson(list) : null;
}

const anyObject = z.looseObject({});

function toObject(value: unknown, path: string): Record<string, unknown> {
  return isObject(value) ? value : read(anyObject, value, path);
}

/** Parses by a schema; slower than the checks before it, which suffice for nearly all rows. */
function read<T>(schema: z.ZodType<T>, value: unknown, path: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new UnreadableMember(path, result.error.issues[0]?.message ?? "unreadable");
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
