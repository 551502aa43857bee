import type { Span } from "../../calendar/dates.ts";
import { literal } from "../sql-text.ts";
import { type SqliteSelection, selectionText } from "./sqlite-calls-sql.ts";

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
  /** Start of the first one at any time, ISO 8601 UTC. */
  since: string | null;
}

/** Search Ads 360 issues its click ids for other platforms, too. */
const IS_GOOGLE_CLICK = "f.gclid IS NOT NULL AND f.gclsrc IS NOT '3p.ds'";

/** @param since from when calls are counted; earlier ones only say when a visit was first seen */
export function visitsText(since: string, span: Span, selection: SqliteSelection): string {
  return `SELECT f.source, f.medium, f.campaign, f.campaign_id, ${IS_GOOGLE_CLICK} AS is_google_click, f.referring_host,
  sum(f.call_started >= ${literal(since)}) AS calls, min(f.call_started) AS since
${selectionText(span, selection, { also: ["f.call_started IS NOT NULL"] })}
GROUP BY 1, 2, 3, 4, 5, 6`;
}
