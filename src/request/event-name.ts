/** Prefixes reserved by Google Analytics. */
const RESERVED_EVENT = /^(ga|google|firebase)_/;

/**
 * Turns a conversion's name into an event's: at most 40 letters, digits and `_`, a letter first. Undefined if nothing
 * is left.
 */
export function toEventName(name: string): string | undefined {
  const event = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
  return /^[a-z][a-z0-9_]{0,39}$/.test(event) && !RESERVED_EVENT.test(event) ? event : undefined;
}
