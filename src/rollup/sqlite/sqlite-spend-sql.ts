import type { Condition, Span } from "../call-filter.ts";
import type { SqlText } from "../sql-text.ts";
import { selectionText } from "./sqlite-calls-sql.ts";

/** A session's table of spend, and what must hold of its rows. */
interface SpendSource {
  table: string;
  conditions: readonly Condition[];
}

/** Columns of that table, named as the facts of calls that they stand beside: `call_started` is where the day begins. */
export const SPEND_COLUMNS = `spend_id INTEGER PRIMARY KEY, call_started TEXT NOT NULL, day TEXT NOT NULL, source TEXT, medium TEXT,
  campaign TEXT, campaign_id TEXT, channel TEXT NOT NULL, match TEXT NOT NULL,
  given_campaign TEXT, given_campaign_id TEXT, cost_micros INTEGER NOT NULL, clicks INTEGER, impressions INTEGER`;

/** Columns of the table that says which keys of calls those of reports are. */
export const SPEND_KEY_COLUMNS = `given_source TEXT, given_medium TEXT, given_campaign TEXT, given_campaign_id TEXT,
  source TEXT, medium TEXT, campaign TEXT, campaign_id TEXT, channel TEXT, match TEXT,
  UNIQUE (given_source, given_medium, given_campaign, given_campaign_id)`;

/** The currency, and the fewest digits after the point, from two on, that show every amount whole. */
export const spendFormText = (imported: string) => `SELECT min(currency), max(CASE
  WHEN cost_micros % 10000 = 0 THEN 2 WHEN cost_micros % 1000 = 0 THEN 3 WHEN cost_micros % 100 = 0 THEN 4
  WHEN cost_micros % 10 = 0 THEN 5 ELSE 6 END) FROM ${imported}`;

/** What tells rows of spend apart, but for their days. */
export const SPEND_KEYS = "source, medium, campaign, campaign_id";

/** The campaigns of calls, a row with a number of calls for each source. */
export const SQLITE_CAMPAIGNS_TEXT = `SELECT campaign, campaign_id, source, count(*) AS calls FROM call_facts
WHERE campaign IS NOT NULL OR campaign_id IS NOT NULL GROUP BY 1, 2, 3`;

/** Returns the SELECT of such rows, those of the campaigns with the most calls first. */
export function rankedCampaignsText({ sql, values }: SqlText): SqlText {
  const order = "sum(calls) OVER (PARTITION BY campaign, campaign_id) DESC, 1, 2, 3";
  return { sql: `SELECT campaign, campaign_id, source, calls FROM (${sql}) ORDER BY ${order}`, values };
}

/** Returns the INSERT of all spend into a session's table. */
export function insertSpendText(
  table: string,
  { imported, keys, days }: { imported: string; keys: string; days: string },
): string {
  return `INSERT INTO ${table}
SELECT s.spend_id, d.starts_at, s.day, k.source, k.medium, k.campaign, k.campaign_id, k.channel, k.match,
  s.campaign, s.campaign_id, s.cost_micros, s.clicks, s.impressions
FROM ${imported} AS s
JOIN ${days} AS d ON d.day = s.day
JOIN ${keys} AS k ON k.given_source = s.source AND k.given_medium = s.medium
  AND k.given_campaign IS s.campaign AND k.given_campaign_id IS s.campaign_id`;
}

/** Returns the SELECT of what the spend of a stretch adds up to: a row for each way in which it came to its campaign. */
export function spendSumsText(span: Span, source: SpendSource): SqlText {
  return select("f.match, count(*), sum(f.cost_micros)", span, source, "GROUP BY 1");
}

/** Returns the SELECT of the days of a stretch's spend: their number, the first and the last, and where these begin. */
export function spendDaysText(span: Span, source: SpendSource): SqlText {
  return select(
    "count(DISTINCT f.day), min(f.day), max(f.day), min(f.call_started), max(f.call_started)",
    span,
    source,
  );
}

/** Returns the SELECT of the files that a stretch's spend is from, with rows and cost. */
export function spendFilesText(span: Span, source: SpendSource, imported: string): SqlText {
  const join = `\nJOIN ${imported} AS s ON s.spend_id = f.spend_id`;
  const columns = "s.file, s.imported_at, count(*), sum(f.cost_micros)";
  return select(columns, span, source, "GROUP BY 1, 2 ORDER BY 2, 1", join);
}

/** Returns the SELECT of campaigns that no call has, most spend first. */
export function unmatchedText(span: Span, { table, conditions }: SpendSource): SqlText {
  const columns =
    "f.given_campaign, f.given_campaign_id, f.source, count(DISTINCT f.day), count(*), sum(f.cost_micros)";
  const unmatched = { table: `(SELECT * FROM ${table} WHERE match = 'unmatched')`, conditions };
  return select(columns, span, unmatched, "GROUP BY 1, 2, 3 ORDER BY 6 DESC, 1, 2, 3");
}

function select(
  columns: string,
  span: Span,
  { table, conditions }: SpendSource,
  group = "",
  join = "",
): SqlText {
  const { sql, values } = selectionText(
    span,
    { conditions, isGoneCounted: true },
    { from: `${table} AS f`, join },
  );
  return { sql: `SELECT ${columns} ${sql}\n${group}`, values };
}
