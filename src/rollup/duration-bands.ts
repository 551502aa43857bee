import type { AttributionRules } from "../attribution/attribution-rules.ts";

export interface DurationBand {
  /** Shortest duration in seconds; null for calls without a duration. */
  from_seconds: number | null;
  /** Not part of it; null where it is open. */
  to_seconds: number | null;
  calls: number;
  answered_calls: number;
  missed_calls: number;
}

const BOUNDS_SECONDS = [0, 30, 60, 120, 300, 600, 1800];

/** Returns where bands begin, in seconds: a qualified call is never in one band with a shorter one. */
export function durationBounds({ qualified_seconds }: Pick<AttributionRules, "qualified_seconds">): number[] {
  return [...new Set([...BOUNDS_SECONDS, qualified_seconds])].toSorted((a, b) => a - b);
}
