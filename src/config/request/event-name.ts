/** Which names a platform accepts. */
export interface NameRule {
  /** Returns the name as the platform accepts it; undefined if it accepts nothing like it. */
  toName: (name: string) => string | undefined;
  /** What is wrong with other names. */
  problem: string;
}

/** Prefixes reserved by Google Analytics. */
const RESERVED_EVENT = /^(ga|google|firebase)_/;

export const EVENT_NAME: NameRule = {
  toName: toEventName,
  problem:
    "gives no valid event name of Google Analytics: up to 40 letters, digits and _, a letter first, not beginning with ga_, google_ or firebase_",
};

/**
 * Turns a conversion's name into an event's: at most 40 letters, digits and `_`, a letter first. Undefined if nothing
 * is left.
 */
function toEventName(name: string): string | undefined {
  const event = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
  return /^[a-z][a-z0-9_]{0,39}$/.test(event) && !RESERVED_EVENT.test(event) ? event : undefined;
}
