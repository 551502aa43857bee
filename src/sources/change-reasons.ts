/** Why the facts of a call, or what it earned, changed; see the table `fact_changes`. */
export const CHANGE_REASONS = [
  "late",
  "corrected",
  "gone",
  "returned",
  "rules",
  "first_call",
  "outcomes_changed",
] as const;
export type ChangeReason = (typeof CHANGE_REASONS)[number];
