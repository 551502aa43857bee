/** Why the facts of a call changed; see the table `fact_changes`. */
export const CHANGE_REASONS = ["late", "corrected", "gone", "returned", "rules", "first_call"] as const;
export type ChangeReason = (typeof CHANGE_REASONS)[number];
