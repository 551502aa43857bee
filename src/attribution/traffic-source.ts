import { type SiteKind, siteKind } from "./channel-sites.ts";

/** What decides a call's source and medium: the first of these that it has. */
export type SourceRule = "utm" | "click id" | "campaign" | "referrer" | "none";

export interface Visit {
  /** utm_source and utm_medium as they count. */
  source: string | null;
  medium: string | null;
  isTagged: boolean;
  isGoogleClick: boolean;
  /** A click id of Google Ads or any other platform. */
  hasClickId: boolean;
  hasCampaign: boolean;
  referringHost: string | null;
}

/**
 * Domains of search engines; Google's list mostly has only names. The prefix must belong to search pages:
 * `google.co.uk`, `m.baidu.com` and `r.search.yahoo.com` match, `docs.google.com` and `finance.yahoo.com` do not.
 */
const ENGINE_DOMAIN =
  /^(?:(?:google|yandex)\.(?:com|(?:com?\.)?[a-z]{2})|(?:ask|baidu|bing|dogpile|duckduckgo|naver|qwant|sogou|yahoo)\.com|daum\.net|seznam\.cz|yahoo\.co\.jp)$/;
const SEARCH_PREFIX = /^(?:(?:[a-z]+\.)?search|images|html|lite|[a-z]{1,2})\./;

/**
 * Follows GA4. A visit with only another platform's click id, or only a campaign, has neither source nor medium.
 * @param nameOf the key under which a source counts that is not from a tag
 */
export function toTrafficSource(
  visit: Visit,
  nameOf: (source: string) => string | null,
): { source: string | null; medium: string | null; rule: SourceRule } {
  const { referringHost } = visit;
  const tagged = { source: visit.source, medium: visit.medium };
  if (visit.isGoogleClick) {
    const source = tagged.source ?? nameOf("google");
    const isFilled = (tagged.medium ?? "organic") === "organic";
    return { source, medium: isFilled ? "cpc" : tagged.medium, rule: visit.isTagged ? "utm" : "click id" };
  }
  if (visit.isTagged) return { ...tagged, rule: "utm" };
  if (visit.hasClickId) return { source: null, medium: null, rule: "click id" };
  if (visit.hasCampaign) return { source: null, medium: null, rule: "campaign" };
  if (referringHost === null) return { source: "(direct)", medium: "(none)", rule: "none" };
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
