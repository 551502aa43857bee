import type { Call } from "../call.ts";
import type { AttributionRules } from "./attribution-rules.ts";
import { presentId, presentNumber, presentText, toCaller } from "./call-text.ts";
import { type Channel, toChannel } from "./channel-rules.ts";
import { compileRules, type Outcome } from "./compiled-rules.ts";
import { microsoftClickId } from "./microsoft-click-id.ts";
import { toReferringHost } from "./referring-host.ts";
import { toTrafficSource, type Visit } from "./traffic-source.ts";

/** Raise this with every change of what {@link attributeCall} returns; stored facts are then recomputed. */
export const ATTRIBUTION_VERSION = 3;

export const UTM_FIELDS = ["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term"] as const;
export type UtmField = (typeof UTM_FIELDS)[number];

/** The facts of one call by the rules in force; null for no value. */
export interface CallFacts {
  /** ISO 8601 UTC with milliseconds, years 0000 to 9999. */
  call_started: string | null;
  /** As served, in the unit of the rules; null above the largest value that sums exactly. */
  duration: number | null;
  outcome: Outcome;
  /** Answered, and long enough. */
  is_qualified: boolean;
  /** The caller's number as `+` and digits. */
  caller: string | null;
  /** Folded utm_source; else google for a Google ad click, else from the referrer; `(direct)` if there is none of these. */
  source: string | null;
  /** Folded utm_medium; cpc for a Google ad click if missing or organic; else organic, referral or `(none)`. */
  medium: string | null;
  /** campaign_name, else utm_campaign, in composed form (NFC). */
  campaign: string | null;
  campaign_id: string | null;
  gclid: string | null;
  gclsrc: string | null;
  channel: Channel;
  referring_host: string | null;
  utm_source_folded: string | null;
  utm_medium_folded: string | null;
  utm_campaign_folded: string | null;
  utm_content_folded: string | null;
  utm_term_folded: string | null;
  insight_name: string | null;
  org_unit_id: number | null;
  org_unit_name: string | null;
  /** As `+` and digits; as served if it is not a number. */
  tracking_number: string | null;
  disposition: string | null;
}

/** The members of a call that decide its facts. */
export type AttributedMembers = Omit<
  Call,
  | "call_id"
  | "recording_url"
  | "google_analytics_cid"
  | "extra"
  | "summary"
  | "transcription"
  | "transcription_details"
>;

export function attributeCall(call: AttributedMembers, rules: AttributionRules): CallFacts {
  const { outcomeOf, utmKeyOf, qualifiedDuration } = compileRules(rules);
  const { call_started, duration } = call;
  const toUtmKey = (value: string | null) => (value === null ? null : utmKeyOf(value));
  const visit = {
    utm_source_folded: toUtmKey(call.utm_source),
    utm_medium_folded: toUtmKey(call.utm_medium),
    utm_campaign_folded: toUtmKey(call.utm_campaign),
    utm_content_folded: toUtmKey(call.utm_content),
    utm_term_folded: toUtmKey(call.utm_term),
    gclid: presentId(call.gclid),
    gclsrc: presentId(call.gclsrc)?.toLowerCase() ?? null,
    campaign: presentText(call.campaign_name) ?? presentText(call.utm_campaign),
    campaign_id: presentText(call.campaign_id),
    referring_host: toReferringHost(call.referring_url),
  };
  const { source, medium } = toTrafficSource(visitOf(call, visit), utmKeyOf);
  const disposition = presentText(call.disposition);
  const outcome = disposition === null ? "other" : outcomeOf(disposition);
  return {
    call_started,
    duration,
    outcome,
    is_qualified: outcome === "answered" && duration !== null && duration >= qualifiedDuration,
    caller: toCaller(call.caller_id),
    source,
    medium,
    ...visit,
    channel: toChannel({
      source: source ?? "",
      medium: medium ?? "",
      campaign: visit.utm_campaign_folded ?? presentText(call.campaign_name)?.toLowerCase() ?? "",
    }),
    insight_name: presentText(call.insight_name),
    org_unit_id: call.org_unit_id,
    org_unit_name: presentText(call.org_unit_name),
    tracking_number: presentNumber(call.tracking_number),
    disposition,
  };
}

type VisitFact = `${UtmField}_folded` | "gclid" | "gclsrc" | "campaign" | "campaign_id" | "referring_host";

export function visitOf(
  { referring_url }: Pick<Call, "referring_url">,
  facts: Pick<CallFacts, VisitFact>,
): Visit {
  return {
    source: facts.utm_source_folded,
    medium: facts.utm_medium_folded,
    isTagged: UTM_FIELDS.some((field) => facts[`${field}_folded`] !== null),
    isGoogleClick: isGoogleClick(facts),
    hasClickId: facts.gclid !== null || microsoftClickId(referring_url, null) !== null,
    hasCampaign: facts.campaign !== null || facts.campaign_id !== null,
    referringHost: facts.referring_host,
  };
}

/** Whether a Google ad was clicked: a gclid, unless Search Ads 360 issued it for another platform's ad. */
export function isGoogleClick({ gclid, gclsrc }: Pick<CallFacts, "gclid" | "gclsrc">): boolean {
  return gclid !== null && gclsrc !== "3p.ds";
}

export type FactColumn = keyof CallFacts | "call_id" | "is_live" | "is_first_call";
