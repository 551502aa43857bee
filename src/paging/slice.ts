/** What the walk needs to know of one call: its identifier, and the members that an order may be made of. */
export interface Row {
  /** Null where the row was too bad to tell it: such a row is unplaced. */
  id: number | null;
  /** `call_started`, ISO 8601 UTC with milliseconds, so that text order is time order. */
  started: string | null;
  /** `insight_name`: the source. */
  name: string | null;
  /** Whether no more than the identifier could be read: where it stands in an order is not known. */
  isRejected?: boolean;
}

/** A contiguous run of the visible calls, as one response gave it. */
export interface Slice {
  /** Position of its first call, counted from 0, by the service's own word. */
  offset: number;
  /** All visible calls at that moment, as the service counted them. */
  total: number;
  /** Its calls, in order. */
  rows: readonly Row[];
  /** Whether the page is fragmented: put together from several responses, and so not from one moment. */
  fragmented?: boolean;
  /** The service's identifier of the request: unique, unless a cache answered. */
  requestId?: string | undefined;
  /** Whether the response was old when it came, as from a cache. */
  isOld?: boolean | undefined;
}

/** Position after the slice's last call. */
export function endOf(slice: Slice): number {
  return slice.offset + slice.rows.length;
}

/** Whether the slice goes up to the end of the calls by its own total. */
export function reachesTotal(slice: Slice): boolean {
  return endOf(slice) >= slice.total;
}

/**
 * Rows that the next slice repeats, so that the two share calls of two keys at least; never so many that it brings
 * nothing new, which leaves one for a page of two.
 */
export function overlapOf(size: number, overlap: number): number {
  return Math.min(overlap, Math.max(Math.min(2, size - 1), Math.floor(size / 2), 1));
}
