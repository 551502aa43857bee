import { recordOf } from "../../base/records.ts";
import { isObject, jsonType, parseJson, stringifyJson } from "../../base/text/parse-json.ts";
import type { ClickMembers } from "../attribution/ad-click.ts";
import {
  type Call,
  COLUMNS,
  DNI_FIELDS,
  type Member,
  membersThat,
  SERVED_FIELDS,
  TRANSCRIPT_COLUMNS,
} from "../columns.ts";
import { parseTime } from "../served-time.ts";
import { keepClick } from "./keep-click.ts";
import { KEEP_KINDS, WITHHELD_KINDS, type WithheldKind } from "./keep-settings.ts";
import { isPseudonym } from "./pseudonym.ts";

/** The documented members of each kind (API v3 § 2.3). */
const MEMBERS = recordOf(KEEP_KINDS, (kind) => membersThat({ personal: kind }));

type Personal = Pick<Call, (typeof MEMBERS)[keyof typeof MEMBERS][number]> & ClickMembers;

/**
 * Removes from a call, or its stored members, what may not be kept. A pseudonym does not count as a number.
 * @returns also the kinds that were removed, in their order
 */
export function withhold<C extends Personal>(
  call: C,
  past: readonly WithheldKind[],
): { call: C; withheld: WithheldKind[] } {
  if (past.length === 0) return { call, withheld: [] };
  const kinds = new Set<WithheldKind>();
  const rest: C = { ...call };
  const replace = (kind: WithheldKind, member: keyof Personal, value: string | null) => {
    if (rest[member] === value) return;
    Object.assign(rest, { [member]: value });
    kinds.add(kind);
  };
  for (const kind of past) {
    if (kind === "extra" || (kind === "caller_numbers" && isPseudonym(call.caller_id))) continue;
    for (const member of MEMBERS[kind]) replace(kind, member, null);
  }
  if (past.includes("extra")) {
    const { extra, transcription_details: details } = rest;
    replace("extra", "extra", extra && keepClick(call, { ...rest, extra: describeJson(extra, row) }).extra);
    replace("extra", "transcription_details", details && describeJson(details, lines));
  }
  return kinds.size === 0
    ? { call, withheld: [] }
    : { call: rest, withheld: WITHHELD_KINDS.filter((kind) => kinds.has(kind)) };
}

/** Does this for the JSON of a row that could not be parsed. */
export function withholdFromRow(json: string, kinds: readonly WithheldKind[]): string {
  if (kinds.length === 0) return json;
  const served = parseJson(json);
  const described = kinds.includes("extra") ? row(served) : served;
  if (!isObject(described)) return stringifyJson(described);
  const withheldMembers = new Set<string>(kinds.flatMap((kind) => (kind === "extra" ? [] : MEMBERS[kind])));
  return stringifyJson(
    Object.fromEntries(Object.entries(described).filter(([name]) => !withheldMembers.has(name))),
  );
}

/** Returns the start of the call in such a row, ISO 8601 UTC; null if it is not given as documented. */
export function startOfRow(json: string): string | null {
  const served = parseJson(json);
  return (isObject(served) ? parseTime(served.call_started) : null) ?? null;
}

/** Returns the storable form of a value, without the values of undocumented members. */
type Describe = (value: unknown) => unknown;

const JSON_TYPES = new Set(["null", "boolean", "number", "string", "array", "object"]);
/** Allowed names of members, so that no sentence or address is stored as a name. */
const NAME = /^[\p{L}_$][\p{L}\p{Nd}_$-]{0,63}$/u;
/** Digits of the shortest phone number. */
const NUMBER_DIGITS = 7;

const text = scalar("string", "number");
const integer = scalar("number");
const line = object({ channel: text, time: text, text });
const lines: Describe = (value) => (Array.isArray(value) ? value.map(line) : describeType(value));
/**
 * Replaces the values of undocumented members, and of documented ones of the wrong type, by their type:
 * `{"score":{"type":"number"}}`. Described members stay unchanged.
 */
const row = object({
  ...recordOf([...SERVED_FIELDS, ...TRANSCRIPT_COLUMNS], describerOf),
  dni_data: object(recordOf(DNI_FIELDS, describerOf)),
});

/** Returns the storable form of an undocumented member's name; names that look like values are masked. */
export function describeName(name: string): string {
  const digits = name.match(/\p{Nd}/gu)?.length ?? 0;
  return NAME.test(name) && digits < NUMBER_DIGITS ? name : "[name]";
}

function describeJson(json: string, describe: Describe): string {
  return stringifyJson(describe(parseJson(json)));
}

function describeType(value: unknown): unknown {
  return value === null || isDescribed(value) ? value : { type: jsonType(value) };
}

function isDescribed(value: unknown): boolean {
  if (!isObject(value) || typeof value.type !== "string") return false;
  return Object.keys(value).length === 1 && JSON_TYPES.has(value.type);
}

function scalar(...types: string[]): Describe {
  return (value) => (types.includes(jsonType(value)) ? value : describeType(value));
}

function object(members: Readonly<Record<string, Describe>>): Describe {
  return (value) => {
    if (!isObject(value) || isDescribed(value)) return describeType(value);
    // fromEntries defines members instead of assigning them, so even `__proto__` is one.
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        const describe = Object.hasOwn(members, name) ? members[name] : undefined;
        return describe ? [name, describe(member)] : [describeName(name), describeType(member)];
      }),
    );
  };
}

function describerOf(name: Member): Describe {
  const { type } = COLUMNS[name];
  if (type === "lines") return lines;
  return type === "text" || type === "time" ? text : integer;
}
