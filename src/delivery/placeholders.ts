import { createHash } from "node:crypto";
import { UsageError } from "../base/errors.ts";
import { PLACEHOLDER, PLACEHOLDERS, type Placeholder } from "../config/placeholder-names.ts";

/** What stands for each placeholder; one that has no value here cannot be used. */
export type PlaceholderValues = { readonly [P in Placeholder]?: string | undefined };

/** Bytes of a name at most, as Linux, macOS and Windows have it. */
const MAX_NAME_BYTES = 255;
/** Names that Windows keeps for devices, whatever comes after a dot. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * Returns a text with the values in the place of their placeholders. What a value holds is never taken for a
 * placeholder.
 *
 * @param known words that are placeholders; others in braces are text
 * @throws UsageError where one has no value
 */
export function fillPlaceholders(
  text: string,
  values: PlaceholderValues,
  known: readonly Placeholder[] = PLACEHOLDERS,
): string {
  return replaceEach(text, known, (name) => requireValue(name, values, text));
}

/**
 * Returns the path that a folder pattern stands for. Each value is one name, or a part of one, which cannot lead out of
 * its folder: what a name cannot have is replaced, and a short hash then keeps different values different.
 *
 * @throws UsageError where a placeholder has no value
 */
export function expandPattern(pattern: string, values: PlaceholderValues): string {
  return pattern
    .split("/")
    .map((part) => expandName(part, pattern, values))
    .join("/");
}

function expandName(part: string, pattern: string, values: PlaceholderValues): string {
  const name = replaceEach(part, PLACEHOLDERS, (each) => toNamePart(requireValue(each, values, pattern)));
  if (name === part) return part; // the operator's own, ".." and all
  if (RESERVED.test(name)) return `_${name}`;
  return Buffer.byteLength(name) <= MAX_NAME_BYTES ? name : withHash(cut(name, MAX_NAME_BYTES - 9), name);
}

/** Returns a value as a part of a name: letters, digits and a few signs, without dots or blanks at its ends. */
function toNamePart(value: string): string {
  const part = value
    .replace(/[^\p{L}\p{N}\p{M} ._+@=,-]/gu, "_")
    .replace(/^[. ]+|[. ]+$/g, (ends) => "_".repeat(ends.length));
  const short = cut(part, 100);
  return short === value && short !== "" ? short : withHash(short, value);
}

function withHash(name: string, value: string): string {
  return `${name}~${createHash("sha256").update(value).digest("hex").slice(0, 8)}`;
}

/** Cuts between characters. */
function cut(text: string, maxBytes: number): string {
  let bytes = 0;
  let cut = "";
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > maxBytes) break;
    cut += character;
  }
  return cut;
}

function requireValue(name: Placeholder, values: PlaceholderValues, pattern: string): string {
  const value = values[name];
  if (value !== undefined) return value;
  throw new UsageError(`Cannot use {${name}} in ${pattern}: there is none here`);
}

function replaceEach<P extends Placeholder>(
  text: string,
  known: readonly P[],
  replace: (name: P) => string,
): string {
  return text.replace(PLACEHOLDER, (all, name) => {
    const placeholder = known.find((each) => each === name);
    return placeholder === undefined ? all : replace(placeholder);
  });
}
