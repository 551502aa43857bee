import { Hono } from "hono";
import { z } from "zod";
import type { SandboxCalls } from "./calls.ts";
import { fail, type SandboxEnv, succeed } from "./envelope.ts";
import { deriveSeed, seededRandom, shuffle } from "./random.ts";

export const ATTRIBUTION_PATH = "/v3/conversations/attribution-engine";
const SORT_KEYS = ["source_name", "total_calls", "conversion_rate", "roi", "cost_per_conversion"] as const;

const digits = z.string().regex(/^\d+$/, "must be a whole number").transform(Number);

const querySchema = z.object({
  limit: digits.pipe(z.int().min(1).max(1000)).default(100),
  offset: digits.pipe(z.int()).default(0),
  sort_by: z.enum(SORT_KEYS).optional(),
  sort_order: z.enum(["asc", "desc"]).default("desc"),
  // The API accepts org_unit_id and shows neither its type nor its meaning. Here a number selects the calls
  // of that org unit, and anything else selects nothing away.
  org_unit_id: digits.optional().catch(undefined),
});

type Query = z.output<typeof querySchema>;

interface AttributionOptions {
  readonly calls: SandboxCalls;
  readonly seed: number;
  /** Deal out the calls in a new random order with every request. */
  readonly reshuffle: boolean;
  /** The most rows a page holds, whatever `limit` asks for. */
  readonly pageCap: number | undefined;
}

/** Get Marketing Attribution Data (API v3 § 4.2). */
export function attributionRoutes(options: AttributionOptions): Hono<SandboxEnv> {
  const { calls, reshuffle, pageCap = Number.POSITIVE_INFINITY } = options;
  const random = seededRandom(deriveSeed(options.seed, "reshuffle"));

  return new Hono<SandboxEnv>().all(ATTRIBUTION_PATH, (context) => {
    // Hono hands HEAD to the routes for GET; the API shows no HEAD.
    if (context.req.method !== "GET") {
      context.header("Allow", "GET");
      return fail(context, 405, "Method not allowed");
    }
    const query = querySchema.safeParse(context.req.query());
    if (!query.success) return fail(context, 400, describe(query.error));

    const { offset } = query.data;
    const limit = Math.min(query.data.limit, pageCap);
    const ids = select(calls, reshuffle ? shuffle(random, calls.ids) : calls.ids, query.data);
    const page = ids.slice(offset, offset + limit).map((id) => calls.get(id));
    return succeed(context, { calls: page, total: ids.length, limit, offset });
  });
}

/**
 * Filters and orders the ids as the query asks. Only source_name says something of a single call: the other
 * sort keys belong to aggregates, so they leave the order alone, and so does a sort_order without a key.
 */
function select(calls: SandboxCalls, ids: number[], query: Query): number[] {
  const { org_unit_id, sort_by, sort_order } = query;
  const selected =
    org_unit_id === undefined ? ids : ids.filter((id) => calls.facets(id)?.org_unit_id === org_unit_id);
  if (sort_by !== "source_name") return selected;

  const bySource = Map.groupBy(selected, (id) => String(calls.facets(id)?.insight_name));
  const names = [...bySource.keys()].sort();
  if (sort_order === "desc") names.reverse();
  return names.flatMap((name) => bySource.get(name) ?? []);
}

function describe(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("; ");
}
