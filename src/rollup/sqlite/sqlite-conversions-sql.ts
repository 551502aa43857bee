import type { ClickId } from "../../attribution/ad-click.ts";
import type { CallSelection } from "../engine.ts";
import { listText, literal } from "../sql-text.ts";
import { CALLER, FACTS_AND_CALLS, selectionText } from "./sqlite-calls-sql.ts";

export interface ConversionQuery {
  /** What identifies a conversion: click, caller, or browser. */
  key: ConversionKey;
  /** Accepted values of gclsrc, empty for none. @default all */
  sources?: readonly string[] | undefined;
  /** Whether each qualified call of a key counts, or only the first. */
  every: boolean;
  /** Considers only calls that share a key with one of these. @default the calls of the session's filter */
  likeCalls?: readonly number[] | undefined;
}

export type ConversionKey = "gclid" | "google_click" | "caller" | "msclkid" | "google_analytics_cid";

export interface Candidate {
  call_id: number;
  is_live: boolean;
  call_started: string | null;
  /** The click id, the phone number, or the client id of Google Analytics. */
  key: string | null;
  /** By which id an ad platform knows the click that led to the call. */
  click_by: ClickId | null;
  gclsrc: string;
  is_qualified: boolean;
  topic: string | null;
  /** Whether an earlier qualified call has the same key (and, if every call counts, the same second). */
  is_repeated: boolean;
}

const CLICK_BY = "click_by(c.gclid, c.gclsrc, c.referring_url, c.extra)";
const CLICK_ID = "click_id(c.gclid, c.gclsrc, c.referring_url, c.extra)";

/** A fact, or the result of a function of the session's connection on the stored call. */
const CONVERSION_KEYS: Record<ConversionKey, { text: string; isStored: boolean }> = {
  gclid: { text: "f.gclid", isStored: false },
  caller: { text: "f.caller_id", isStored: false },
  google_click: { text: `iif(${CLICK_BY} <> 'msclkid', ${CLICK_ID}, NULL)`, isStored: true },
  msclkid: { text: `iif(${CLICK_BY} = 'msclkid', ${CLICK_ID}, NULL)`, isStored: true },
  google_analytics_cid: { text: "client_id(c.google_analytics_cid)", isStored: true },
};

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
  // Google and Microsoft treat two conversions of one click in the same second as one.
  const same = every ? `${key}, substr(f.call_started, 1, ${"YYYY-MM-DDTHH:MM:SS".length})` : key;
  return `SELECT call_id FROM (
    SELECT f.call_id, row_number() OVER (PARTITION BY ${same} ORDER BY f.call_started, f.call_id) AS rank
    ${selectionText({}, context, { from: isStored ? FACTS_AND_CALLS : undefined, also })}
  ) WHERE rank = 1`;
}

/** A digest cannot be uploaded: the number is taken from what was kept of the call. */
const KEPT_NUMBER = "caller_of(c.caller_id)";

export function candidatesText(
  { key: name }: ConversionQuery,
  table: string,
  firstTable: string,
  { rules }: Pick<CallSelection, "rules">,
): string {
  const caller = rules.caller_digests === true ? KEPT_NUMBER : CALLER;
  const key = name === "caller" ? caller : CONVERSION_KEYS[name].text;
  return `SELECT f.call_id, f.is_live, f.call_started, ${key} AS key, ${CLICK_BY} AS click_by, coalesce(f.gclsrc, '') AS gclsrc, f.is_qualified, f.topic,
  f.call_id NOT IN (SELECT call_id FROM ${firstTable}) AS is_repeated
FROM ${table} AS s CROSS JOIN call_facts AS f ON f.call_id = s.call_id JOIN calls AS c ON c.call_id = f.call_id
ORDER BY s.rank`;
}
