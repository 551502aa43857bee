import type { CallFacts, Outcome, RuledFact } from "../facts.ts";
import type { AttributionRules } from "./attribution-rules.ts";
import { presentId, presentNumber, presentText, toCaller } from "./call-text.ts";
import { type AttributedMembers, type CallTraits, toChannelValues } from "./call-traits.ts";
import { compileRules } from "./compiled-rules.ts";
import type { Transcript } from "./topics.ts";

/** Raise this with every change of a fact that `attributeCall` returns; stored facts are then recomputed. */
export const ATTRIBUTION_VERSION = 10;

// Literals, not a loop over a table of functions: that takes four tenths longer, and runs for every call.

/** Derives the facts that depend on the rules. */
export function deriveRuledFacts({
  call,
  rules,
  outcome,
  topic,
  source,
  medium,
  campaign,
  tags,
  referringHost: referring_host,
}: CallTraits): Pick<CallFacts, RuledFact> {
  return {
    outcome,
    topic,
    is_qualified: isQualified({ outcome, duration: call.duration, topic }, rules),
    source,
    medium,
    campaign,
    channel: compileRules(rules).channelOf(
      toChannelValues({ source, medium, utm_campaign_folded: tags.utm_campaign, campaign, referring_host }),
    ),
    utm_source_folded: tags.utm_source,
    utm_medium_folded: tags.utm_medium,
    utm_campaign_folded: tags.utm_campaign,
    utm_content_folded: tags.utm_content,
    utm_term_folded: tags.utm_term,
  };
}

/** Derives all facts of a call. */
export function deriveFacts(traits: CallTraits<AttributedMembers>): CallFacts {
  const { call, rules, click, campaignId, referringHost, disposition } = traits;
  return {
    ...deriveRuledFacts(traits),
    call_started: call.call_started,
    duration: call.duration,
    in_hours: compileRules(rules).inHours(call.call_started),
    caller: toCaller(call.caller_id),
    campaign_id: campaignId,
    gclid: presentId(call.gclid) ?? (click?.by === "gclid" ? click.id : null),
    gclsrc: presentId(call.gclsrc)?.toLowerCase() ?? click?.gclsrc ?? null,
    referring_host: referringHost,
    insight_name: presentText(call.insight_name),
    org_unit_id: call.org_unit_id,
    org_unit_name: presentText(call.org_unit_name),
    tracking_number: presentNumber(call.tracking_number),
    disposition,
  };
}

export function deriveTopic(transcript: Transcript, rules: AttributionRules): string | null {
  const match = compileRules(rules).findTopic(transcript);
  return (match && rules.topics[match.line]?.topic) ?? null;
}

/** Whether a call was answered and, unless its topic decides, long enough. */
export function isQualified(
  { outcome, duration, topic }: { outcome: Outcome; duration: number | null; topic: string | null },
  rules: AttributionRules,
): boolean {
  const { aboutTopic, qualifiedDuration } = compileRules(rules);
  const isLong = duration !== null && duration >= qualifiedDuration;
  return outcome === "answered" && (aboutTopic(topic)?.qualifies ?? isLong);
}
