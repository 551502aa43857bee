import { deriveSeed } from "../random.ts";
import type { AttributionQuery } from "./attribution-schema.ts";
import type { SandboxCalls, WireCall } from "./call-store.ts";
import { DISPOSITIONS } from "./vocabulary.ts";

/** What the calls of one source come to. */
interface SourceFigures {
  readonly source_name: string;
  readonly total_calls: number;
  readonly conversion_rate: number;
  readonly roi: number;
  readonly cost_per_conversion: number;
}

interface SourceGroup {
  readonly ids: readonly number[];
  readonly figures: SourceFigures;
}

const CONVERTED: ReadonlySet<unknown> = new Set(
  DISPOSITIONS.filter(({ isAnswered }) => isAnswered).map(({ spelling }) => spelling),
);

/**
 * Orders calls as a query asks: all calls of a source stand together, in the order they had, and the sources by
 * their figures of this moment. Without a `sort_by`, "desc" (the default) is the order the calls have, and "asc"
 * that from its end.
 */
export function sortCalls(
  calls: SandboxCalls,
  ids: readonly number[],
  { sort_by, sort_order }: Pick<AttributionQuery, "sort_by" | "sort_order">,
): number[] {
  const isAscending = sort_order === "asc";
  if (sort_by === undefined) return isAscending ? ids.toReversed() : ids.slice();

  const sources = groupBySource(calls, ids).sort(
    (one, other) =>
      compare(one.figures[sort_by], other.figures[sort_by]) ||
      compare(one.figures.source_name, other.figures.source_name),
  );
  return (isAscending ? sources : sources.reverse()).flatMap((source) => source.ids);
}

function groupBySource(calls: SandboxCalls, ids: readonly number[]): SourceGroup[] {
  const rows = ids.map((id) => ({ id, facets: calls.facets(id) }));
  return [...Map.groupBy(rows, ({ facets }) => nameOf(facets?.insight_name))].map(([name, group]) => ({
    ids: group.map(({ id }) => id),
    figures: figuresOf(
      name,
      group.map(({ facets }) => facets),
    ),
  }));
}

/** The name of a source as it is ordered by; an edit may have made it any JSON, or left it out. */
function nameOf(insightName: unknown): string {
  return typeof insightName === "string" ? insightName : `${JSON.stringify(insightName)}`;
}

/** The API's document defines none of these figures: a conversion is an answered call here, and the money is made up. */
function figuresOf(source_name: string, calls: readonly (WireCall | undefined)[]): SourceFigures {
  const total_calls = calls.length;
  const conversions = calls.filter((call) => CONVERTED.has(call?.disposition)).length;
  const cost = 500 + amountOf(source_name, "cost", 4500);
  const revenue = conversions * (20 + amountOf(source_name, "revenue", 180));
  return {
    source_name,
    total_calls,
    conversion_rate: conversions / total_calls,
    roi: (revenue - cost) / cost,
    cost_per_conversion: cost / Math.max(1, conversions),
  };
}

/** A whole amount of money from 0 to `below`, the same for a source for ever. */
function amountOf(sourceName: string, what: string, below: number): number {
  return (deriveSeed(0, `${what} of ${sourceName}`) >>> 0) % below;
}

function compare<Value extends number | string>(one: Value, other: Value): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
