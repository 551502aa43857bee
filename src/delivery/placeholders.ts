import { UsageError } from "../base/errors.ts";
import { PLACEHOLDER, PLACEHOLDERS, type Placeholder } from "../config/placeholder-names.ts";

/** What stands for each placeholder; one that has no value here cannot be used. */
export type PlaceholderValues = { readonly [P in Placeholder]?: string | undefined };

/** What a value holds is never taken for a placeholder. Throws UsageError for one that has no value. */
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
