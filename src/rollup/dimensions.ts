import {
  CAMPAIGN,
  CHANNEL,
  MEDIUM,
  NOT_SET,
  present,
  REFERRING_HOST,
  SOURCE,
  type UtmField,
  utmValue,
} from "./row.ts";

/** One column of a rollup's key. */
export interface KeyColumn {
  name: string;
  type: "text" | "integer";
  /** Expression over `calls` as c. */
  sql: string;
}

const NAMES = [
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
  "source",
  "medium",
  "campaign",
  "gclid",
  "channel",
  "insight_name",
  "org_unit",
  "tracking_number",
  "disposition",
  "referring_host",
] as const;

/** A way to group calls. */
export type Dimension = (typeof NAMES)[number];
export const DIMENSIONS: readonly Dimension[] = NAMES;

/** What `export` writes when it is not told. */
export const DEFAULT_DIMENSIONS = ["utm_source", "campaign", "gclid"] as const satisfies Dimension[];

/** A text column; calls without a value are under `(not set)`. */
function key(name: string, value: string): KeyColumn {
  return { name, type: "text", sql: `coalesce(${value}, '${NOT_SET}')` };
}

const utmKey = (field: UtmField) => [key(field, utmValue(field))];

const KEYS: Record<Dimension, readonly KeyColumn[]> = {
  utm_source: utmKey("utm_source"),
  utm_medium: utmKey("utm_medium"),
  utm_campaign: utmKey("utm_campaign"),
  utm_content: utmKey("utm_content"),
  utm_term: utmKey("utm_term"),
  source: [key("source", SOURCE)],
  medium: [key("medium", MEDIUM)],
  // Two campaigns of one name are told apart by their ids, and so are two groups.
  campaign: [key("campaign", CAMPAIGN), { name: "campaign_id", type: "text", sql: present("campaign_id") }],
  gclid: [key("gclid", present("gclid"))],
  channel: [key("channel", CHANNEL)],
  insight_name: [key("insight_name", present("insight_name"))],
  org_unit: [
    key("org_unit", present("org_unit_name")),
    { name: "org_unit_id", type: "integer", sql: "c.org_unit_id" },
  ],
  tracking_number: [key("tracking_number", present("tracking_number"))],
  disposition: [key("disposition", present("disposition"))],
  referring_host: [key("referring_host", REFERRING_HOST)],
};

/** Returns the key columns of some dimensions together; `raw` groups utm values as they are stored. */
export function keyColumns(dimensions: readonly Dimension[], { raw = false } = {}): readonly KeyColumn[] {
  return dimensions.flatMap((dimension) =>
    raw && dimension.startsWith("utm_") ? [key(dimension, `nullif(c.${dimension}, '')`)] : KEYS[dimension],
  );
}
