import { recordOf } from "../base/records.ts";
import { type Call, membersThat, UTM_FIELDS } from "../call/columns.ts";
import { findAdClick } from "./ad-click.ts";
import { ASSISTANT_CAMPAIGN, ASSISTANT_MEDIUM, isAssistant } from "./ai-assistants.ts";
import type { AttributionRules } from "./attribution-rules.ts";
import { foldUtm, presentId, presentNumber, presentText, toCaller } from "./call-text.ts";
import { CHANNEL_RULES_VERSION, CHANNELS } from "./channel-rules.ts";
import { type SiteKind, siteKind } from "./channel-sites.ts";
import { compileRules, type Outcome } from "./compiled-rules.ts";
import type { ChannelValues } from "./own-channels.ts";
import { toReferringHost } from "./referring-host.ts";
import { lineOf, type Transcript, wordsAround } from "./topics.ts";

/** Raise this with every change of what {@link attributeCall} returns; stored facts are then recomputed. */
export const ATTRIBUTION_VERSION = 10;

/** The members of a call that decide its facts. */
export type AttributedMembers = Omit<Call, "call_id" | "recording_url" | "google_analytics_cid" | "summary">;

/** The members that decide which facts depend on the rules, besides what was said. */
export const RULED_MEMBERS = membersThat({ isRuled: true });
export type RuledMembers = Pick<Call, (typeof RULED_MEMBERS)[number]>;

/** @param topic of a call whose transcript was not kept @default derived */
export function attributeCall(
  call: AttributedMembers,
  rules: AttributionRules,
  topic: string | null = deriveTopic(call, rules),
) {
  const visit = readVisit(call, rules);
  const { tags, names, click } = visit;
  const { outcome, is_qualified, source, medium, campaign, channel } = attributeByRules(
    call,
    rules,
    topic,
    visit,
  );
  return {
    call_started: call.call_started,
    duration: call.duration,
    outcome,
    topic,
    is_qualified,
    in_hours: compileRules(rules).inHours(call.call_started),
    caller: toCaller(call.caller_id),
    source,
    medium,
    ...tags,
    ...names,
    campaign,
    gclid: presentId(call.gclid) ?? (click?.by === "gclid" ? click.id : null),
    gclsrc: presentId(call.gclsrc)?.toLowerCase() ?? click?.gclsrc ?? null,
    channel,
    insight_name: presentText(call.insight_name),
    org_unit_id: call.org_unit_id,
    org_unit_name: presentText(call.org_unit_name),
    tracking_number: presentNumber(call.tracking_number),
    disposition: presentText(call.disposition),
  };
}

/** Returns the facts that depend on the rules: the others stay as they are if only the rules change. */
export function attributeByRules(
  call: RuledMembers,
  rules: AttributionRules,
  topic: string | null,
  { tags, names, visit } = readVisit(call, rules),
) {
  const { outcomeOf, utmKeyOf, mediumOf, channelOf } = compileRules(rules);
  const { source, medium } = toTrafficSource(visit, utmKeyOf.utm_source);
  const facts = {
    source,
    medium: mediumOf(medium),
    ...tags,
    campaign: names.campaign ?? (medium === ASSISTANT_MEDIUM ? ASSISTANT_CAMPAIGN : null),
  };
  const disposition = presentText(call.disposition);
  const outcome = disposition === null ? "other" : outcomeOf(disposition);
  return {
    outcome,
    topic,
    is_qualified: isQualified({ outcome, duration: call.duration, topic }, rules),
    ...facts,
    channel: channelOf(toChannelValues({ ...facts, referring_host: names.referring_host })),
  };
}

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

/** The facts of one call by the rules in force; null for no value. The table `call_facts` describes each. */
export type CallFacts = ReturnType<typeof attributeCall>;

const CAMPAIGN_MEMBERS = ["campaign_name", "utm_campaign"] as const;

function readVisit(call: RuledMembers, rules: AttributionRules) {
  const { utmKeyOf, campaignOf } = compileRules(rules);
  const toUtmKey = (field: (typeof UTM_FIELDS)[number]) => {
    const value = call[field];
    return value === null ? null : utmKeyOf[field](value);
  };
  const tags = {
    utm_source_folded: toUtmKey("utm_source"),
    utm_medium_folded: toUtmKey("utm_medium"),
    utm_campaign_folded: toUtmKey("utm_campaign"),
    utm_content_folded: toUtmKey("utm_content"),
    utm_term_folded: toUtmKey("utm_term"),
  };
  const names = {
    campaign: campaignOf(presentText(call.campaign_name)) ?? campaignOf(presentText(call.utm_campaign)),
    campaign_id: presentText(call.campaign_id),
    referring_host: toReferringHost(call.referring_url),
  };
  const click = findAdClick(call);
  const visit = {
    /** utm_source and utm_medium as they count. */
    source: tags.utm_source_folded,
    medium: tags.utm_medium_folded,
    isTagged: UTM_FIELDS.some((field) => tags[`${field}_folded`] !== null),
    /** Whether utm_source, before its alias, names an AI assistant, and no medium is given. */
    isTaggedByAssistant: tags.utm_medium_folded === null && isAssistant(foldUtm(call.utm_source ?? "")),
    clickOn: click?.platform ?? null,
    hasCampaign: names.campaign !== null || names.campaign_id !== null,
    referringHost: names.referring_host,
  };
  return { tags, names, click, visit };
}

export type Visit = ReturnType<typeof readVisit>["visit"];

/** What decides a call's source and medium: the first of these that it has. */
type SourceRule = "utm" | "click id" | "campaign" | "referrer" | "none";

/**
 * Domains of search engines; Google's list mostly has only names. The prefix must belong to search pages:
 * `google.co.uk`, `m.baidu.com` and `r.search.yahoo.com` match, `docs.google.com` and `finance.yahoo.com` do not.
 */
const ENGINE_DOMAIN =
  /^(?:(?:google|yandex)\.(?:com|(?:com?\.)?[a-z]{2})|(?:ask|baidu|bing|dogpile|duckduckgo|naver|qwant|sogou|yahoo)\.com|daum\.net|seznam\.cz|yahoo\.co\.jp)$/;
const SEARCH_PREFIX = /^(?:(?:[a-z]+\.)?search|images|html|lite|[a-z]{1,2})\./;

/** What GA4 calls the platforms whose ads are attributed by their click ids. */
const AD_SOURCES = { google: "google", microsoft: "bing" } as const;

export interface TrafficSource {
  source: string | null;
  medium: string | null;
  rule: SourceRule;
}

/**
 * Follows GA4. Source and medium come from the same evidence: a click on an ad decides both, unless tags name both and
 * the medium is not `organic`. A visit with only another platform's click id, or only a campaign, has neither. A tag that
 * names an AI assistant without a medium counts as a visit from it: that is our reading.
 * @param nameOf the key under which a source counts that is not from a tag
 */
export function toTrafficSource(visit: Visit, nameOf: (source: string) => string | null): TrafficSource {
  const { referringHost, clickOn, isTagged } = visit;
  const tagged = { source: visit.source, medium: visit.medium };
  if (clickOn === "google" || clickOn === "microsoft") {
    const isDecided = tagged.source !== null && (tagged.medium ?? "organic") !== "organic";
    if (isDecided) return { ...tagged, rule: "utm" };
    return { source: nameOf(AD_SOURCES[clickOn]), medium: "cpc", rule: "click id" };
  }
  if (visit.isTaggedByAssistant) return { ...tagged, medium: ASSISTANT_MEDIUM, rule: "utm" };
  if (isTagged) return { ...tagged, rule: "utm" };
  if (clickOn !== null) return { source: null, medium: null, rule: "click id" };
  if (visit.hasCampaign) return { source: null, medium: null, rule: "campaign" };
  if (referringHost === null) return { source: "(direct)", medium: "(none)", rule: "none" };
  if (isAssistant(referringHost))
    return { source: nameOf(referringHost), medium: ASSISTANT_MEDIUM, rule: "referrer" };
  const { name, kind } = toReferrer(referringHost);
  const medium = kind === "search" ? "organic" : "referral";
  return { source: nameOf(name), medium, rule: "referrer" };
}

/** Returns the name that GA4 reports for a referring host, and the list's kind of it. */
export function toReferrer(host: string): { name: string; kind: SiteKind | undefined } {
  const domain = host.replace(SEARCH_PREFIX, "");
  const name = ENGINE_DOMAIN.test(domain) ? domain.slice(0, domain.indexOf(".")) : host;
  return { name, kind: siteKind(name) };
}

export type FactColumn = keyof CallFacts | "call_id" | "is_live" | "is_first_call";

/** Returns what decided the source of a call. */
export function sourceRuleOf(call: RuledMembers, rules: AttributionRules): SourceRule {
  return toTrafficSource(readVisit(call, rules).visit, (name) => name).rule;
}

/** Attributes a call, and says why. @param keptTopic of a call whose transcript was not kept */
export function explainAttribution(
  call: AttributedMembers,
  rules: AttributionRules,
  keptTopic?: string | null,
) {
  const facts = attributeCall(call, rules, keptTopic);
  const { click } = readVisit(call, rules);
  const { findTopic, aboutTopic, campaignOf, lineOf: channelLineOf } = compileRules(rules);
  const campaignMember = CAMPAIGN_MEMBERS.find((name) => campaignOf(presentText(call[name])) !== null);
  const channelIndex = channelLineOf(toChannelValues(facts));
  const channelLine = rules.channels[channelIndex];
  const match = keptTopic === undefined ? findTopic(call) : undefined;
  const line = match && rules.topics[match.line];
  // The last channel is for calls that meet no rule.
  const rulesInOrder = channelLine === undefined ? CHANNELS.slice(0, -1) : [];
  const holding = rulesInOrder.indexOf(facts.channel);
  const tried = holding === -1 ? rulesInOrder : rulesInOrder.slice(0, holding + 1);
  const reasons = {
    /** Utm values folded, and the keys they count under, which differ if they have an alias. */
    utm: recordOf(UTM_FIELDS, (field) => ({
      folded: foldUtm(call[field] ?? "") || null,
      tallied_as: facts[`${field}_folded`],
    })),
    /** The click on an ad, by which the platform knows it; null for none. */
    click,
    source_rule: sourceRuleOf(call, rules),
    /** The member that names the campaign, before its alias; null for none. */
    campaign_from: campaignMember ?? null,
    is_assistant: isAssistant(facts.referring_host ?? ""),
    /** What Google's list says of the referring host; null if not listed. */
    referrer_kind: toReferrer(facts.referring_host ?? "").kind ?? null,
    /** The line of the file that matched, and the words around it, without case. */
    topic_match:
      match && line
        ? {
            line: lineOf(line, match.line),
            phrase: line.phrase,
            speaker: line.speaker,
            words: wordsAround(match),
          }
        : null,
    /** Whether the topic is as it was when the transcript was removed. */
    is_topic_kept: keptTopic !== undefined,
    /** What the topic says of the duration; null if it decides nothing. */
    topic_qualifies: aboutTopic(facts.topic)?.qualifies ?? null,
    /** The line of the file of channels that decided; null if GA4's rules did. */
    channel_line: channelLine ? lineOf(channelLine, channelIndex) : null,
    /** Version of the channel rules, and each rule up to the first that holds. */
    channel_rules: {
      version: CHANNEL_RULES_VERSION,
      tried: tried.map((channel, index) => ({ channel, holds: index === holding })),
    },
  };
  return { facts, reasons };
}
