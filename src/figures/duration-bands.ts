import { NO_DURATION } from "./calls.ts";
import type { Codes } from "./key-table.ts";

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
export function durationBounds({ qualified_seconds }: { qualified_seconds: number }): number[] {
  return [...new Set([...BOUNDS_SECONDS, qualified_seconds])].toSorted((a, b) => a - b);
}

/** Returns a code for each call: 0 without a duration, else one more than the number of bounds that it reaches. */
export function bandCodes(durations: Int32Array, bounds: readonly number[]): Codes {
  return durations.map((duration) =>
    duration === NO_DURATION
      ? 0
      : 1 + bounds.reduce((reached, bound) => reached + Number(duration >= bound), 0),
  );
}
