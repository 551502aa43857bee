import type { Codes } from "./key-table.ts";

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
