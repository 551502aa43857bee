export const GRAINS = ["day", "week", "month", "quarter"] as const;

/** Lengths of a period. Weeks are ISO 8601 weeks, from Monday. */
export type Grain = (typeof GRAINS)[number];

/** What a period is compared with: the time just before, or the same dates a year earlier. */
export const COMPARISONS = ["previous", "year"] as const;

/** `days` compares with as many days before, even if the range begins or ends with a month. */
export type Comparison = (typeof COMPARISONS)[number] | "days";
