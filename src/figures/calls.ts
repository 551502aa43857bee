import type { Codes } from "./key-table.ts";
import type { CountPart } from "./parts.ts";

/** The calls of a span as columns, a row for each call. Columns that no figure needs are empty. */
export interface Calls {
  rows: number;
  /** The sum of the call's {@link MARKS}. */
  marks: Uint8Array;
  /** In the stored unit; {@link NO_DURATION} for none. */
  durations: Int32Array;
  /** Milliseconds since 1970; NaN if unknown. */
  startsMs: Float64Array;
  /** A number for each caller, from 1 to `maxCaller`; 0 for none. */
  callers: Codes;
  maxCaller: number;
}

/** Less than all durations. */
export const NO_DURATION = -(2 ** 31);

export const MARKS = { answered: 1, missed: 2, other: 4, qualified: 8, first: 16, in_hours: 32 } as const;

/** The marks that a call must have to count. */
export const MARKS_OF: Readonly<Record<CountPart, number>> = {
  calls: 0,
  answered_calls: MARKS.answered,
  missed_calls: MARKS.missed,
  other_calls: MARKS.other,
  qualified_calls: MARKS.qualified,
  first_calls: MARKS.first,
  calls_in_hours: MARKS.in_hours,
  answered_in_hours: MARKS.in_hours + MARKS.answered,
  missed_in_hours: MARKS.in_hours + MARKS.missed,
};
