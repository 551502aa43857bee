import { literal, literals } from "./literal.ts";
import { SITES } from "./sites.ts";

/** Names the rules in a manifest; the date is that of the latest change in GA4 that they follow. */
export const CHANNEL_RULES_VERSION = "ga4-2026-05-13";

/** SQL expressions of a call's source, medium and campaign: trimmed, lower-cased text, NULL where there is none. */
export interface ChannelFields {
  source: string;
  medium: string;
  campaign: string;
}

/** Conditions never negate, so that NULL in one of them can only mean that it does not hold. */
type Condition = (fields: ChannelFields) => string;
type Field = keyof ChannelFields;

const all =
  (...conditions: Condition[]): Condition =>
  (fields) =>
    `(${conditions.map((condition) => condition(fields)).join(" AND ")})`;

const any =
  (...conditions: Condition[]): Condition =>
  (fields) =>
    `(${conditions.map((condition) => condition(fields)).join(" OR ")})`;

const is =
  (field: Field, ...words: string[]): Condition =>
  (fields) =>
    `${fields[field]} IN (${literals(words)})`;

/** GLOB and not LIKE: it minds no `_`, and knows sets of characters. */
const looksLike = (field: Field, ...patterns: string[]): Condition =>
  any(...patterns.map((pattern) => (fields: ChannelFields) => `${fields[field]} GLOB ${literal(pattern)}`));

const isSite =
  (kind: keyof typeof SITES): Condition =>
  ({ source }) =>
    `iif(${source} GLOB 'www.*', substr(${source}, 5), ${source}) IN (${literals(SITES[kind])})`;

const hasNoMedium: Condition = ({ medium }) => `coalesce(${medium}, '') IN ('', '(none)', '(not set)')`;
const isPaid = any(is("medium", "ppc", "retargeting"), looksLike("medium", "*cp*", "paid*"));
/** A shop, also an e-shop, but no workshop. */
const isShopping = any(isSite("shopping"), looksLike("campaign", "shop*", "*[^a-df-z]shop*", "*shopping*"));

/**
 * GA4's default channel group for traffic that was tagged by hand; the first rule that holds names the channel
 * (support.google.com/analytics/answer/9756891). The place of AI Assistant is our own: before the organic rules, so that
 * the assistant of a search engine is not Organic Search.
 */
const RULES = [
  ["Direct", all(is("source", "(direct)"), hasNoMedium)],
  ["Cross-network", looksLike("campaign", "*cross-network*")],
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
  ["Organic Video", any(looksLike("medium", "*video*"), isSite("video"))],
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
    any(looksLike("medium", "*push", "*mobile*", "*notification*"), is("source", "firebase")),
  ],
] as const satisfies readonly (readonly [string, Condition])[];

const UNASSIGNED = "Unassigned";

/** A way by which calls come. */
export type Channel = (typeof RULES)[number][0] | typeof UNASSIGNED;

/** Every channel, in the order of the rules; Unassigned, for what meets none, comes last. */
export const CHANNELS: readonly Channel[] = [...RULES.map(([channel]) => channel), UNASSIGNED];

/** Returns one SQL expression, never NULL, for the channel of a call. */
export function channelSql(fields: ChannelFields): string {
  const rules = conditions(fields).map(({ channel, sql }) => `WHEN ${sql} THEN ${literal(channel)}`);
  return `CASE ${rules.join("\n  ")}\n  ELSE ${literal(UNASSIGNED)} END`;
}

/** Returns each rule's own condition as an SQL expression that is 1 or 0, in the order in which rules are tried. */
export function channelRuleSql(fields: ChannelFields): { channel: Channel; sql: string }[] {
  return conditions(fields).map(({ channel, sql }) => ({ channel, sql: `(${sql}) IS TRUE` }));
}

function conditions({ source, medium, campaign }: ChannelFields): { channel: Channel; sql: string }[] {
  const operands = { source: `(${source})`, medium: `(${medium})`, campaign: `(${campaign})` };
  return RULES.map(([channel, condition]) => ({ channel, sql: condition(operands) }));
}
