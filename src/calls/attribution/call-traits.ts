import { type Call, membersThat, UTM_FIELDS } from "../columns.ts";
import type { Outcome } from "../facts.ts";
import { findAdClick } from "./ad-click.ts";
import { ASSISTANT_CAMPAIGN, ASSISTANT_MEDIUM, isAssistant } from "./ai-assistants.ts";
import type { AttributionRules } from "./attribution-rules.ts";
import { foldUtm, presentText } from "./call-text.ts";
import { compileRules } from "./compiled-rules.ts";
import type { ChannelValues } from "./own-channels.ts";
import { toReferringHost } from "./referring-host.ts";
import { toTrafficSource, type Visit } from "./traffic-source.ts";

/** The members of a call that decide its facts. */
export type AttributedMembers = Omit<Call, "call_id" | "recording_url" | "google_analytics_cid" | "summary">;

/** The members that decide which facts depend on the rules, besides what was said. */
export const RULED_MEMBERS = membersThat({ isRuled: true });
export type RuledMembers = Pick<Call, (typeof RULED_MEMBERS)[number]>;

/** The members that may name the campaign; the first with a value does. */
export const CAMPAIGN_MEMBERS = ["campaign_name", "utm_campaign"] as const;

/** What the facts of a call follow from. Facts that depend on the rules need only members in {@link RULED_MEMBERS}. */
export function readTraits<Members extends RuledMembers>(
  call: Members,
  rules: AttributionRules,
  topic: string | null,
) {
  const { utmKeyOf, campaignOf, mediumOf, outcomeOf } = compileRules(rules);
  const toUtmKey = (field: (typeof UTM_FIELDS)[number]) => {
    const value = call[field];
    return value === null ? null : utmKeyOf[field](value);
  };
  const tags = {
    utm_source: toUtmKey("utm_source"),
    utm_medium: toUtmKey("utm_medium"),
    utm_campaign: toUtmKey("utm_campaign"),
    utm_content: toUtmKey("utm_content"),
    utm_term: toUtmKey("utm_term"),
  };
  const named = campaignOf(presentText(call.campaign_name)) ?? campaignOf(presentText(call.utm_campaign));
  const campaignId = presentText(call.campaign_id);
  const referringHost = toReferringHost(call.referring_url);
  const click = findAdClick(call);
  const visit: Visit = {
    source: tags.utm_source,
    medium: tags.utm_medium,
    isTagged: UTM_FIELDS.some((field) => tags[field] !== null),
    isTaggedByAssistant: tags.utm_medium === null && isAssistant(foldUtm(call.utm_source ?? "")),
    clickOn: click?.platform ?? null,
    hasCampaign: named !== null || campaignId !== null,
    referringHost,
  };
  const { source, medium, rule } = toTrafficSource(visit, utmKeyOf.utm_source);
  const campaign = named ?? (medium === ASSISTANT_MEDIUM ? ASSISTANT_CAMPAIGN : null);
  const disposition = presentText(call.disposition);
  const outcome: Outcome = disposition === null ? "other" : outcomeOf(disposition);
  return {
    call,
    rules,
    topic,
    tags,
    click,
    campaign,
    campaignId,
    referringHost,
    source,
    disposition,
    outcome,
    medium: mediumOf(medium),
    /** What decided source and medium. */
    sourceRule: rule,
  };
}

export type CallTraits<Members extends RuledMembers = RuledMembers> = ReturnType<typeof readTraits<Members>>;

/** Returns what channels are decided by. */
export function toChannelValues(
  facts: Record<"source" | "medium" | "utm_campaign_folded" | "campaign" | "referring_host", string | null>,
): ChannelValues {
  return {
    source: facts.source ?? "",
    medium: facts.medium ?? "",
    campaign: facts.utm_campaign_folded ?? facts.campaign?.toLowerCase() ?? "",
    referrer: facts.referring_host ?? "",
  };
}
