/** A contiguous run of the visible calls, as one answer gave it. */
export interface Slice {
  /** Position of its first call, counted from 0. */
  offset: number;
  /** All visible calls at that moment, as the service counted them. */
  total: number;
  /** Its calls in order; null where a row was too bad to tell its identifier. */
  ids: readonly (number | null)[];
  /** Whether it was put together from several answers, and so is not of one moment. */
  torn?: boolean;
}

/** Position after the slice's last call. */
export function endOf(slice: Slice): number {
  return slice.offset + slice.ids.length;
}

/** Whether the slice goes up to the end of the calls by its own total. */
export function reachesTotal(slice: Slice): boolean {
  return endOf(slice) >= slice.total;
}

/** Whether two slices have a call in common: then no call that stayed visible can lie between them unread. */
export function sharesCall(left: Slice, right: Slice): boolean {
  const ids = new Set(left.ids);
  return right.ids.some((id) => id !== null && ids.has(id));
}

/** Rows that the next slice repeats, so that the two are joined; never so many that it brings nothing new. */
export function overlapOf(size: number, overlap: number): number {
  return Math.min(overlap, Math.max(1, Math.floor(size / 2)));
}
