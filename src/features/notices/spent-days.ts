import { compileRules } from "../../calls/attribution/compiled-rules.ts";
import { type CampaignKey, campaignMatcher, type SourceCampaign } from "../../sources/spend-campaigns.ts";
import { readRulesInForce } from "../../warehouse/calls/rules.ts";
import type { Reader } from "../../warehouse/warehouse.ts";
import { parseKeys, type WatchedDay } from "./watched-days.ts";

const DAY_MS = 86_400_000;

export const toCampaign = ({ campaign, campaign_id }: CampaignKey) =>
  JSON.stringify({ campaign, campaign_id });

/** Reads the local days with spend, since 1970, of each campaign, as the calls of the same days have it. */
export function readSpentDays(
  warehouse: Reader,
  since: string,
  calls: readonly WatchedDay[],
): Map<string, Set<number>> {
  const rows = warehouse.sqlite
    .prepare<[string], CampaignKey & { source: string; day: string }>(
      "SELECT DISTINCT day, source, campaign, campaign_id FROM spend WHERE day >= ? AND cost_micros > 0",
    )
    .all(since);
  const spent = new Map<string, Set<number>>();
  if (rows.length === 0) return spent;
  const { utmKeyOf, campaignOf } = compileRules(readRulesInForce(warehouse).rules);
  const match = campaignMatcher(mostCallsFirst(calls));
  for (const { day, source, campaign, campaign_id } of rows) {
    const tags = { campaign: campaignOf(campaign), campaign_id, source: utmKeyOf.utm_source(source) };
    const key = toCampaign(match(tags));
    spent.set(key, (spent.get(key) ?? new Set()).add(Date.parse(day) / DAY_MS));
  }
  return spent;
}

function mostCallsFirst(days: readonly WatchedDay[]): SourceCampaign[] {
  const bySource = new Map<string, SourceCampaign>();
  const totals = new Map<string, number>();
  for (const { keys, cells } of days) {
    const sums = new Uint32Array(keys.length);
    for (let at = 0; at < cells.length; at += 2) {
      const index = Math.floor((cells[at] ?? 0) / 24);
      sums[index] = (sums[index] ?? 0) + (cells[at + 1] ?? 0);
    }
    for (const [index, json] of keys.entries()) {
      const { tracking_number: _, ...key } = parseKeys(json);
      const calls = sums[index] ?? 0;
      const name = JSON.stringify(key);
      bySource.set(name, { ...key, calls: (bySource.get(name)?.calls ?? 0) + calls });
      totals.set(toCampaign(key), (totals.get(toCampaign(key)) ?? 0) + calls);
    }
  }
  const totalOf = (campaign: CampaignKey) => totals.get(toCampaign(campaign)) ?? 0;
  return [...bySource.values()].sort(
    (a, b) => totalOf(b) - totalOf(a) || (toCampaign(a) < toCampaign(b) ? -1 : 1),
  );
}
