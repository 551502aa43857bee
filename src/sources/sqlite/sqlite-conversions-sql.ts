import type { ClickId } from "../../calls/attribution/ad-click.ts";
import type { Stage } from "../../calls/filter.ts";
import type { CallSelection } from "../engine.ts";
import { listText, literal } from "../sql-text.ts";
import { REVENUE } from "./outcome-sums.ts";
import { FACTS_AND_CALLS, selectionText } from "./sqlite-calls-sql.ts";

export interface ConversionQuery {
  /** What identifies a conversion: click, caller, or browser. */
  key: ConversionKey;
  /** Accepted values of gclsrc, empty for none. @default all */
  sources?: readonly string[] | undefined;
  /** Whether each qualified call of a key counts, or only the first. */
  every: boolean;
  /** What makes a call a conversion: itself, or a job. @default qualified */
  qualify?: Qualify | undefined;
  /** Whether `earned_micros` is computed. @default false */
  isEarned?: boolean | undefined;
  /** Considers only calls that share a key with one of these. @default the calls of the session's filter */
  likeCalls?: readonly number[] | undefined;
}

export type Qualify = "qualified" | Exclude<Stage, "lost">;

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
  /**
   * What all calls of the key earned, in millionths of the currency; "0" if nothing, and no open job can change that. Null
   * if that is not known yet, and for repeated calls.
   */
  earned_micros: string | null;
  /** Whether a job of the key is open, so that what it earns can change; false for repeated calls. */
  is_open: boolean;
}

/** The number as served, with `+` only if it has its country code: a digest, or digits alone, cannot be uploaded. */
const NUMBER = "number_of(c.caller_id)";
const CLICK_BY = "click_by(c.gclid, c.gclsrc, c.referring_url, c.extra)";
const CLICK_ID = "click_id(c.gclid, c.gclsrc, c.referring_url, c.extra)";

/** A fact, or the result of a function of the session's connection on the stored call. */
const CONVERSION_KEYS: Record<ConversionKey, { text: string; isStored: boolean }> = {
  gclid: { text: "f.gclid", isStored: false },
  // Calls without the country code are no caller's first: a later one can be uploaded.
  caller: { text: `iif(${NUMBER} GLOB '[0-9]*', NULL, f.caller_id)`, isStored: true },
  google_click: { text: `iif(${CLICK_BY} <> 'msclkid', ${CLICK_ID}, NULL)`, isStored: true },
  msclkid: { text: `iif(${CLICK_BY} = 'msclkid', ${CLICK_ID}, NULL)`, isStored: true },
  google_analytics_cid: { text: "client_id(c.google_analytics_cid)", isStored: true },
};

const QUALIFIES: Record<Qualify, string> = {
  qualified: "f.is_qualified",
  booked: "f.call_id IN (SELECT call_id FROM outcomes WHERE stage <> 'lost')",
  sold: "f.call_id IN (SELECT call_id FROM outcomes WHERE stage = 'sold')",
};

/** What each call earned, and whether one of its jobs may still be sold or get an amount. */
const SUMS = `SELECT call_id, ${REVENUE} AS earned,
    max(stage = 'booked' OR stage = 'sold' AND amount_micros IS NULL) AS is_open
  FROM outcomes GROUP BY call_id`;

/** Columns of the table that `firstConversionsText` selects for. */
export const FIRST_CONVERSIONS = "call_id INTEGER PRIMARY KEY, earned_micros INTEGER, is_open INTEGER";

export function firstConversionsText(
  { key: name, sources, every, qualify = "qualified", isEarned = false, likeCalls }: ConversionQuery,
  context: CallSelection,
): string {
  const { text: key, isStored } = CONVERSION_KEYS[name];
  const also = [
    `${key} IS NOT NULL`,
    "f.call_started IS NOT NULL",
    ...(sources ? [`coalesce(f.gclsrc, '') IN (${sources.map(literal).join(", ")})`] : []),
    ...(likeCalls === undefined
      ? []
      : [`${key} IN (SELECT ${key} FROM ${FACTS_AND_CALLS} WHERE f.call_id IN ${listText(likeCalls)})`]),
  ];
  // Google and Microsoft treat two conversions of one click in the same second as one.
  const same = every ? `${key}, substr(f.call_started, 1, ${"YYYY-MM-DDTHH:MM:SS".length})` : key;
  const from = isStored ? FACTS_AND_CALLS : undefined;
  const rank = (partition: string) =>
    `f.call_id, row_number() OVER (PARTITION BY ${partition} ORDER BY f.call_started, f.call_id) AS rank`;
  const isQualified = QUALIFIES[qualify];
  if (!isEarned)
    return `SELECT call_id, NULL, 0 FROM (
    SELECT ${rank(same)}
    ${selectionText({}, context, { from, also: [...also, isQualified] })}
  ) WHERE rank = 1`;
  // Calls that are not conversions themselves earn for the click or caller, too.
  return `WITH sums AS MATERIALIZED (${SUMS})
  SELECT call_id, CASE WHEN earned > 0 THEN earned WHEN is_open = 0 THEN 0 END, coalesce(is_open, 0) FROM (
    SELECT ${rank(`${same}, ${isQualified}`)}, ${isQualified} AS is_conversion,
      sum(sums.earned) OVER of_key AS earned, max(sums.is_open) OVER of_key AS is_open
    ${selectionText({}, context, { from, join: " LEFT JOIN sums ON sums.call_id = f.call_id", also })}
    WINDOW of_key AS (PARTITION BY ${same})
  ) WHERE rank = 1 AND is_conversion`;
}

export function candidatesText(
  { key: name, qualify = "qualified" }: ConversionQuery,
  table: string,
  firstTable: string,
): string {
  const key = name === "caller" ? NUMBER : CONVERSION_KEYS[name].text;
  return `SELECT f.call_id, f.is_live, f.call_started, ${key} AS key, ${CLICK_BY} AS click_by, coalesce(f.gclsrc, '') AS gclsrc, ${QUALIFIES[qualify]} AS is_qualified, f.topic,
  first.call_id IS NULL AS is_repeated, CAST(first.earned_micros AS TEXT) AS earned_micros,
  coalesce(first.is_open, 0) AS is_open
FROM ${table} AS s CROSS JOIN call_facts AS f ON f.call_id = s.call_id JOIN calls AS c ON c.call_id = f.call_id
  LEFT JOIN ${firstTable} AS first ON first.call_id = f.call_id
ORDER BY s.rank`;
}
