import { ApiError, reword } from "../service/api/api-errors.ts";
import {
  type AttributionPage,
  type AttributionQuery,
  fetchAttributionPage,
} from "../service/api/attribution-client.ts";
import type { ApiClient } from "../service/api/client.ts";
import { idOf, type ParsedRow } from "../service/api/parse-row.ts";
import type { Sort } from "../service/paging/order-key.ts";
import type { FetchSlice } from "../service/paging/prefetch.ts";
import type { Row, Slice } from "../service/paging/slice.ts";
import type { Throttle } from "../service/paging/throttle.ts";
import type { Source } from "../service/paging/walk.ts";
import { ServiceClock } from "./service-clock.ts";

const PIECE_ATTEMPTS = 3;
/** Rows of one page that the service may fail on before the page itself fails. */
const MAX_BAD_ROWS = 5;

type FetchPage = (offset: number, limit: number, attempts?: number) => Promise<AttributionPage>;

export interface FetchOptions {
  limit: number;
  /** @default all units */
  orgUnitId?: string | undefined;
  throttle: Throttle;
  signal?: AbortSignal | undefined;
}

export interface PageSlice extends Slice {
  page: AttributionPage;
}

export function toSlice(page: AttributionPage, isOld = false): PageSlice {
  const { offset, total, requestId } = page;
  return { offset, total, rows: page.rows.map(toWalkRow), requestId, isOld, page };
}

function toWalkRow(row: ParsedRow): Row {
  if ("rejected" in row) return { id: row.rejected.call_id, started: null, name: null, isRejected: true };
  const { call_id, call_started, insight_name } = row.call;
  return { id: call_id, started: call_started, name: insight_name };
}

/** Treats any API error as "sorting not supported"; if the service does not respond at all, the next request fails as well. */
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError;
}

/** How many rows pages have. */
export interface PageSize {
  /** Rows to ask for. */
  rows: number;
  /** What it became because larger pages fail, as at a gateway with a limit of time. */
  lowered?: number | undefined;
}

export function createSource(
  client: ApiClient,
  options: FetchOptions,
  clock = new ServiceClock(null),
  size: PageSize = { rows: options.limit },
): Source<PageSlice> {
  return { fetch: (sort) => createFetch(client, options, sort, { clock, size }), isRefusal };
}

function sortQuery(sort: Sort): Pick<AttributionQuery, "sort_by" | "sort_order"> {
  if (sort === "own") return {};
  return { sort_by: "source_name", sort_order: "asc" };
}

/**
 * Returns a function that fetches a page. If a page keeps failing while the service responds to others, it is read in ever
 * smaller pieces. Either the service fails on some rows, which are reported as rejected; or it fails on pages of that size,
 * and the first piece is the page, as all later ones are no larger.
 */
function createFetch(
  client: ApiClient,
  { orgUnitId, throttle, signal }: FetchOptions,
  sort: Sort,
  { clock, size }: { clock: ServiceClock; size: PageSize },
): FetchSlice<PageSlice> {
  let lastOffset: number | undefined;
  return async (offset, walkSignal) => {
    const limit = size.rows;
    const options = { signal: signal ? AbortSignal.any([signal, walkSignal]) : walkSignal };
    const fetchPage: FetchPage = (offset, limit, attempts) =>
      fetchAttributionPage(
        client,
        { limit, offset, ...sortQuery(sort), org_unit_id: orgUnitId },
        { ...options, ...(attempts && { attempts }) },
      );
    try {
      const page = await fetchPage(offset, limit);
      lastOffset = Math.max(lastOffset ?? 0, offset);
      throttle.succeeded();
      return toSlice(page, clock.isOld(page));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const isInPieces =
        limit > 1 && mayBeOneRow(error) && (await respondsElsewhere(fetchPage, offset + limit));
      if (!isInPieces) throw nameBound(error, { offset, limit }, lastOffset);
      const pieces = await fetchInPieces(fetchPage, offset, limit, error);
      if (pieces.slice !== undefined) return pieces.slice;
      if (pieces.rows < size.rows) size.lowered = size.rows = pieces.rows;
      return toSlice(pieces.first, clock.isOld(pieces.first));
    }
  };
}

/**
 * Adds a hint to an error whose offset may be too high for the service.
 *
 * @param lastOffset the highest offset that the service accepted
 */
function nameBound(
  error: ApiError,
  { offset, limit }: Pick<AttributionQuery, "offset" | "limit">,
  lastOffset: number | undefined,
): ApiError {
  if (error.status !== 400 || lastOffset === undefined || offset <= lastOffset) return error;
  return reword(error, error.message, {
    hint: `The service took offset ${lastOffset} and refuses ${offset} (limit ${limit}): it may not list calls beyond a limit. Ask its support to raise it, or sync each organization unit into its own warehouse (setting org_unit_id).`,
  });
}

/** Whether one row of the page may have caused the failure, and not the service or the network. */
function mayBeOneRow(error: unknown): error is ApiError {
  if (!(error instanceof ApiError) || error.unsent) return false;
  // The service asked for a longer pause than a run waits.
  if (error.retryAfterMs !== undefined && !error.transient) return false;
  return error.status === undefined || error.status >= 500 || error.status === 200;
}

/** Tries the front and the offset behind the page, since the row that the service fails on may be the first of the list. */
async function respondsElsewhere(fetchPage: FetchPage, behind: number): Promise<boolean> {
  return (await respondsAt(0, fetchPage)) || (await respondsAt(behind, fetchPage));
}

async function respondsAt(offset: number, fetchPage: FetchPage): Promise<boolean> {
  try {
    await fetchPage(offset, 1, 1);
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** A page put together around bad rows; or its first piece, and the largest one that did not fail. */
type Pieces = { slice: PageSlice } | { slice?: undefined; first: AttributionPage; rows: number };

/** Halves the pieces after each failure, and doubles them after each success up to what has failed. */
async function fetchInPieces(
  fetchPage: FetchPage,
  offset: number,
  limit: number,
  cause: ApiError,
): Promise<Pieces> {
  const rows: ParsedRow[] = [];
  const end = offset + limit;
  let total = 0;
  let badRows = 0;
  /** Bad rows before the first one read. */
  let leading = 0;
  // The service may have been down for a while.
  let size = limit;
  let failed = limit;
  let first: AttributionPage | undefined;
  let largest = 0;
  for (let position = offset; position < end; ) {
    const pieceSize = Math.min(size, end - position);
    try {
      const piece = await fetchPage(position, pieceSize, pieceSize === limit ? 1 : PIECE_ATTEMPTS);
      first ??= piece;
      largest = Math.max(largest, pieceSize);
      total = piece.total;
      rows.push(...piece.rows);
      if (piece.rows.length === 0) break;
      position += piece.rows.length;
      size = Math.min(size * 2, Math.ceil(failed / 2));
    } catch (error) {
      if (!mayBeOneRow(error)) throw error;
      if (pieceSize > 1) {
        failed = pieceSize;
        size = Math.floor(pieceSize / 2);
        continue;
      }
      failed = limit;
      if (++badRows > MAX_BAD_ROWS) throw cause;
      // The page before ends with this row as well, and shows which call it follows.
      if (rows.length === 0 && offset > 0) leading++;
      else rows.push(undelivered(position, rows, error));
      position++;
    }
  }
  if (badRows === 0 && first !== undefined) return { first, rows: largest };
  const slice = toSlice({ rows, total, limit, offset, requestId: undefined });
  const before = Array.from({ length: leading }, () => ({ id: null, started: null, name: null }));
  return { slice: { ...slice, rows: [...before, ...slice.rows], fragmented: true } };
}

/** Returns a rejected row that is identified by the call before it, since its offset changes with every new call. */
function undelivered(offset: number, before: readonly ParsedRow[], error: ApiError): ParsedRow {
  const known = before.findLastIndex((row) => idOf(row) !== null);
  const neighbour = before[known];
  const place = {
    undelivered_after_call_id: neighbour === undefined ? null : idOf(neighbour),
    rows_after: before.length - known,
  };
  const rejected = {
    call_id: null,
    json: JSON.stringify(place),
    path: "",
    reason: `the service fails on the row at offset ${offset}: ${error.message}`,
  };
  return { rejected };
}
