import { type SiteKind, siteKind } from "./channel-sites.ts";
import { remember } from "./remember.ts";

/** Names the rules in a manifest; the date is that of the latest GA4 change that they follow. */
export const CHANNEL_RULES_VERSION = "ga4-2026-05-13";

/** What the rules look at: trimmed, lower-cased text, empty for none. */
export type Traffic = Readonly<Record<"source" | "medium" | "campaign", string>>;

type Condition = (traffic: Traffic) => boolean;

const all =
  (...conditions: Condition[]): Condition =>
  (traffic) =>
    conditions.every((condition) => condition(traffic));

const any =
  (...conditions: Condition[]): Condition =>
  (traffic) =>
    conditions.some((condition) => condition(traffic));

const is = (field: keyof Traffic, ...words: string[]): Condition => {
  const set = new Set(words);
  return (traffic) => set.has(traffic[field]);
};

const looksLike =
  (field: keyof Traffic, pattern: RegExp): Condition =>
  (traffic) =>
    pattern.test(traffic[field]);

const isSite =
  (kind: SiteKind): Condition =>
  ({ source }) =>
    siteKind(source) === kind;

const isPaid = any(is("medium", "ppc", "retargeting"), looksLike("medium", /cp|^paid/));
/** Matches shop and e-shop, but not workshop. */
const isShopping = any(isSite("shopping"), looksLike("campaign", /^shop|[^a-df-z]shop|shopping/));

/**
 * GA4's default channel group; the first rule that holds names the channel
 * (support.google.com/analytics/answer/9756891). We place AI Assistant before the organic rules, so that a search
 * engine's assistant is not Organic Search.
 */
const RULES = [
  ["Direct", all(is("source", "(direct)"), is("medium", "", "(none)", "(not set)"))],
  ["Cross-network", looksLike("campaign", /cross-network/)],
  ["Paid Shopping", all(isPaid, isShopping)],
  ["Paid Search", all(isPaid, isSite("search"))],
  ["Paid Social", all(isPaid, isSite("social"))],
  ["Paid Video", all(isPaid, isSite("video"))],
  ["Display", is("medium", "display", "banner", "expandable", "interstitial", "cpm")],
  ["Paid Other", isPaid],
  ["AI Assistant", is("medium", "ai-assistant")],
  ["Organic Shopping", isShopping],
  [
    "Organic Social",
    any(
      is("medium", "social", "social-network", "social-media", "sm", "social network", "social media"),
      isSite("social"),
    ),
  ],
  ["Organic Video", any(looksLike("medium", /video/), isSite("video"))],
  ["Organic Search", any(is("medium", "organic"), isSite("search"))],
  ["Referral", is("medium", "referral", "app", "link")],
  [
    "Email",
    any(
      is("source", "email", "e-mail", "e_mail", "e mail"),
      is("medium", "email", "e-mail", "e_mail", "e mail"),
    ),
  ],
  ["Affiliates", is("medium", "affiliate")],
  ["Audio", is("medium", "audio")],
  ["SMS", any(is("source", "sms"), is("medium", "sms"))],
  [
    "Mobile Push Notifications",
    any(looksLike("medium", /push$|mobile|notification/), is("source", "firebase")),
  ],
] as const satisfies readonly (readonly [string, Condition])[];

const UNASSIGNED = "Unassigned";

/** One of {@link CHANNELS}, or the name of an own channel. */
export type Channel = string;

/** GA4's channels, in the order of the rules; Unassigned, when no rule holds, comes last. */
export const CHANNELS: readonly Channel[] = [...RULES.map(([channel]) => channel), UNASSIGNED];

export function toChannel({ source, medium, campaign }: Traffic): Channel {
  return channelOf(`${source}\n${medium}\n${campaign}`);
}

/** Source, medium and campaign, one per line; only a campaign may contain more lines. */
const channelOf = remember((text): Channel => {
  const [source = "", medium = "", ...campaign] = text.split("\n");
  const traffic = { source, medium, campaign: campaign.join("\n") };
  return RULES.find(([, condition]) => condition(traffic))?.[0] ?? UNASSIGNED;
});
