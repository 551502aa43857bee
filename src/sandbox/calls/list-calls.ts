import { z } from "zod";
import { deriveSeed, seededRandom, shuffle } from "../random.ts";
import { digits, parseRequest, type SandboxContext, succeed } from "../sandbox-envelope.ts";
import type { SandboxSettings } from "../sandbox-options.ts";
import type { SandboxCalls, WireCall } from "./call-store.ts";
import { DISPOSITIONS } from "./vocabulary.ts";

/** The query parameters of § 4.2; an org_unit_id that is not a whole number filters nothing. */
const attributionQuery = z.object({
  limit: digits.pipe(z.int().min(1).max(1000)).default(100),
  offset: digits.default(0),
  sort_by: z.enum(["source_name", "total_calls", "conversion_rate", "roi", "cost_per_conversion"]).optional(),
  sort_order: z.enum(["asc", "desc"]).default("desc"),
  org_unit_id: digits.optional().catch(undefined),
});

type SortKey = NonNullable<z.output<typeof attributionQuery>["sort_by"]>;

/** Get Marketing Attribution Data (API v3 § 4.2). */
export function listCalls(calls: SandboxCalls, settings: SandboxSettings) {
  const { seed, order, pageCap = Number.POSITIVE_INFINITY } = settings;
  const random = seededRandom(deriveSeed(seed, "reshuffle"));
  return (context: SandboxContext): Response => {
    const query = parseRequest(attributionQuery, context.req.query());
    const { offset, org_unit_id, sort_by, sort_order } = query;
    const limit = Math.min(query.limit, pageCap);
    const all = order === "random" ? shuffle(random, calls.ids) : calls.ids;
    const selected =
      org_unit_id === undefined ? all : all.filter((id) => calls.facets(id)?.org_unit_id === org_unit_id);
    const groups =
      sort_by === undefined ? selected.map((id) => [id]) : groupSources(calls, selected, sort_by);
    // Sources are grouped in ascending order; without a key, "desc" is the calls' own order.
    if (sort_order === (sort_by === undefined ? "asc" : "desc")) groups.reverse();
    const ids = groups.flat();
    const page = ids.slice(offset, offset + limit).map((id) => calls.get(id));
    return succeed(context, { calls: page, total: ids.length, limit, offset });
  };
}

/** The API's document defines none of these figures: here a conversion is an answered call, and the money is made up. */
function groupSources(calls: SandboxCalls, ids: readonly number[], key: SortKey): number[][] {
  const rows = ids.map((id) => ({ id, facets: calls.facets(id) }));
  return [...Map.groupBy(rows, ({ facets }) => nameOf(facets?.insight_name))]
    .map(([name, group]) => {
      const conversions = group.filter(({ facets }) => CONVERTED.has(facets?.disposition)).length;
      const cost = 500 + amountOf(name, "cost", 4500);
      const revenue = conversions * (20 + amountOf(name, "revenue", 180));
      const figures = {
        source_name: name,
        total_calls: group.length,
        conversion_rate: conversions / group.length,
        roi: (revenue - cost) / cost,
        cost_per_conversion: cost / Math.max(1, conversions),
      };
      return { name, figure: figures[key], ids: group.map(({ id }) => id) };
    })
    .sort((one, other) => compare(one.figure, other.figure) || compare(one.name, other.name))
    .map((group) => group.ids);
}

const CONVERTED: ReadonlySet<unknown> = new Set(
  DISPOSITIONS.filter(({ isAnswered }) => isAnswered).map(({ spelling }) => spelling),
);

/** The name of a source for sorting; a test may have made it any JSON, or removed it. */
function nameOf(insightName: WireCall[string]): string {
  return typeof insightName === "string" ? insightName : `${JSON.stringify(insightName)}`;
}

/** A made-up whole amount from 0 to `below`, always the same for a source. */
function amountOf(sourceName: string, what: string, below: number): number {
  return (deriveSeed(0, `${what} of ${sourceName}`) >>> 0) % below;
}

function compare(one: number | string, other: number | string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
