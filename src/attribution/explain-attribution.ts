import {
  type AttributedMembers,
  attributeCall,
  type CallFacts,
  isGoogleClick,
  type UtmField,
  visitOf,
} from "./attribute-call.ts";
import type { AttributionRules } from "./attribution-rules.ts";
import { foldUtm } from "./call-text.ts";
import { CHANNEL_RULES_VERSION, CHANNELS, type Channel } from "./channel-rules.ts";
import type { SiteKind } from "./channel-sites.ts";
import { type SourceRule, toReferrer, toTrafficSource } from "./traffic-source.ts";

export interface AttributionReasons {
  /** Utm values folded, and the keys they count under, which differ if they have an alias. */
  utm: Record<UtmField, { folded: string | null; tallied_as: string | null }>;
  is_google_click: boolean;
  source_rule: SourceRule;
  /** What Google's list says of the referring host; null if not listed. */
  referrer_kind: SiteKind | null;
  /** Version of the channel rules, and each rule up to the first that holds. */
  channel_rules: { version: string; tried: { channel: Channel; holds: boolean }[] };
}

export function explainAttribution(
  call: AttributedMembers,
  rules: AttributionRules,
): { facts: CallFacts; reasons: AttributionReasons } {
  const facts = attributeCall(call, rules);
  const explainUtm = (field: UtmField) => ({
    folded: foldUtm(call[field] ?? "") || null,
    tallied_as: facts[`${field}_folded`],
  });
  // The last channel is for calls that meet no rule.
  const rulesInOrder = CHANNELS.slice(0, -1);
  const holding = rulesInOrder.indexOf(facts.channel);
  const tried = holding === -1 ? rulesInOrder : rulesInOrder.slice(0, holding + 1);
  return {
    facts,
    reasons: {
      utm: {
        utm_source: explainUtm("utm_source"),
        utm_medium: explainUtm("utm_medium"),
        utm_campaign: explainUtm("utm_campaign"),
        utm_content: explainUtm("utm_content"),
        utm_term: explainUtm("utm_term"),
      },
      is_google_click: isGoogleClick(facts),
      source_rule: toTrafficSource(visitOf(call, facts), (name) => name).rule,
      referrer_kind: toReferrer(facts.referring_host ?? "").kind ?? null,
      channel_rules: {
        version: CHANNEL_RULES_VERSION,
        tried: tried.map((channel, index) => ({ channel, holds: index === holding })),
      },
    },
  };
}
