/** What counts as what; stands in every manifest, so that each figure can be defended. */
export interface RollupRules {
  /** Dispositions of answered calls, compared without case and with `-` and `_` as spaces. */
  answered: readonly string[];
  /** Dispositions of missed calls; any other is neither. */
  missed: readonly string[];
  /** Seconds an answered call must last to be a qualified one. */
  qualified_seconds: number;
  /** The unit of `duration`, which the API does not say. */
  duration_unit: "seconds" | "milliseconds";
}

export const DEFAULT_RULES: RollupRules = {
  answered: ["answered", "transferred"],
  missed: ["no answer", "busy", "failed", "voicemail", "abandoned"],
  qualified_seconds: 60,
  duration_unit: "seconds",
};

/** Returns the form in which dispositions are compared, but for their case. */
function normalizeDisposition(disposition: string): string {
  return disposition.replace(/[-_]/g, " ").trim();
}

/**
 * Returns dispositions as SQLite's lower() leaves them, which knows ASCII alone: beyond it one matches as configured,
 * in lower and in upper case.
 */
export function spellings(dispositions: readonly string[]): string[] {
  const texts = dispositions
    .map(normalizeDisposition)
    .flatMap((text) => [text, text.toLowerCase(), text.toUpperCase()])
    .map((text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));
  return [...new Set(texts)];
}
