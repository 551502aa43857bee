import { foldUtm } from "../calls/attribution/call-text.ts";

export interface CampaignKey {
  campaign: string | null;
  campaign_id: string | null;
}

/** How a row of spend was matched to a campaign of calls: by id, by name, or not. */
export const MATCHES = ["id", "name", "unmatched", "unnamed"] as const;
export type Match = (typeof MATCHES)[number];

export interface SourceCampaign extends CampaignKey {
  source: string | null;
  calls: number;
}

/**
 * Returns a function that finds the calls' campaign for an ad platform's campaign: by id, else by folded name. Among
 * several, those with calls from its source are preferred, then the one of the same name, then that with the most
 * calls (from its source, if any), then the first. A campaign that no call has is returned unchanged.
 * @param campaigns those of calls, a row for each source, most calls from all sources first, then by name and id
 */
export function campaignMatcher(
  campaigns: readonly SourceCampaign[],
): (campaign: CampaignKey & { source: string | null }) => CampaignKey & { match: Match } {
  const known = campaigns.map((each) => ({ ...each, folded: foldUtm(each.campaign ?? "") }));
  const byId = Map.groupBy(known, ({ campaign_id }) => campaign_id);
  const byName = Map.groupBy(known, ({ folded }) => folded);
  return ({ campaign, campaign_id, source }) => {
    const folded = foldUtm(campaign ?? "");
    const choose = (among: typeof known = []) => {
      const ofSource = among.filter((each) => each.source === source).toSorted((a, b) => b.calls - a.calls);
      const eligible = ofSource.length === 0 ? among : ofSource;
      const named = folded === "" ? undefined : eligible.find((each) => each.folded === folded);
      return named ?? eligible[0];
    };
    const ofId = campaign_id === null ? undefined : choose(byId.get(campaign_id));
    if (ofId !== undefined) return { ...keyOf(ofId), match: "id" };
    const ofName = folded === "" ? undefined : choose(byName.get(folded));
    if (ofName !== undefined) return { ...keyOf(ofName), match: "name" };
    return {
      campaign,
      campaign_id,
      match: campaign === null && campaign_id === null ? "unnamed" : "unmatched",
    };
  };
}

const keyOf = ({ campaign, campaign_id }: CampaignKey): CampaignKey => ({ campaign, campaign_id });
