import { z } from "zod";
import { UsageError } from "../base/errors.ts";
import { ApiError, contractError } from "./api-errors.ts";
import type { ApiClient, Exchange, RequestOptions } from "./client.ts";
import { cutPage, MAX_ROWS, PLACE } from "./cut-page.ts";
import { type ParsedRow, parseRow } from "./parse-row.ts";
import { type Envelope, parseContract, parseEnvelope } from "./response-envelope.ts";

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

/** Which slice of the visible calls a response holds. */
interface PagePlace {
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

/** One response: a slice of the visible calls. */
export interface AttributionPage extends PagePlace {
  rows: readonly ParsedRow[];
}

/** One response, its calls as they were served. */
export interface ServedPage extends PagePlace {
  /** The bytes of each call, if it was cut in the right places: otherwise one is not JSON. */
  served: readonly Buffer[];
  /** Starts the time that parsing them may take, and returns what throws an ApiError when it is over. */
  startDeadline: () => () => void;
  /**
   * Parses the response as a whole, which needs no cuts.
   *
   * @throws ApiError
   */
  parse: () => AttributionPage;
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

const PATH = "/v3/conversations/attribution-engine";

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
  return await client.getBody(PATH, checkQuery(query), parseWhole, options);
}

/**
 * Fetches one page, with the calls cut apart and not parsed yet where the response is written as most services write
 * JSON: most calls are as they were served before, and comparing one is several times faster than parsing it.
 */
export async function fetchServedPage(
  client: ApiClient,
  query: AttributionQuery,
  options: RequestOptions = {},
): Promise<AttributionPage | ServedPage> {
  const startDeadline = () => client.startDeadline();
  const parse = (body: Buffer, exchange: Exchange, assertInTime: () => void) =>
    cutServed(body, exchange, startDeadline) ?? parseWhole(body, exchange, assertInTime);
  return await client.getBody(PATH, checkQuery(query), parse, options);
}

function parseWhole(body: Buffer, exchange: Exchange, assertInTime: () => void): AttributionPage {
  const envelope = parseEnvelope(body.toString());
  const data = parseData(envelope);
  if (data.calls.length > MAX_ROWS) throw tooManyRows(data.calls.length);
  const rows = data.calls.map((row) => {
    assertInTime();
    return parseRow(row);
  });
  return { ...placeOf(envelope, data), exchange, rows };
}

function cutServed(
  body: Buffer,
  exchange: Exchange,
  startDeadline: ServedPage["startDeadline"],
): ServedPage | undefined {
  const cut = cutPage(body);
  if (cut === undefined) return undefined;
  try {
    const envelope = parseEnvelope(cut.frame);
    const data = parseData(envelope);
    const isFramed = data.calls.length === 1 && data.calls[0] === PLACE;
    if (!isFramed) return undefined;
    return {
      ...placeOf(envelope, data),
      exchange,
      served: cut.rows,
      startDeadline,
      parse: () => parseWhole(body, exchange, startDeadline()),
    };
  } catch (error) {
    // Cut in the wrong places, or wrong as a whole: parsing it uncut tells.
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function tooManyRows(rows: number): ApiError {
  const message = `The API returned ${rows} calls on one page, where ${MAX_LIMIT} at most were asked for; up to ${MAX_ROWS} are read`;
  return contractError(message, { transient: false });
}

function parseData(envelope: Envelope) {
  return parseContract(dataSchema, envelope.data, "The API's attribution data is not as documented");
}

function placeOf(
  { request_id, timestamp }: Envelope,
  { total, limit, offset }: z.infer<typeof dataSchema>,
): PagePlace {
  return {
    total,
    limit,
    offset,
    requestId: request_id ?? undefined,
    timestamp: timestamp ?? undefined,
  };
}

function checkQuery(query: AttributionQuery) {
  const result = querySchema.safeParse(query);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new UsageError(`Cannot ask for attribution data: ${issue?.path.join(".")}: ${issue?.message}`);
}
