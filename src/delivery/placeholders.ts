import { UsageError } from "../base/errors.ts";
import { PLACEHOLDER, PLACEHOLDERS, type Placeholder } from "../config/placeholder-names.ts";

/** What stands for each placeholder; one that has no value here cannot be used. */
export type PlaceholderValues = { readonly [P in Placeholder]?: string | undefined };

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
  return text.replace(PLACEHOLDER, (word, name) => {
    const placeholder = known.find((each) => each === name);
    if (placeholder === undefined) return word;
    const value = values[placeholder];
    if (value === undefined) throw new UsageError(`Cannot use ${word} in ${text}: there is none here`);
    return value;
  });
}
