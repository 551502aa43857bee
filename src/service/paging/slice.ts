/** One call on a page: its id and the members that an order key may use. */
export interface Row {
  /** Null if it cannot be read: the row is then unplaced. */
  id: number | null;
  /** `call_started`, ISO 8601 UTC with milliseconds, so that text order is time order. */
  started: string | null;
  /** `insight_name`. */
  name: string | null;
  /** Whether only the id could be read, so that the place of the row in an order is unknown. */
  isRejected?: boolean;
}

/** A contiguous part of the list of calls, from one response. */
export interface Slice {
  /** Position of its first call, from 0, by the service's own account. */
  offset: number;
  /** Calls in the whole list at that moment, as the service counted them. */
  total: number;
  rows: readonly Row[];
  /** Whether the page was put together from several responses, and so is not from one moment. */
  fragmented?: boolean;
  /** The service's id of the request; unique unless a cache responded. */
  requestId?: string | undefined;
  /** Whether the response was out of date, as from a cache. */
  isOld?: boolean | undefined;
}

export function endOf(slice: Slice): number {
  return slice.offset + slice.rows.length;
}

export function reachesTotal(slice: Slice): boolean {
  return endOf(slice) >= slice.total;
}

/** Returns how many rows the next slice repeats: at most half a page or two rows, and one row of a page of two. */
export function overlapOf(size: number, overlap: number): number {
  return Math.min(overlap, Math.max(Math.min(2, size - 1), Math.floor(size / 2), 1));
}
