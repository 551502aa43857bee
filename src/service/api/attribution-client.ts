import { z } from "zod";
import { contractError } from "./api-errors.ts";
import type { ApiClient, Exchange, RequestOptions } from "./client.ts";
import { type ParsedRow, parseRow } from "./parse-row.ts";
import { type Envelope, parseContract } from "./response-envelope.ts";

/** API v3 § 8. */
const MAX_LIMIT = 1000;
/** Of calls only the name of their source is a member; the others are figures of the source (API v3 § 4.2). */
export const SORT_KEYS = [
  "source_name",
  "total_calls",
  "conversion_rate",
  "roi",
  "cost_per_conversion",
] as const;
export const SORT_ORDERS = ["asc", "desc"] as const;
/** The most rows that are read if the service ignores the limit. */
const MAX_ROWS = 10_000;

export interface AttributionQuery {
  /** 1 to {@link MAX_LIMIT}. */
  limit: number;
  offset: number;
  sort_by?: (typeof SORT_KEYS)[number] | undefined;
  sort_order?: (typeof SORT_ORDERS)[number] | undefined;
  /** The document leaves its type and meaning open: sent unchanged. */
  org_unit_id?: string | undefined;
}

/** One response: a slice of the visible calls. */
export interface AttributionPage {
  rows: readonly ParsedRow[];
  /** The service's count of all visible calls. */
  total: number;
  /** The limit that the service applied. */
  limit: number;
  /** The offset that the service applied. */
  offset: number;
  requestId: string | undefined;
  /** Time of the response by the service's clock; as served, ISO 8601 by the document. */
  timestamp?: string | undefined;
  exchange?: Exchange;
}

const dataSchema = z.object({
  calls: z.array(z.unknown()),
  total: z.int().min(0),
  limit: z.int().min(0),
  offset: z.int().min(0),
});

const PATH = "/v3/conversations/attribution-engine";

const REFUSED = {
  400: "Correct what the service names; --limit 100, for example, requests smaller pages.",
};

/** Reads one page of attributed calls (API v3 § 4.2). @throws ApiError */
export async function fetchAttributionPage(
  client: ApiClient,
  query: AttributionQuery,
  options: RequestOptions = {},
): Promise<AttributionPage> {
  const parse = (envelope: Envelope, exchange: Exchange) => parsePage(envelope, exchange, query);
  return await client.get(PATH, { ...query }, { parse, refusedHints: REFUSED }, options);
}

/** The same page, and its calls as served. */
export async function fetchServedPage(
  client: ApiClient,
  query: AttributionQuery,
  options: RequestOptions = {},
): Promise<AttributionPage & { served: readonly unknown[] }> {
  const parse = (envelope: Envelope, exchange: Exchange) => {
    const page = parsePage(envelope, exchange, query);
    return { ...page, served: page.rows.length === 0 ? [] : dataSchema.parse(envelope.data).calls };
  };
  return await client.get(PATH, { ...query }, { parse, refusedHints: REFUSED }, options);
}

function parsePage(
  { data, request_id, timestamp }: Envelope,
  exchange: Exchange,
  { limit, offset }: AttributionQuery,
): AttributionPage {
  const message = "The API's attribution data is not as documented";
  const served = Array.isArray(data) ? { calls: [], total: 0, limit, offset } : data;
  const { calls, ...place } = parseContract(dataSchema, served, message);
  if (calls.length > MAX_ROWS) {
    throw contractError(
      `The API returned ${calls.length} calls on one page, where ${MAX_LIMIT} at most were requested; up to ${MAX_ROWS} are read`,
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
