import type { DerivedFact, FactValue, RuledFact } from "../call/facts.ts";
import { presentId, presentNumber, presentText, toCaller } from "./call-text.ts";
import { compileRules } from "./compiled-rules.ts";
import {
  type AttributedMembers,
  type Evidence,
  isQualified,
  type RuledMembers,
  toChannelValues,
} from "./evidence.ts";

type Derive<Name extends DerivedFact, Members extends RuledMembers> = (
  evidence: Evidence<Members>,
) => FactValue<Name>;

/** How the facts that depend on the rules follow from the evidence. */
export const RULED: { readonly [Name in RuledFact]: Derive<Name, RuledMembers> } = {
  outcome: ({ outcome }) => outcome,
  topic: ({ topic }) => topic,
  is_qualified: ({ outcome, call, topic, rules }) =>
    isQualified({ outcome, duration: call.duration, topic }, rules),
  source: ({ source }) => source,
  medium: ({ medium }) => medium,
  campaign: ({ campaign }) => campaign,
  channel: ({ rules, source, medium, tags, campaign, referringHost: referring_host }) =>
    compileRules(rules).channelOf(
      toChannelValues({ source, medium, utm_campaign_folded: tags.utm_campaign, campaign, referring_host }),
    ),
  utm_source_folded: ({ tags }) => tags.utm_source,
  utm_medium_folded: ({ tags }) => tags.utm_medium,
  utm_campaign_folded: ({ tags }) => tags.utm_campaign,
  utm_content_folded: ({ tags }) => tags.utm_content,
  utm_term_folded: ({ tags }) => tags.utm_term,
};

/** How all facts of a call follow from the evidence. */
export const DERIVED: { readonly [Name in DerivedFact]: Derive<Name, AttributedMembers> } = {
  ...RULED,
  call_started: ({ call }) => call.call_started,
  duration: ({ call }) => call.duration,
  in_hours: ({ call, rules }) => compileRules(rules).inHours(call.call_started),
  caller: ({ call }) => toCaller(call.caller_id),
  campaign_id: ({ campaignId }) => campaignId,
  gclid: ({ call, click }) => presentId(call.gclid) ?? (click?.by === "gclid" ? click.id : null),
  gclsrc: ({ call, click }) => presentId(call.gclsrc)?.toLowerCase() ?? click?.gclsrc ?? null,
  referring_host: ({ referringHost }) => referringHost,
  insight_name: ({ call }) => presentText(call.insight_name),
  org_unit_id: ({ call }) => call.org_unit_id,
  org_unit_name: ({ call }) => presentText(call.org_unit_name),
  tracking_number: ({ call }) => presentNumber(call.tracking_number),
  disposition: ({ disposition }) => disposition,
};
