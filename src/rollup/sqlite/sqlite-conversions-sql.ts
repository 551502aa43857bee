import type { ConversionKey, ConversionQuery } from "../conversion-query.ts";
import type { CallSelection } from "../engine.ts";
import { listText, literal } from "../sql-text.ts";
import { FACTS_AND_CALLS, selectionText } from "./sqlite-calls-sql.ts";

/**
 * What identifies a conversion: a fact, or what a function of the session's connection reads from the call as it is stored.
 */
const CONVERSION_KEYS: Record<ConversionKey, { text: string; isStored: boolean }> = {
  gclid: { text: "f.gclid", isStored: false },
  caller: { text: "f.caller", isStored: false },
  msclkid: { text: "microsoft_click_id(c.referring_url, c.extra)", isStored: true },
  google_analytics_cid: { text: "present_id(c.google_analytics_cid)", isStored: true },
};

/** Returns the SELECT of the first qualified call of each click or caller, and what else it has to be. */
export function firstConversionsText(
  { key: name, sources, every, likeCalls }: ConversionQuery,
  context: CallSelection,
): string {
  const { text: key, isStored } = CONVERSION_KEYS[name];
  const also = [
    `${key} IS NOT NULL`,
    "f.call_started IS NOT NULL",
    "f.is_qualified",
    ...(sources ? [`coalesce(f.gclsrc, '') IN (${sources.map(literal).join(", ")})`] : []),
    ...(likeCalls === undefined
      ? []
      : [`${key} IN (SELECT ${key} FROM ${FACTS_AND_CALLS} WHERE f.call_id IN ${listText(likeCalls)})`]),
  ];
  // Google and Microsoft take two conversions of one click in one second for the same.
  const same = every ? `${key}, substr(f.call_started, 1, ${"YYYY-MM-DDTHH:MM:SS".length})` : key;
  return `SELECT call_id FROM (
    SELECT f.call_id, row_number() OVER (PARTITION BY ${same} ORDER BY f.call_started, f.call_id) AS rank
    ${selectionText({}, context, { from: isStored ? FACTS_AND_CALLS : undefined, also })}
  ) WHERE rank = 1`;
}

/** A digest tells callers apart, and cannot be uploaded: the number of a call is what was kept of it. */
const KEPT_NUMBER = { text: "caller_of(c.caller_id)", isStored: true };

/** Returns the SELECT of calls with what decides whether they are conversions, given tables of them and of the first ones. */
export function candidatesText(
  { key: name }: ConversionQuery,
  table: string,
  firstTable: string,
  { rules }: Pick<CallSelection, "rules">,
): string {
  const isDigest = name === "caller" && rules.caller_digests === true;
  const { text: key, isStored } = isDigest ? KEPT_NUMBER : CONVERSION_KEYS[name];
  return `SELECT f.call_id, f.is_live, f.call_started, ${key} AS key, coalesce(f.gclsrc, '') AS gclsrc, f.is_qualified,
  f.call_id NOT IN (SELECT call_id FROM ${firstTable}) AS is_repeated
FROM ${table} AS s CROSS JOIN call_facts AS f ON f.call_id = s.call_id${isStored ? " JOIN calls AS c ON c.call_id = f.call_id" : ""}
ORDER BY s.rank`;
}
