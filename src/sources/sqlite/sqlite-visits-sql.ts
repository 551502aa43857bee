import type { Span } from "../../base/calendar/dates.ts";
import { listText, literal } from "../sql-text.ts";
import { FACTS_AND_CALLS, type SqliteSelection, selectionText } from "./sqlite-calls-sql.ts";

/** Calls with the same tags, click and referrer. */
export interface VisitGroup {
  source: string | null;
  medium: string | null;
  campaign: string | null;
  campaign_id: string | null;
  /** 1 if a click on an ad of Google led to them. */
  is_google_click: number;
  referring_host: string | null;
  calls: number;
  /** Start of the first one, ISO 8601 UTC. */
  since: string;
}

/** Visits before a time, ISO 8601 UTC, with one of some values. */
export interface EarlierVisits extends Readonly<Record<"source" | "medium" | "campaign", readonly string[]>> {
  before: string;
}

/** Search Ads 360 issues its click ids for other platforms, too. */
const IS_GOOGLE_CLICK = "f.gclid IS NOT NULL AND f.gclsrc IS NOT '3p.ds'";

export function visitsText(span: Span, selection: SqliteSelection): string {
  return groupVisits(selectionText(span, selection, { also: ["f.call_started IS NOT NULL"] }));
}

export function earlierVisitsText({ before, ...values }: EarlierVisits, selection: SqliteSelection): string {
  const ofValues = Object.entries(values).map(([fact, list]) => `f.${fact} IN ${listText(list)}`);
  // Without the +, SQLite would look up each call by the index, though most are earlier.
  const also = [`+f.call_started < ${literal(before)}`, `(${ofValues.join(" OR ")})`];
  return groupVisits(selectionText({}, selection, { also }));
}

function groupVisits(from: string): string {
  return `SELECT f.source, f.medium, f.campaign, f.campaign_id, ${IS_GOOGLE_CLICK} AS is_google_click, f.referring_host,
  count(*) AS calls, min(f.call_started) AS since
${from}
GROUP BY 1, 2, 3, 4, 5, 6`;
}

/** Calls whose tags are spelled alike, and what they count as. */
export interface SpellingGroup {
  utm_source: string | null;
  utm_medium: string | null;
  campaign_name: string | null;
  utm_campaign: string | null;
  source: string | null;
  medium: string | null;
  campaign: string | null;
  calls: number;
  since: string;
}

export function spellingsText(span: Span, selection: SqliteSelection): string {
  return `SELECT c.utm_source, c.utm_medium, c.campaign_name, c.utm_campaign,
  f.utm_source_folded AS source, f.utm_medium_folded AS medium, f.campaign, count(*) AS calls, min(f.call_started) AS since
${selectionText(span, selection, { from: FACTS_AND_CALLS, also: ["f.call_started IS NOT NULL"] })}
GROUP BY 1, 2, 3, 4, 5, 6, 7`;
}
