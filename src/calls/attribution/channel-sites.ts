import sites from "./channel-sites.json" with { type: "json" };

export type SiteKind = keyof typeof sites;

/**
 * Sources that GA4 knows, by kind: names and hosts, lower-cased, each in one list only. Google publishes the list
 * with the default channel group (support.google.com/analytics/answer/9756891): 819 sources, as copied on 2023-11-04
 * in Velir/dbt-ga4's seeds/ga4_source_categories.csv.
 */
export const SITES: Readonly<Record<SiteKind, readonly string[]>> = sites;

const KINDS: ReadonlyMap<string, SiteKind> = new Map(
  (["search", "shopping", "social", "video"] as const).flatMap((kind) =>
    SITES[kind].map((name) => [name, kind] as const),
  ),
);

/** Looks a source up with or without `www.`; undefined if it is not listed. */
export function siteKind(source: string): SiteKind | undefined {
  return KINDS.get(source.startsWith("www.") ? source.slice(4) : source);
}
