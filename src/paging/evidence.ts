import type { OrderKey } from "./order-key.ts";
import type { Slice } from "./slice.ts";
import { endOf } from "./slice.ts";

/** What a pass saw that speaks for or against its completeness. */
export interface Evidence {
  slices: number;
  /** Slices taken over from a pass that was cut short. */
  resumed: number;
  /** The first slice began at offset 0, by the service's own word. */
  startsAtFront: boolean;
  /** The keys that every row of every slice was in the order of; the first is the pass's order key. */
  keys: readonly OrderKey[];
  /** The call that ended the last key, where none is left. */
  outOfPlace: number | undefined;
  /**
   * How the end was seen: not at all; by a short slice, which proves it (see `Chain`); or by a look behind the last call that
   * found nothing, which proves it only where every count agrees, and is disputed where the last slice counts more.
   */
  end: "unseen" | "short slice" | "nothing behind" | "disputed";
  /** From where the reading began to its end, and back to the front, slices are joined by two keys: all that are left. */
  isProven: boolean;
  /** Whether the slices are linked from start to end and back to the front by shared calls, which is weaker than by two keys. */
  isLinked: boolean;
  /** The closing look at the front met a call of the pass again. */
  isFrontMet: boolean;
  /** Seams that did not join at first and were walked again. */
  seamsMended: number;
  /** Seams that share no call. */
  seamsBroken: number;
  /** Fragmented pages: read in pieces, around a row that the service fails on. */
  fragmented: number;
  /** Calls that were not where they had been read, though those around them were. */
  vanished: number;
  /** Calls that only the closing look met. */
  closingOnly: number;
  /** Rows without a readable id: their calls cannot be told from those that are missing. */
  unplaced: number;
  /** Responses with a `request_id` that was met before. */
  repeated: number;
  /** Responses that were old when they came. */
  old: number;
  totals: Totals;
  /** An incremental walk met calls that cannot have changed. */
  settled: boolean;
  /** Calls read so far; more than the distinct ones where some came up again far away. */
  fresh: number;
}

/** What a pass saw of the service's `total`. */
export interface Totals {
  first: number;
  last: number;
  least: number;
  most: number;
  /** Whether every response had the same. */
  isConstant: boolean;
  /** How far below an earlier one it fell at the most. */
  fall: number;
  /** All that it fell from one response to the next, together. */
  falls: number;
  /** All that it rose from one response to the next, together. */
  rises: number;
  /** Responses with rows beyond their own total. */
  overruns: number;
}

/** What is known of `total` before the second slice. */
export function firstTotals(total: number): Totals {
  return {
    first: total,
    last: total,
    least: total,
    most: total,
    isConstant: true,
    fall: 0,
    falls: 0,
    rises: 0,
    overruns: 0,
  };
}

export function observeTotal(before: Totals | undefined, slice: Slice): Totals {
  const { total } = slice;
  const { first, last, least, most, isConstant, fall, falls, rises, overruns } = before ?? firstTotals(total);
  return {
    first,
    last: total,
    least: Math.min(least, total),
    most: Math.max(most, total),
    isConstant: isConstant && total === first,
    fall: Math.max(fall, most - total),
    falls: falls + Math.max(0, last - total),
    rises: rises + Math.max(0, total - last),
    overruns: overruns + (slice.rows.length > 0 && endOf(slice) > total ? 1 : 0),
  };
}
