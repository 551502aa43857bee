export const GRAINS = ["day", "week", "month", "quarter"] as const;

/** Lengths of a period; weeks are those of ISO 8601, from Monday. */
export type Grain = (typeof GRAINS)[number];

/** What a period may stand beside: the stretch before, or the same dates a year before. */
export const COMPARISONS = ["previous", "year"] as const;

/** `days` is the stretch before as so many days, although the range begins or ends with a month. */
export type Comparison = (typeof COMPARISONS)[number] | "days";
