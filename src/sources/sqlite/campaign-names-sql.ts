/** A table's ids of campaigns whose calls have several names, or of which some have none. */
const IDS_WITH_SEVERAL = `WITH RECURSIVE ids (id) AS (
    SELECT min(campaign_id) FROM call_facts WHERE campaign_id IS NOT NULL
    UNION ALL
    SELECT (SELECT min(campaign_id) FROM call_facts WHERE campaign_id > id) FROM ids WHERE id IS NOT NULL
  )
  SELECT id FROM ids WHERE id IS NOT NULL AND ${endText("ASC")} IS NOT ${endText("DESC")}`;

function endText(order: "ASC" | "DESC"): string {
  return `(SELECT campaign FROM call_facts WHERE campaign_id = id ORDER BY campaign ${order} LIMIT 1)`;
}

/**
 * Returns the SELECT of campaign_id and campaign: the name that most live calls of an id have, of several the first in
 * order. For any SQLite.
 * @param ids a SELECT of ids; without it, all
 * @param calls how many calls some rows of `facts` are
 */
export function campaignNamesText({
  ids,
  facts = "call_facts",
  calls = "count(*)",
}: {
  ids?: string;
  facts?: string;
  calls?: string;
} = {}): string {
  return `SELECT campaign_id, campaign FROM (
  SELECT campaign_id, campaign,
    row_number() OVER (PARTITION BY campaign_id ORDER BY ${calls} DESC, campaign) AS rank
  FROM ${facts}
  WHERE is_live AND campaign_id ${ids === undefined ? "IS NOT NULL" : `IN (${ids})`} AND campaign IS NOT NULL
  GROUP BY campaign_id, campaign
) WHERE rank = 1`;
}

/** Only campaigns with calls of another name, or without one. */
export const SEVERAL_NAMES = campaignNamesText({ ids: IDS_WITH_SEVERAL });
