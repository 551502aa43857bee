declare global {
  interface JSON {
    /** TC39 "JSON.parse source text access", in V8 since 11.4; not yet in TypeScript's library. */
    rawJSON(text: string): unknown;
  }
}

/** Levels of nesting; thousands more would overflow the stack. */
const MAX_DEPTH = 1000;
/** Values in one text; a page with more is read in pieces. */
const MAX_VALUES = 1_500_000;
/** Shorter texts are parsed without counting their values first, which takes longer than parsing. */
const SHORT_TEXT = 4_000_000;

/** JSON, but nested too deeply. */
export class TooDeepError extends SyntaxError {}

/** JSON, but with too many values. */
export class TooManyValuesError extends SyntaxError {}

/** Parses JSON without rounding integers: those that a double cannot hold become bigints. @throws SyntaxError */
export function parseJson(text: string): unknown {
  const values = text.length > SHORT_TEXT ? countValues(text) : 0;
  if (values > MAX_VALUES) throw new TooManyValuesError(`${values.toLocaleString("en-US")} values`);
  const value: unknown = JSON.parse(text);
  // The reviver makes parsing several times slower, so only texts that need it get it.
  return holdsRounded(value) ? JSON.parse(text, keepLongInteger) : value;
}

const [COMMA, OPEN_LIST, OPEN_OBJECT] = [0x2c, 0x5b, 0x7b];

/** Counts the characters that precede a value, including the few within texts. */
function countValues(text: string): number {
  let values = 0;
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (code === COMMA || code === OPEN_LIST || code === OPEN_OBJECT) values++;
  }
  return values;
}

/** Whether it contains a number that may be a rounded integer. */
function holdsRounded(value: unknown, depth = 0): boolean {
  if (typeof value === "number") return !Number.isSafeInteger(value) && Number.isInteger(value);
  if (typeof value !== "object" || value === null) return false;
  if (depth === MAX_DEPTH) throw new TooDeepError();
  if (Array.isArray(value)) {
    for (const element of value) if (holdsRounded(element, depth + 1)) return true;
  } else if (isObject(value)) {
    // An object parsed from JSON has no enumerable inherited members; Object.values would copy it.
    for (const name in value) if (holdsRounded(value[name], depth + 1)) return true;
  }
  return false;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function keepLongInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  // Numbers of more than 308 digits are not valid anywhere else, and a million digits would take minutes to read.
  if (typeof value !== "number" || Number.isSafeInteger(value) || !Number.isFinite(value)) return value;
  return context?.source !== undefined && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}

/** The inverse of {@link parseJson}. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Only a bigint gets here; a replacer for every value would slow down the rest.
    return JSON.stringify(value, (_key, member: unknown) =>
      typeof member === "bigint" ? JSON.rawJSON(String(member)) : member,
    );
  }
}

/** The type that JSON has for a value. */
export function jsonType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "bigint" ? "number" : typeof value;
}
