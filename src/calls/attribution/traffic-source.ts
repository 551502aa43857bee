import type { AdClick } from "./ad-click.ts";
import { ASSISTANT_MEDIUM, isAssistant } from "./ai-assistants.ts";
import { type SiteKind, siteKind } from "./channel-sites.ts";

/** What may decide a call's source and medium. */
export interface Visit {
  /** utm_source and utm_medium as they count. */
  source: string | null;
  medium: string | null;
  isTagged: boolean;
  /** Whether utm_source, before its alias, names an AI assistant, and no medium is given. */
  isTaggedByAssistant: boolean;
  clickOn: AdClick["platform"] | null;
  hasCampaign: boolean;
  referringHost: string | null;
}

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
