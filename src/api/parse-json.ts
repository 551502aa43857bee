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

/**
 * Parses JSON without rounding integers: those that a double cannot hold become bigints.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
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
