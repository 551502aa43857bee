import { MISSING_WORDS } from "../call.ts";
import { channelRuleSql, channelSql } from "./channels.ts";
import { literals } from "./literal.ts";
import { type RollupRules, spellings } from "./rules.ts";

/*
 * What is true of one call, as SQL over `calls AS c`. All of it runs in a plain SQLite shell, since the views stand on
 * it; what an expression joins, {@link callsWith} finds by the names in it.
 */

/** The key of the row for calls that have no value. */
export const NOT_SET = "(not set)";

/** What JavaScript's trim() takes off; SQLite's own trim knows the space alone. */
const WHITE_SPACE =
  "char(9,10,11,12,13,32,160,5760,8192,8193,8194,8195,8196,8197,8198,8199,8200,8201,8202,8232,8233,8239,8287,12288,65279)";

export const UTM_FIELDS = ["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"] as const;
export type UtmField = (typeof UTM_FIELDS)[number];

/** Computes values once, under names, for an expression that uses them more than once. */
function given(values: Record<string, string>, expression: string): string {
  const list = Object.entries(values).map(([name, sql]) => `${sql} AS ${name}`);
  return `(SELECT ${expression} FROM (SELECT ${list.join(", ")}))`;
}

/** A text without white space around it; null where nothing is left. */
export function trimmed(column: string): string {
  return `nullif(trim(c.${column}, ${WHITE_SPACE}), '')`;
}

/** The same, and null for what stands for no value; see `foldUtm`. */
export function present(column: string): string {
  return given(
    { text: trimmed(column) },
    `CASE WHEN lower(text) IN (${literals(MISSING_WORDS)}) OR text GLOB '{*}' THEN NULL ELSE text END`,
  );
}

/** The key of a utm value: folded, then by its alias; null where there is none. */
export function utmValue(field: UtmField): string {
  return `nullif(coalesce(${field}_alias.value, ${field}_value.folded), '')`;
}

/** A phone number as its digits and plus sign. */
export function phoneDigits(column: string): string {
  return ["' '", "char(160)", "'-'", "'('", "')'", "'.'"].reduce(
    (sql, sign) => `replace(${sql}, ${sign}, '')`,
    `c.${column}`,
  );
}

/** Whether an ad of Google's was clicked: a gclid, unless Search Ads 360 handed it out for another platform's ad. */
export const IS_GOOGLE_CLICK = `(${present("gclid")} IS NOT NULL AND coalesce(lower(${trimmed("gclsrc")}), '') <> '3p.ds')`;

/** utm_source; google where it is missing and an ad of Google's was clicked. */
export const SOURCE = `coalesce(${utmValue("utm_source")}, CASE WHEN ${IS_GOOGLE_CLICK} THEN 'google' END)`;

/** utm_medium; cpc where it is missing or organic and an ad of Google's was clicked. */
export const MEDIUM = `CASE WHEN coalesce(${utmValue("utm_medium")}, 'organic') = 'organic' AND ${IS_GOOGLE_CLICK}
    THEN 'cpc' ELSE ${utmValue("utm_medium")} END`;

/** The campaign's name: campaign_name, else utm_campaign. */
export const CAMPAIGN = `coalesce(${present("campaign_name")}, ${present("utm_campaign")})`;

/** What the rules for channels look at. */
const TRAFFIC = {
  source: SOURCE,
  medium: MEDIUM,
  campaign: `coalesce(${utmValue("utm_campaign")}, lower(${present("campaign_name")}))`,
};
const TRAFFIC_NAMES = { source: "source", medium: "medium", campaign: "campaign" };

/** GA4's default channel group. */
export const CHANNEL = given(TRAFFIC, channelSql(TRAFFIC_NAMES));

/** For each rule for channels, in their order, whether it holds: 1 or 0. */
export const CHANNEL_RULES = channelRuleSql(TRAFFIC_NAMES).map(({ channel, sql }) => ({
  channel,
  sql: given(TRAFFIC, sql),
}));

/** The host of referring_url in lower case, without `www.`; null where the URL has none. */
export const REFERRING_HOST = [
  // The scheme goes, then what follows the host, the user before it, and the port.
  "iif(part GLOB '//*', substr(part, 3), iif(instr(part, '://') > 0 AND instr(part, '/') = instr(part, '://') + 1, substr(part, instr(part, '://') + 3), part))",
  "replace(replace(part, '?', '/'), '#', '/')",
  "substr(part, 1, instr(part || '/', '/') - 1)",
  "substr(part, instr(part, '@') + 1)",
  "lower(substr(part, 1, instr(part || ':', ':') - 1))",
  "CASE WHEN part GLOB 'www.?*' THEN substr(part, 5) ELSE nullif(part, '') END",
].reduce((part, step) => given({ part }, step), trimmed("referring_url"));

/** The disposition in the form in which dispositions are compared. */
export const COMPARABLE_DISPOSITION = "lower(trim(replace(replace(c.disposition, '-', ' '), '_', ' ')))";

/** answered, missed or other. */
export function outcome(rules: RollupRules): string {
  return given(
    { disposition: COMPARABLE_DISPOSITION },
    `CASE WHEN disposition IN (${literals(spellings(rules.answered))}) THEN 'answered'
      WHEN disposition IN (${literals(spellings(rules.missed))}) THEN 'missed' ELSE 'other' END`,
  );
}

/** Whether the call lasted so long; null where its duration is unknown. */
export function isAtLeast(seconds: number, { duration_unit }: RollupRules): string {
  return `c.duration >= ${duration_unit === "seconds" ? seconds : seconds * 1000}`;
}

/** Whether the call was answered and lasted long enough. */
export function isQualified(rules: RollupRules): string {
  return `coalesce(${outcome(rules)} = 'answered' AND ${isAtLeast(rules.qualified_seconds, rules)}, 0)`;
}

/** Whether it is its caller's first call; needs the table `first_calls`. */
export const IS_FIRST = "c.call_id IN (SELECT call_id FROM first_calls)";

/** Returns the FROM of calls as c, with the joins that these expressions need. */
export function callsWith(expressions: readonly string[], from = "calls AS c"): string {
  const text = expressions.join();
  const joins = UTM_FIELDS.filter((field) => text.includes(`${field}_value.`)).map(
    (field) => `
  LEFT JOIN utm_values AS ${field}_value ON ${field}_value.raw = c.${field}
  LEFT JOIN aliases AS ${field}_alias ON ${field}_alias.raw = ${field}_value.folded`,
  );
  if (/\bt\.(summary|transcription)\b/.test(text))
    joins.push("\n  LEFT JOIN transcripts AS t ON t.call_id = c.call_id");
  return `FROM ${from}${joins.join("")}`;
}
