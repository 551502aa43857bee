/** How far a job came that a call led to; the furthest last. */
export const STAGES = ["lost", "booked", "sold"] as const;
export type Stage = (typeof STAGES)[number];
export const NO_OUTCOME = "none";

/**
 * Which calls count. For lists, one matching value is enough. Case does not matter. `(not set)` matches calls without a
 * value.
 */
export interface CallFilter {
  /** Names or ids of org units. */
  org_unit?: readonly string[];
  channel?: readonly string[];
  /** As in the dimension `source`. */
  source?: readonly string[];
  /** Names as in the dimension `campaign`, or ids. */
  campaign?: readonly string[];
  /** `-` and `_` do not matter. */
  disposition?: readonly string[];
  /** As in the dimension `topic`. */
  topic?: readonly string[];
  /** How far their jobs came; `none` for calls without one. */
  outcome?: readonly (Stage | typeof NO_OUTCOME)[];
  min_duration_seconds?: number;
  /** Only callers' first calls in the warehouse. */
  first_time?: true;
  has_gclid?: true;
  /** Compared by digits; text that is not a number, as text. */
  tracking_number?: readonly string[];
  /** Phone numbers whose calls are left out, with their country codes. */
  exclude_callers?: readonly string[];
  /** Also counts calls that the service no longer lists. */
  include_gone?: true;
}
