export const GRAINS = ["day", "week", "month"] as const;

/** Lengths of a period; weeks are those of ISO 8601, from Monday. */
export type Grain = (typeof GRAINS)[number];

/** What a period may stand beside: the stretch before, or the same dates a year before. */
export const COMPARISONS = ["previous", "year"] as const;
export type Comparison = (typeof COMPARISONS)[number];
