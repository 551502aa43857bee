/** The key of the row for calls that have no value. */
const NOT_SET = "(not set)";

/** One column of a rollup's key. */
export interface KeyColumn {
  name: string;
  /** Expression over `calls` as c; never null. */
  sql: string;
  /** Join that the expression needs. */
  join?: string;
}

/** What JavaScript's trim() takes off; SQLite's own trim knows the space alone. */
const WHITE_SPACE =
  "char(9,10,11,12,13,32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)";

const NAMES = [
  "utm_source",
  "utm_medium",
  "utm_campaign",
  "utm_content",
  "utm_term",
  "campaign",
  "gclid",
  "insight_name",
  "org_unit",
  "tracking_number",
  "disposition",
] as const;

/** A way to group calls. */
export type Dimension = (typeof NAMES)[number];
export const DIMENSIONS: readonly Dimension[] = NAMES;

/** What `export` writes when it is not told. */
export const DEFAULT_DIMENSIONS = ["utm_source", "campaign", "gclid"] as const satisfies Dimension[];

const trimmed = (column: string) => `nullif(trim(c.${column}, ${WHITE_SPACE}), '')`;
const orNotSet = (...expressions: string[]) => `coalesce(${expressions.join(", ")}, '${NOT_SET}')`;

/** Case, blanks: the key of a utm value is kept beside it in utm_values. */
function foldedUtm(column: string): KeyColumn[] {
  const join = `LEFT JOIN utm_values AS ${column}_value ON ${column}_value.raw = c.${column}`;
  return [{ name: column, sql: orNotSet(`nullif(${column}_value.folded, '')`), join }];
}

function asStored(column: string): KeyColumn[] {
  return [{ name: column, sql: orNotSet(`nullif(c.${column}, '')`) }];
}

const KEYS: Record<Dimension, KeyColumn[]> = {
  utm_source: foldedUtm("utm_source"),
  utm_medium: foldedUtm("utm_medium"),
  utm_campaign: foldedUtm("utm_campaign"),
  utm_content: foldedUtm("utm_content"),
  utm_term: foldedUtm("utm_term"),
  campaign: [
    { name: "campaign", sql: orNotSet(trimmed("campaign_name"), trimmed("utm_campaign")) },
    { name: "campaign_id", sql: `coalesce(${trimmed("campaign_id")}, '')` },
  ],
  gclid: [{ name: "gclid", sql: orNotSet(trimmed("gclid")) }],
  insight_name: [{ name: "insight_name", sql: orNotSet(trimmed("insight_name")) }],
  org_unit: [
    { name: "org_unit", sql: orNotSet(trimmed("org_unit_name")) },
    { name: "org_unit_id", sql: "coalesce(c.org_unit_id, '')" },
  ],
  tracking_number: [{ name: "tracking_number", sql: orNotSet(trimmed("tracking_number")) }],
  disposition: [{ name: "disposition", sql: orNotSet(trimmed("disposition")) }],
};

/** Returns the key columns of a dimension; `raw` groups utm values as they are stored. */
export function keyColumns(dimension: Dimension, { raw = false } = {}): readonly KeyColumn[] {
  return raw && dimension.startsWith("utm_") ? asStored(dimension) : KEYS[dimension];
}
