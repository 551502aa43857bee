declare global {
  interface JSON {
    /** TC39 "JSON.parse source text access", in V8 since 11.4; not in TypeScript's library yet. */
    rawJSON(text: string): unknown;
  }
}

/** Levels of lists and objects in one another that are read: thousands more would overflow the stack somewhere. */
const MAX_DEPTH = 1000;

/** JSON, but nested deeper than is read. */
export class TooDeepError extends SyntaxError {}

/** JSON, but of more values than are read: they take up to fifty times the room of their text. */
export class TooManyValuesError extends SyntaxError {}

/** Values in one text that are read; a page of 1,000 long transcripts is read in pieces then. */
const MAX_VALUES = 1_000_000;
/** Those in one list or object. */
const MAX_MEMBERS = 100_000;

/** Characters of a text that is too short to need measuring. */
const SHORT_TEXT = 500_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Sees to it that a text, if it is JSON, can be parsed in little memory, without parsing it.
 *
 * @throws TooDeepError, TooManyValuesError
 */
export function assertReadable(text: string): void {
  if (text.length <= SHORT_TEXT) return;
  const commas = new Uint32Array(MAX_DEPTH + 1);
  let [depth, values, mostCommas] = [0, 1, 0];
  let isInString = false;
  for (let position = 0; position < text.length; position++) {
    const code = text.charCodeAt(position);
    if (isInString) {
      if (code === BACKSLASH) position++;
      else if (code === QUOTE) isInString = false;
    } else if (code === QUOTE) {
      isInString = true;
    } else if (code === COMMA) {
      values++;
      commas[depth] = (commas[depth] ?? 0) + 1;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      values++;
      if (++depth > MAX_DEPTH) throw new TooDeepError();
      commas[depth] = 0;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      mostCommas = Math.max(mostCommas, commas[depth] ?? 0);
      if (depth > 0) depth--;
    }
  }
  if (mostCommas >= MAX_MEMBERS)
    throw new TooManyValuesError(`a list or object of ${(mostCommas + 1).toLocaleString("en-US")} members`);
  if (values > MAX_VALUES) throw new TooManyValuesError(`${values.toLocaleString("en-US")} values`);
}

/**
 * Parses JSON without rounding integers: those that a double cannot hold become bigints.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  assertReadable(text);
  const value: unknown = JSON.parse(text);
  // The reviver makes parsing several times slower, so it is kept for texts that need it.
  return holdsRounded(value) ? JSON.parse(text, keepLongInteger) : value;
}

/** Whether there is a number in it that may be a rounded integer. */
function holdsRounded(value: unknown, depth = 0): boolean {
  if (typeof value === "number") return !Number.isSafeInteger(value) && Number.isInteger(value);
  if (typeof value !== "object" || value === null) return false;
  if (depth === MAX_DEPTH) throw new TooDeepError();
  if (Array.isArray(value)) {
    for (const element of value) if (holdsRounded(element, depth + 1)) return true;
    return false;
  }
  // What JSON makes of an object has no inherited members but those that cannot be listed.
  for (const member of Object.values(value)) if (holdsRounded(member, depth + 1)) return true;
  return false;
}

function keepLongInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  // One of more than 308 digits is no number anywhere else either, and of a million it would take minutes to read.
  if (typeof value !== "number" || Number.isSafeInteger(value) || !Number.isFinite(value)) return value;
  return context?.source !== undefined && /^-?\d+$/.test(context.source) ? BigInt(context.source) : value;
}

/** The inverse of {@link parseJson}. */
export function stringifyJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Only a bigint gets here; a replacer for every value would slow down all the others.
    return JSON.stringify(value, (_key, member: unknown) =>
      typeof member === "bigint" ? JSON.rawJSON(String(member)) : member,
    );
  }
}
