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

/** The name of a call's campaign in rollups: that of its id, else its own. @param facts alias of `call_facts` */
export function commonNameText(facts = "f"): string {
  return `coalesce((SELECT n.campaign FROM campaigns AS n WHERE n.campaign_id = ${facts}.campaign_id), ${facts}.campaign)`;
}

/** Campaigns with calls of another name, or without one. */
export const SEVERAL_NAMES = `SELECT campaign_id, campaign FROM campaigns AS n
  WHERE campaign IS NOT NULL AND ${endText("ASC")} IS NOT ${endText("DESC")}`;

function endText(order: "ASC" | "DESC"): string {
  return `(SELECT f.campaign FROM call_facts AS f WHERE f.campaign_id = n.campaign_id ORDER BY f.campaign ${order} LIMIT 1)`;
}
