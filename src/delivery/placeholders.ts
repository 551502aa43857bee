import { createHash } from "node:crypto";
import { type COMMAND_PLACEHOLDERS, PLACEHOLDERS } from "../config/file-schema.ts";
import { UsageError } from "../errors.ts";
import { nearest } from "../nearest.ts";

type Placeholder = (typeof COMMAND_PLACEHOLDERS)[number];

/** What stands for each placeholder; one that has no value here cannot be used. */
export type PlaceholderValues = { readonly [P in Placeholder]?: string | undefined };

/** Other braces are text: arguments of commands may be programs. */
const PLACEHOLDER = /\{(\w+)\}/g;

/** Bytes of a name at most, as Linux, macOS and Windows have it. */
const MAX_NAME_BYTES = 255;
/** Names that Windows keeps for devices, whatever comes after a dot. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/**
 * Asserts that a pattern names known placeholders alone.
 *
 * @throws UsageError with the nearest one
 */
function assertPlaceholders(pattern: string, known: readonly Placeholder[]): void {
  for (const [, name = ""] of pattern.matchAll(PLACEHOLDER)) {
    if (known.some((each) => each === name)) continue;
    const near = nearest(name, known);
    throw new UsageError(`Cannot use {${name}} in ${pattern}: there is no such placeholder`, {
      hint: `${near === undefined ? "" : `Did you mean {${near}}? `}There are ${listOf(known)}.`,
    });
  }
}

/**
 * Returns a text with the values in the place of their placeholders. What a value holds is never taken for a
 * placeholder.
 *
 * @throws UsageError where one is unknown, or has no value
 */
export function fillPlaceholders(
  text: string,
  values: PlaceholderValues,
  known: readonly Placeholder[] = PLACEHOLDERS,
): string {
  assertPlaceholders(text, known);
  return replaceEach(text, known, (name) => requireValue(name, values, text));
}

/**
 * Asserts that a folder pattern can be expanded.
 *
 * @throws UsageError
 */
export function assertPattern(pattern: string): void {
  assertPlaceholders(pattern, PLACEHOLDERS);
  if (!/[{}]/.test(pattern.replace(PLACEHOLDER, ""))) return;
  throw new UsageError(`Cannot use ${pattern} as a folder: it has a brace of no placeholder`, {
    hint: `There are ${listOf(PLACEHOLDERS)}.`,
  });
}

/**
 * Returns the path that a folder pattern stands for. Each value is one name, or a part of one, which cannot lead out of
 * its folder: what a name cannot have is replaced, and a short hash then keeps different values different.
 *
 * @throws UsageError where a placeholder is unknown, or has no value
 */
export function expandPattern(pattern: string, values: PlaceholderValues): string {
  assertPattern(pattern);
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

function listOf(known: readonly Placeholder[]): string {
  return known.map((name) => `{${name}}`).join(" ");
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
