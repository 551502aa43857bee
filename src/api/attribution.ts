import { z } from "zod";
import { UsageError } from "../errors.ts";
import type { ApiClient, RequestOptions } from "./client.ts";
import { parseContract } from "./envelope.ts";
import { type ParsedRow, parseRow } from "./parse.ts";

export const SORT_KEYS = [
  "source_name",
  "total_calls",
  "conversion_rate",
  "roi",
  "cost_per_conversion",
] as const;
export const SORT_ORDERS = ["asc", "desc"] as const;

/** Rows of one page at most (API v3 § 8). */
const MAX_LIMIT = 1000;

/** Query of Get Marketing Attribution Data (API v3 § 4.2). */
export interface AttributionQuery {
  /** 1 to {@link MAX_LIMIT}. */
  limit: number;
  /** Calls to skip, 0 or more. */
  offset: number;
  sort_by?: (typeof SORT_KEYS)[number] | undefined;
  sort_order?: (typeof SORT_ORDERS)[number] | undefined;
  /** The document leaves its type and meaning open: sent as it is given. */
  org_unit_id?: string | undefined;
}

/** One answer: a slice of the visible calls. */
export interface AttributionPage {
  rows: readonly ParsedRow[];
  /** All visible calls, as counted by the service. */
  total: number;
  /** The limit the service applied. */
  limit: number;
  /** The offset the service applied. */
  offset: number;
  requestId: string | undefined;
  /** When the service answered, by its own clock; as served, ISO 8601 by the document. */
  timestamp?: string | undefined;
}

const querySchema = z.object({
  limit: z.int().min(1).max(MAX_LIMIT),
  offset: z.int().min(0),
  sort_by: z.enum(SORT_KEYS).optional(),
  sort_order: z.enum(SORT_ORDERS).optional(),
  org_unit_id: z.string().trim().min(1).optional(),
});

const dataSchema = z.object({
  calls: z.array(z.unknown()),
  total: z.int().min(0),
  limit: z.int().min(0),
  offset: z.int().min(0),
});

/**
 * Reads one page of attributed calls (API v3 § 4.2).
 *
 * @throws UsageError before anything is sent, when the query is out of bounds
 * @throws ApiError
 */
export async function fetchAttributionPage(
  client: ApiClient,
  query: AttributionQuery,
  options: RequestOptions = {},
): Promise<AttributionPage> {
  return await client.get(
    "/v3/conversations/attribution-engine",
    checkQuery(query),
    (envelope) => {
      const data = parseContract(
        dataSchema,
        envelope.data,
        "The API's attribution data is not as documented",
      );
      return {
        rows: data.calls.map(parseRow),
        total: data.total,
        limit: data.limit,
        offset: data.offset,
        requestId: envelope.request_id ?? undefined,
        timestamp: envelope.timestamp ?? undefined,
      };
    },
    options,
  );
}

function checkQuery(query: AttributionQuery) {
  const result = querySchema.safeParse(query);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new UsageError(`Cannot ask for attribution data: ${issue?.path.join(".")}: ${issue?.message}`);
}
