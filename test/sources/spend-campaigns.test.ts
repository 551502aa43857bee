import { describe, expect, it } from "vitest";
import { campaignMatcher, type SourceCampaign } from "../../src/sources/spend-campaigns.ts";

describe("campaignMatcher", () => {
  const of = (
    campaign: string | null,
    campaign_id: string | null,
    source: string | null,
    calls: number,
  ): SourceCampaign => ({
    campaign,
    campaign_id,
    source,
    calls,
  });
  // Most calls from all sources first: Autumn 1 has 9, Shop 1 has 5, autumn has 4.
  const match = campaignMatcher([
    of("Autumn", "1", "google", 1),
    of("Autumn", "1", "bing", 8),
    of("Shop", "1", "google", 5),
    of("autumn", null, "google", 2),
    of("autumn", null, "facebook", 2),
    of("Sale", "4", "google", 2),
    of("Sale", "5", "google", 2),
    of("Sale", "6", "google", 3),
    of(null, "7", "google", 1),
    of("Late", "7", null, 1),
    of("Named", "8", "google", 5),
    of(null, "8", "google", 1),
  ]);

  it.each([
    ["the same id and name", ["Shop", "1", "google"], ["Shop", "1", "id"]],
    ["the same id and name, in another case", [" AUTUMN", "1", "google"], ["Autumn", "1", "id"]],
    ["the id alone, most calls from its source", ["New", "1", "google"], ["Shop", "1", "id"]],
    ["the id alone, its only source", ["New", "1", "bing"], ["Autumn", "1", "id"]],
    ["the id alone, from no source that calls have", ["New", "1", "tiktok"], ["Autumn", "1", "id"]],
    ["the id and the name, of another source", ["Shop", "1", "bing"], ["Autumn", "1", "id"]],
    ["the id without a name", [null, "7", "google"], [null, "7", "id"]],
    ["the id without a name, from another source", [null, "7", "bing"], [null, "7", "id"]],
    ["the id without a name, most calls of that id", [null, "8", "google"], ["Named", "8", "id"]],
    ["the id of a campaign without a name", ["late", "7", null], ["Late", "7", "id"]],
    ["the name, most calls from its source", ["autumn", null, "google"], ["autumn", null, "name"]],
    ["the name, its only source", ["autumn", "999", "bing"], ["Autumn", "1", "name"]],
    ["the name, from no source that calls have", ["Autumn", null, "tiktok"], ["Autumn", "1", "name"]],
    ["the name, the most calls of several", ["sale", null, "google"], ["Sale", "6", "name"]],
    ["the name, the first of several from elsewhere", ["sale", "9", "bing"], ["Sale", "4", "name"]],
    ["an unknown name", ["Winter", "99", "google"], ["Winter", "99", "unmatched"]],
    ["an unknown id", [null, "99", "google"], [null, "99", "unmatched"]],
    ["neither", [null, null, "google"], [null, null, "unnamed"]],
    ["a placeholder for no name", ["{campaign}", null, "google"], ["{campaign}", null, "unmatched"]],
  ] as const)("finds %s", (_, [campaign, campaign_id, source], [found, id, how]) => {
    expect(match({ campaign, campaign_id, source })).toEqual({
      campaign: found,
      campaign_id: id,
      match: how,
    });
  });

  it("matches nothing without campaigns, and no unnamed campaign by a missing name", () => {
    const none = { campaign: "Autumn", campaign_id: "1", source: "google" };
    expect(campaignMatcher([])(none)).toEqual({ campaign: "Autumn", campaign_id: "1", match: "unmatched" });
    const nameless = campaignMatcher([of(null, null, "google", 5)]);
    expect(nameless({ campaign: null, campaign_id: null, source: "google" }).match).toBe("unnamed");
  });
});
