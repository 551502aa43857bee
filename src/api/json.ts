declare global {
  interface JSON {
    /** TC39 "JSON.parse source text access", in V8 since 11.4; not in TypeScript's library yet. */
    rawJSON(text: string): unknown;
  }
}

const LONG_NUMBER = /(?:^|[[:,])\s*-?\d{16}/;

/**
 * Parses JSON without rounding integers: those that a double cannot hold become bigints.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  // The reviver makes parsing several times slower, so it is kept for texts that may need it.
  return LONG_NUMBER.test(text) ? JSON.parse(text, keepLongInteger) : JSON.parse(text);
}

function keepLongInteger(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
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
