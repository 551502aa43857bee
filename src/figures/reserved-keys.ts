/** The key of calls without a value. */
export const NOT_SET = "(not set)";

export const TOTAL = "(total)";

/** The total of the keys with a cost over 0. */
export const WITH_SPEND = "(with spend)";

/** The key of calls whose keys have no row of their own. */
export const OTHER = "(other)";

/**
 * A served text that reads like one of these, quoted or not, is shown in one more pair of quotes, so that no two keys
 * look alike.
 */
export const RESERVED_KEYS = [NOT_SET, TOTAL, WITH_SPEND, OTHER] as const;

const READS_LIKE_OURS = /^"*\((?:not set|total|with spend|other)\)"*$/i;

export function toShown(served: string): string {
  return READS_LIKE_OURS.test(served) ? `"${served}"` : served;
}

/** Inverse of {@link toShown}; any text but a quoted reserved key is unchanged. */
export function toServed(shown: string): string {
  const isQuoted = /^".*"$/.test(shown) && READS_LIKE_OURS.test(shown);
  return isQuoted ? shown.slice(1, -1) : shown;
}
