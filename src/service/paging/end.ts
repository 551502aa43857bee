import type { Behind, End } from "./evidence.ts";
import { endOf, type Slice } from "./slice.ts";

/** The last slice before a look past its last call, the look, and the slice after it. */
export interface LastResponses {
  before: Slice;
  look: Behind;
  after: Slice;
  /** Calls of the slice after the look that were not read before. */
  unseen: number;
  /** Whether pages are cut by their number of rows, and that slice has fewer. */
  isShort: boolean;
}

/**
 * Returns what the last responses of a pass show. Either nothing has moved: the look was right behind the last call, which
 * has the same place before and after. Or calls come and go, and `total` follows them: each slice ends exactly at its own
 * `total`, and a response at exactly its own `total` is empty. A call behind the last one would have to be missing in the
 * `total` of both slices, and be counted in that of the look.
 */
export function findEnd({ before, look, after, unseen, isShort }: LastResponses): End {
  const isMoving = before.total !== look.total || look.total !== after.total;
  const isLast = unseen === 0 && before.rows.at(-1)?.id === after.rows.at(-1)?.id;
  const isInPlace = endOf(before) === endOf(after) && look.offset === endOf(before);
  const isShifted = isMoving && look.rows > 0 && look.offset < look.total;
  if (isLast && isInPlace && !isShifted) return isShort ? "short slice" : endBy(after, look);
  const isCounted =
    look.rows === 0 && look.offset === look.total && endsAtTotal(before) && endsAtTotal(after);
  if (!isMoving || !isCounted) return "unseen";
  return isShort ? "short slice" : "nothing behind";
}

/** Returns what a look past the last slice shows, if it needs no slice after it. */
export function endBy(last: Slice, look: Behind): End {
  if (look.rows > 0) return "repeated";
  return endOf(last) >= last.total ? "nothing behind" : "disputed";
}

export function endsAtTotal(slice: Slice): boolean {
  return endOf(slice) === slice.total;
}
