import type { Call } from "../../../src/calls/columns.ts";

type Name = "oahu" | "chicago" | "howe";

/** The facts of a visit, as docs/figures.md derives them. */
export interface VisitFacts {
  source: string | null;
  medium: string | null;
  campaign: string | null;
  channel: string;
}

export interface Visit {
  members: Partial<Call>;
  /** By which ids of clicks its calls are known; an account's n-th two calls have one click. */
  clicks?: readonly ("gclid" | "gbraid" | "wbraid" | "msclkid")[];
  facts: VisitFacts;
  /** Where an account's aliases or channels decide otherwise. */
  otherwise?: Partial<Record<Name, Partial<VisitFacts>>>;
}

/** Each way in which a call can come to its source; the facts are written by hand, from the documentation alone. */
export const VISITS: readonly Visit[] = [
  {
    members: {
      ...{ utm_source: "Google", utm_medium: "cpc", utm_campaign: "spring" },
      ...{ campaign_name: "Spring sale", campaign_id: "701", insight_name: "Google Ads" },
    },
    clicks: ["gclid"],
    facts: { source: "google", medium: "cpc", campaign: "Spring sale", channel: "Paid Search" },
    otherwise: { howe: { medium: "paid-click", channel: "Paid Search" } },
  },
  {
    members: {
      utm_source: "gads",
      utm_medium: "PPC",
      utm_campaign: "Sommer",
      utm_content: "ad-b",
      utm_term: "leak",
    },
    clicks: ["gclid", "gbraid", "wbraid"],
    facts: { source: "gads", medium: "ppc", campaign: "Sommer", channel: "Paid Other" },
    otherwise: {
      oahu: { source: "google", campaign: "Summer", channel: "Paid Search" },
      chicago: { source: "bing", channel: "Paid Search" },
    },
  },
  {
    members: {
      ...{
        utm_source: "facebook",
        utm_medium: "paid_social",
        campaign_name: "Lookalike",
        campaign_id: "702",
      },
      insight_name: "Meta",
    },
    facts: { source: "facebook", medium: "paid_social", campaign: "Lookalike", channel: "Paid Social" },
    otherwise: { chicago: { source: "meta", channel: "Social ads" }, oahu: {}, howe: {} },
  },
  {
    // One name, two ids, in two sources.
    members: {
      utm_source: "bing",
      utm_medium: "cpc",
      campaign_name: "Twin",
      campaign_id: "703",
      utm_term: "drain",
    },
    clicks: ["msclkid"],
    facts: { source: "bing", medium: "cpc", campaign: "Twin", channel: "Paid Search" },
    otherwise: { howe: { medium: "paid-click" } },
  },
  {
    members: { utm_source: "facebook", utm_medium: "paid_social", campaign_name: "Twin", campaign_id: "704" },
    facts: { source: "facebook", medium: "paid_social", campaign: "Twin", channel: "Paid Social" },
    otherwise: { chicago: { source: "meta", channel: "Social ads" } },
  },
  {
    members: {
      utm_source: "newsletter",
      utm_medium: "email",
      utm_campaign: "March letter",
      utm_content: "top",
    },
    facts: { source: "newsletter", medium: "email", campaign: "March letter", channel: "Email" },
  },
  {
    members: { utm_source: "partner-north", utm_medium: "link", utm_term: "Leak" },
    facts: { source: "partner-north", medium: "link", campaign: null, channel: "Referral" },
    otherwise: { oahu: { channel: "Partners" }, howe: { channel: "Friends" } },
  },
  {
    members: { referring_url: "https://www.google.com/search" },
    facts: { source: "google", medium: "organic", campaign: null, channel: "Organic Search" },
  },
  {
    members: { referring_url: "https://www.yard.example/post/9" },
    facts: { source: "yard.example", medium: "referral", campaign: null, channel: "Referral" },
    otherwise: { chicago: { channel: "Reviews" } },
  },
  {
    members: { referring_url: "https://www.shop.example/?msclkid=m1" },
    facts: { source: "bing", medium: "cpc", campaign: null, channel: "Paid Search" },
    otherwise: { howe: { medium: "paid-click" } },
  },
  { members: {}, facts: { source: "(direct)", medium: "(none)", campaign: null, channel: "Direct" } },
];

/** Returns what a visit counts as in an account. */
export const factsOf = ({ facts, otherwise }: Visit, account: Name): VisitFacts => ({
  ...facts,
  ...otherwise?.[account],
});
