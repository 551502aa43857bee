import { UsageError } from "../base/errors.ts";
import { orMeant } from "../base/text/nearest.ts";

export const PLACEHOLDERS = ["account", "report", "from", "to", "period", "date"] as const;
/** In a subject, also whose figures they are: as a path, it could name any place. */
export const SUBJECT_PLACEHOLDERS = [...PLACEHOLDERS, "title"] as const;
/** In an argument of a command, also where the files are, and the file of a report that has only one. */
export const COMMAND_PLACEHOLDERS = [...PLACEHOLDERS, "folder", "file"] as const;
export type Placeholder = (typeof COMMAND_PLACEHOLDERS | typeof SUBJECT_PLACEHOLDERS)[number];

/** Other braces are text: arguments of commands may be programs. */
const PLACEHOLDER = /\{(\w+)\}/g;

/** Returns what looks like a placeholder, for texts in which none is filled in. */
export function findPlaceholder(text: string): string | undefined {
  return /\{\s*\w+\s*\}/.exec(text)?.[0];
}

/** @throws Error that does not show the text, which may be a secret */
export function assertNoPlaceholder(text: string): void {
  if (findPlaceholder(text) !== undefined)
    throw new Error("must be without placeholders: none is filled in here");
}

/** @throws Error with a suggestion */
export function assertPlaceholders(text: string, known: readonly Placeholder[]): void {
  for (const [, word = ""] of text.matchAll(PLACEHOLDER)) {
    if (!known.some((each) => each === word)) throw new Error(describeUnknown(`{${word}}`, word, known));
  }
}

/** Refuses all other braces. @throws Error with a suggestion */
export function assertPattern(pattern: string, known: readonly Placeholder[] = PLACEHOLDERS): void {
  assertPlaceholders(pattern, known);
  const [other] = /\{[^{}]*\}?|\}/.exec(pattern.replace(PLACEHOLDER, "")) ?? [];
  if (other !== undefined) throw new Error(describeUnknown(other, other.replace(/[{}]/g, ""), known));
}

function describeUnknown(shown: string, word: string, known: readonly Placeholder[]): string {
  const all = known.map((each) => `{${each}}`);
  return `${shown} is not one of ${all.join(", ")}${orMeant(`{${word}}`, all)}`;
}

/** Placeholders without a value here cannot be used. */
export type PlaceholderValues = { readonly [P in Placeholder]?: string | undefined };

/** Values are not searched for placeholders. @throws UsageError for one without a value */
export function fillPlaceholders(
  text: string,
  values: PlaceholderValues,
  known: readonly Placeholder[] = PLACEHOLDERS,
): string {
  return text.replace(PLACEHOLDER, (word, name) => {
    const placeholder = known.find((each) => each === name);
    if (placeholder === undefined) return word;
    const value = values[placeholder];
    if (value === undefined)
      throw new UsageError(`Cannot use ${word} in ${text}: it has no value here`, {
        hint: "Leave it out: it has a value only where there are accounts, or a report with a period.",
      });
    return value;
  });
}
