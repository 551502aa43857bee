import { z } from "zod";
import { contractError } from "./api-errors.ts";
import type { ApiClient, Exchange, RequestOptions } from "./client.ts";
import { type ParsedRow, parseRow } from "./parse-row.ts";
import { type Envelope, parseContract } from "./response-envelope.ts";

/** Rows of one page at most (API v3 § 8). */
const MAX_LIMIT = 1000;
/** Rows of one page that are read: ten times as many, if the service heeds no limit. */
const MAX_ROWS = 10_000;

export interface AttributionQuery {
  /** 1 to {@link MAX_LIMIT}. */
  limit: number;
  /** Calls to skip, 0 or more. */
  offset: number;
  /** The one documented key that is of calls; the others are figures of their sources. */
  sort_by?: "source_name";
  sort_order?: "asc" | "desc";
  /** The document leaves its type and meaning open: sent as it is given. */
  org_unit_id?: string | undefined;
}

/** One response: a slice of the visible calls. */
export interface AttributionPage {
  rows: readonly ParsedRow[];
  /** All visible calls, as counted by the service. */
  total: number;
  /** The limit the service applied. */
  limit: number;
  /** The offset the service applied. */
  offset: number;
  requestId: string | undefined;
  /** When the service responded, by its own clock; as served, ISO 8601 by the document. */
  timestamp?: string | undefined;
  /** When and how the response came. */
  exchange?: Exchange;
}

const dataSchema = z.object({
  calls: z.array(z.unknown()),
  total: z.int().min(0),
  limit: z.int().min(0),
  offset: z.int().min(0),
});

const PATH = "/v3/conversations/attribution-engine";

/**
 * Reads one page of attributed calls (API v3 § 4.2).
 *
 * @throws ApiError
 */
export async function fetchAttributionPage(
  client: ApiClient,
  query: AttributionQuery,
  options: RequestOptions = {},
): Promise<AttributionPage> {
  return await client.get(PATH, { ...query }, parsePage, options);
}

function parsePage({ data, request_id, timestamp }: Envelope, exchange: Exchange): AttributionPage {
  const message = "The API's attribution data is not as documented";
  const { calls, ...place } = parseContract(dataSchema, data, message);
  if (calls.length > MAX_ROWS) {
    throw contractError(
      `The API returned ${calls.length} calls on one page, where ${MAX_LIMIT} at most were asked for; up to ${MAX_ROWS} are read`,
      { transient: false },
    );
  }
  return {
    ...place,
    requestId: request_id ?? undefined,
    timestamp: timestamp ?? undefined,
    exchange,
    rows: calls.map(parseRow),
  };
}
