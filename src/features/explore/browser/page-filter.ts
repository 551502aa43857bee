import { pick } from "../../../base/records.ts";
import type { CallFilter } from "../../../calls/filter.ts";
import { DIMENSIONS, type Dimension } from "../../../figures/dimensions.ts";

/** The chosen values by dimension; of campaigns and org units their ids, if they have one. */
export type PageFilter = { readonly [Name in Dimension]?: readonly string[] };

/** Dimensions that `export` can filter by. */
const EXPORT_FILTERS = ["org_unit", "channel", "source", "campaign", "disposition", "topic"] as const;
type ExportFilter = (typeof EXPORT_FILTERS)[number];

const isExportFilter = (name: string): name is ExportFilter => EXPORT_FILTERS.some((known) => known === name);

export interface SplitFilter {
  exported: Pick<CallFilter, ExportFilter>;
  /** Those of the page alone. */
  others: [Dimension, readonly string[]][];
}

export function exportFilterOf(filter: PageFilter): SplitFilter {
  const exported: { -readonly [Name in ExportFilter]?: readonly string[] } = {};
  const others: SplitFilter["others"] = [];
  for (const [name, texts] of entriesOf(filter)) {
    if (isExportFilter(name)) exported[name] = texts;
    else others.push([name, texts]);
  }
  return { exported, others };
}

export function entriesOf(filter: PageFilter): [Dimension, readonly string[]][] {
  return DIMENSIONS.flatMap((name) => {
    const texts = filter[name] ?? [];
    return texts.length === 0 ? [] : [[name, texts] satisfies [Dimension, readonly string[]]];
  });
}

/** Spend has only some of the dimensions: all other filters are of calls alone. */
export function spendFilterOf(filter: PageFilter): PageFilter {
  return pick(filter, ["source", "channel", "campaign"]);
}
