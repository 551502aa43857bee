import type { AttributionRules } from "../attribution/attribution-rules.ts";

export interface DurationBand {
  /** Null for calls without a duration. */
  from_seconds: number | null;
  /** Exclusive; null for the longest band. */
  to_seconds: number | null;
  calls: number;
  answered_calls: number;
  missed_calls: number;
}

const BOUNDS_SECONDS = [0, 30, 60, 120, 300, 600, 1800];

/** Returns the lower bounds in seconds; one of them is that of qualified calls. */
export function durationBounds({ qualified_seconds }: Pick<AttributionRules, "qualified_seconds">): number[] {
  return [...new Set([...BOUNDS_SECONDS, qualified_seconds])].toSorted((a, b) => a - b);
}
