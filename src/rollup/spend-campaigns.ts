import { foldUtm } from "../attribution/call-text.ts";

/** A campaign as a rollup has it in its key. */
export interface CampaignKey {
  campaign: string | null;
  campaign_id: string | null;
}

/** How a row of spend came to its campaign: by its id or its name among those that calls have, or not. */
export const MATCHES = ["id", "name", "unmatched", "unnamed"] as const;
export type Match = (typeof MATCHES)[number];

export interface MatchedCampaign extends CampaignKey {
  match: Match;
}

interface KnownCampaign extends CampaignKey {
  folded: string;
}

/**
 * Returns what finds the campaign of calls that a campaign of an ad platform is: by its id, else by its folded name. Of
 * several with one id, that of the same name counts, else, as of several with one name, that with the most calls, then the
 * first. One that no call has is itself.
 *
 * @param campaigns those of calls, most calls first, then by name and id
 */
export function campaignMatcher(
  campaigns: readonly CampaignKey[],
): (campaign: CampaignKey) => MatchedCampaign {
  const known = campaigns.map((each): KnownCampaign => ({ ...each, folded: foldUtm(each.campaign ?? "") }));
  const byId = Map.groupBy(known, ({ campaign_id }) => campaign_id);
  const byName = Map.groupBy(known, ({ folded }) => folded);
  return ({ campaign, campaign_id }) => {
    const folded = foldUtm(campaign ?? "");
    const sameId = campaign_id === null ? [] : (byId.get(campaign_id) ?? []);
    const ofId = sameId.find((each) => each.folded === folded) ?? sameId[0];
    if (ofId !== undefined) return { ...keyOf(ofId), match: "id" };
    const ofName = folded === "" ? undefined : byName.get(folded)?.[0];
    if (ofName !== undefined) return { ...keyOf(ofName), match: "name" };
    return {
      campaign,
      campaign_id,
      match: campaign === null && campaign_id === null ? "unnamed" : "unmatched",
    };
  };
}

const keyOf = ({ campaign, campaign_id }: CampaignKey): CampaignKey => ({ campaign, campaign_id });
