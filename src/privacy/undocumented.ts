import { parseJson, stringifyJson } from "../api/parse-json.ts";
import { CALL_MEMBERS, DNI_MEMBERS, isObject, jsonType } from "../api/parse-row.ts";

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
const call = object({
  ...membersOf(CALL_MEMBERS),
  call_id: integer,
  duration: integer,
  org_unit_id: integer,
  dni_data: object(membersOf(DNI_MEMBERS)),
  transcription_details: lines,
});

/**
 * Replaces the values of undocumented members, and of documented ones of the wrong type, by their type:
 * `{"score":{"type":"number"}}`. Described members stay unchanged.
 */
export const describeRow: Describe = call;

/** Does this for the members in `extra`. @param extra JSON */
export function describeExtra(extra: string): string {
  return stringifyJson(call(parseJson(extra)));
}

/** Does this for undocumented members of transcript lines. @param details JSON */
export function describeLines(details: string): string {
  return stringifyJson(lines(parseJson(details)));
}

/** Returns the storable form of an undocumented member's name; names that look like values are masked. */
export function describeName(name: string): string {
  const digits = name.match(/\p{Nd}/gu)?.length ?? 0;
  return NAME.test(name) && digits < NUMBER_DIGITS ? name : "[name]";
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

function membersOf(names: Iterable<string>): Record<string, Describe> {
  return Object.fromEntries(Iterator.from(names).map((name) => [name, text]));
}
