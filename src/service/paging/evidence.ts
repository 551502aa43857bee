import type { OrderKey } from "./order-key.ts";
import type { Slice } from "./slice.ts";
import { endOf } from "./slice.ts";

/**
 * What showed the end of the calls. A short slice proves it (see `Chain`). Nothing behind the last call proves it only if
 * every count agrees; that is disputed if the last slice's `total` is higher. If known calls came again in the place of
 * nothing, it is not proven. A moving end was met again and again, each time in another place; or it moved while `total`
 * stood still.
 */
export type End = "unseen" | "short slice" | "nothing behind" | "disputed" | "repeated" | "moving";

/** What a verdict is based on. */
export interface Evidence {
  slices: number;
  /** Slices restored from an interrupted pass. */
  resumed: number;
  /** The first slice began at offset 0, by the service's own account. */
  startsAtFront: boolean;
  /** The keys by which every row of every slice is in order; the first is the pass's order key. */
  keys: readonly OrderKey[];
  /** The call that ruled out the last key, if none is left. */
  outOfPlace: number | undefined;
  end: End;
  /** The offset after the last call. */
  endsAt: number;
  /** Offsets between calls that were read, at which none came. */
  gaps: readonly Gap[];
  /** Under every key that is left, slices are joined by two keys from the start to the end, and again at the front. */
  isProven: boolean;
  /** Shared calls link the slices from the start to the end, and again at the front; weaker than `isProven`. */
  isLinked: boolean;
  /** The closing look met the first slice again. */
  isFrontMet: boolean;
  /** Calls of the first slice that the closing look met, and that it has to meet. */
  front: { met: number; needed: number };
  /** All pages that end before their `total` have the same length. */
  isOneLength: boolean;
  /** Seams that joined only when they were walked again. */
  seamsMended: number;
  /** Seams that share no call. */
  seamsBroken: number;
  /** Pages read in pieces, around a row that the service fails on. */
  fragmented: number;
  /** Calls no longer at the place where they had been read, though those around them were. */
  vanished: number;
  /** Slices of the closing look at the front; they are the last ones. */
  closing: number;
  /** Calls that only the closing look met. */
  closingOnly: number;
  /** Looks past the last call, which are no slices of the pass. */
  behind: readonly Behind[];
  /** Rows without a readable id. */
  unplaced: number;
  /** Why the first of them has none, if known. */
  unplacedReason?: string | undefined;
  /** Responses with a `request_id` that an earlier response had. */
  repeated: number;
  /** Responses that were out of date, as from a cache. */
  old: number;
  totals: Totals;
  /** An incremental walk reached calls that cannot have changed. */
  settled: boolean;
  /** Calls read so far; a call that reappears far away counts twice. */
  fresh: number;
}

export interface Gap {
  first: number;
  last: number;
}

export interface Behind extends Omit<Slice, "rows"> {
  /** How many slices there were before it. */
  after: number;
  rows: number;
  /** Rows that no slice before it had. */
  unseen: number;
  /** The offset at which its first row had been read, if that was on the first or the last slice. */
  repeats: number | undefined;
}

/** The service's `total` over the responses of a pass. */
export interface Totals {
  first: number;
  last: number;
  least: number;
  most: number;
  isConstant: boolean;
  /** Its largest fall below any earlier value. */
  fall: number;
  /** The sum of its falls from one response to the next. */
  falls: number;
  /** The sum of its rises from one response to the next. */
  rises: number;
  /** Responses with rows beyond their own `total`. */
  overruns: number;
}

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

/** Adds an earlier `total` from which the first one may have fallen. */
export function fallFrom(earlier: number, totals: Totals): Totals {
  const { most, least, fall } = totals;
  return { ...totals, most: Math.max(most, earlier), fall: Math.max(fall, earlier - least) };
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
