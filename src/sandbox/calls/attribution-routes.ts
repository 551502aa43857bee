import { createRoute, OpenAPIHono } from "@hono/zod-openapi";
import { BEARER_SECURITY, digits, responsesOf } from "../contract.ts";
import { deriveSeed, seededRandom, shuffle } from "../random.ts";
import { type SandboxEnv, succeed } from "../sandbox-envelope.ts";
import { type AttributionQuery, attributionData, attributionQuery } from "./attribution-schema.ts";
import type { SandboxCalls } from "./call-store.ts";
import { sortCalls } from "./sort-calls.ts";

export const attributionRoute = createRoute({
  method: "get",
  path: "/v3/conversations/attribution-engine",
  operationId: "getMarketingAttributionData",
  tags: ["Conversation"],
  summary: "Get Marketing Attribution Data",
  description:
    "Lists calls that have DNI session data; calls without DNI tracking are excluded. DNI tracking must already be configured through the service's web portal. Not documented: what counts as DNI session data. In the sandbox it is a dni_data in which some member has a value. Not documented: the order of the calls, and whether it is stable.",
  security: BEARER_SECURITY,
  request: { query: attributionQuery },
  responses: responsesOf(attributionData, { 200: "A page of calls.", 400: "Request invalid." }),
});

interface AttributionOptions {
  readonly calls: SandboxCalls;
  readonly seed: number;
  /** Deal out the calls in a new random order with every request. */
  readonly reshuffle: boolean;
  /** The most rows a page holds, whatever `limit` asks for. */
  readonly pageCap: number | undefined;
}

/** Get Marketing Attribution Data (API v3 § 4.2). */
export function attributionApp(options: AttributionOptions): OpenAPIHono<SandboxEnv> {
  const { calls, reshuffle, pageCap = Number.POSITIVE_INFINITY } = options;
  const random = seededRandom(deriveSeed(options.seed, "reshuffle"));

  return new OpenAPIHono<SandboxEnv>().openapi(attributionRoute, (context) => {
    const query = context.req.valid("query");
    const { offset } = query;
    const limit = Math.min(query.limit, pageCap);
    const ids = select(calls, reshuffle ? shuffle(random, calls.ids) : calls.ids, query);
    const page = ids.slice(offset, offset + limit).map((id) => calls.get(id));
    return succeed(context, { calls: page, total: ids.length, limit, offset });
  });
}

/** Filters and orders the ids as the query asks. */
function select(calls: SandboxCalls, ids: number[], query: AttributionQuery): number[] {
  const { data: orgUnit } = digits.safeParse(query.org_unit_id);
  const selected =
    orgUnit === undefined ? ids : ids.filter((id) => calls.facets(id)?.org_unit_id === orgUnit);
  return sortCalls(calls, selected, query);
}
