/** Names that Google Analytics keeps for itself begin so. */
const RESERVED_EVENT = /^(ga|google|firebase)_/;

/** Returns the name of a conversion as that of an event: letters, digits and `_`, 40 at most, a letter first. Undefined where it makes none. */
export function toEventName(name: string): string | undefined {
  const event = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
  return /^[a-z][a-z0-9_]{0,39}$/.test(event) && !RESERVED_EVENT.test(event) ? event : undefined;
}
