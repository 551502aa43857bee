import fc from "fast-check";
import { expect, test } from "vitest";
import { CHANNEL_RULES_VERSION, CHANNELS, toChannel } from "../../../src/calls/attribution/channel-rules.ts";
import { SITES } from "../../../src/calls/attribution/channel-sites.ts";
import { channelOf } from "./channel-of.ts";

type Value = string | null;

/** Source, medium, campaign, and the channel that GA4 gives. */
const CASES: [Value, Value, Value, string][] = [
  ["(direct)", "(none)", null, "Direct"],
  ["(direct)", "(not set)", null, "Direct"],
  ["(direct)", null, null, "Direct"],
  ["(direct)", "(none)", "shop", "Direct"],
  ["(direct)", "(none)", "cross-network", "Direct"],
  ["(direct)", "cpc", null, "Paid Other"],
  ["(direct)", "referral", null, "Referral"],
  ["direct", "(none)", null, "Unassigned"],
  ["direct", null, null, "Unassigned"],
  [null, "(none)", null, "Unassigned"],
  [null, null, null, "Unassigned"],
  ["google", "cpc", "cross-network", "Cross-network"],
  ["google", "cpc", "2026 cross-network sale", "Cross-network"],
  ["amazon", "cpc", "cross-network shopping", "Cross-network"],
  [null, null, "cross-network", "Cross-network"],
  ["google", "cpc", "cross network", "Paid Search"],
  ["google", "cross-network", null, "Organic Search"],
  ["amazon", "cpc", null, "Paid Shopping"],
  ["amazon.com", "paid", "books", "Paid Shopping"],
  ["www.ebay.de", "ppc", null, "Paid Shopping"],
  ["google shopping", "cpc", null, "Paid Shopping"],
  ["google", "cpc", "shop", "Paid Shopping"],
  ["google", "cpc", "shopping", "Paid Shopping"],
  ["google", "cpc", "summer\nshop", "Paid Shopping"],
  ["google", "cpc", "brand shop de", "Paid Shopping"],
  ["facebook", "paid_social", "eshop", "Paid Shopping"],
  ["newsletter", "cpm", "e-shop launch", "Paid Shopping"],
  ["walmart", "cpm", null, "Paid Shopping"],
  ["google", "cpc", "workshop", "Paid Search"],
  ["google", "cpc", "bishop & co", "Paid Search"],
  ["google", "cpc", "windowshopping", "Paid Shopping"],
  ["google", "cpc", "éshop", "Paid Shopping"],
  ["google", "cpc", "brand", "Paid Search"],
  ["google", "cpc", null, "Paid Search"],
  ["google.com", "ppc", null, "Paid Other"],
  ["yahoo.com", "ppc", null, "Paid Search"],
  ["www.yahoo.com", "cpc", null, "Paid Search"],
  ["bing", "paidsearch", null, "Paid Search"],
  ["duckduckgo", "retargeting", null, "Paid Search"],
  ["ecosia.org", "cpv", null, "Paid Search"],
  ["yahoo", "cpm", null, "Paid Search"],
  ["de.search.yahoo.com", "xcpx", null, "Paid Search"],
  ["facebook", "paid_social", null, "Paid Social"],
  ["facebook.com", "cpc", null, "Paid Social"],
  ["m.facebook.com", "paid-social", null, "Paid Social"],
  ["www.linkedin.com", "cpm", null, "Paid Social"],
  ["tiktok", "paid", "workshop", "Paid Social"],
  ["ig", "ppc", null, "Paid Social"],
  ["youtube", "cpc", null, "Paid Video"],
  ["www.youtube.com", "cpv cpm", null, "Paid Video"],
  ["vimeo.com", "paid_video", null, "Paid Video"],
  ["partner", "paid_video", null, "Paid Other"],
  ["partner", "display", null, "Display"],
  ["google", "display", null, "Display"],
  ["facebook", "banner", null, "Display"],
  ["youtube", "expandable", null, "Display"],
  [null, "interstitial", null, "Display"],
  ["partner", "cpm", null, "Display"],
  ["partner", "cpm2", null, "Paid Other"],
  ["amazon", "display", null, "Display"],
  ["partner", "cpc", null, "Paid Other"],
  [null, "ppc", null, "Paid Other"],
  ["newsletter", "paid", null, "Paid Other"],
  ["email", "cpa cpc", null, "Paid Other"],
  ["partner", "cpa", null, "Paid Other"],
  ["partner", "unpaid", null, "Unassigned"],
  ["partner", "ppc2", null, "Unassigned"],
  ["chatgpt.com", "ai-assistant", null, "AI Assistant"],
  ["bing", "ai-assistant", null, "AI Assistant"],
  [null, "ai-assistant", "shop", "AI Assistant"],
  [null, "ai_assistant", null, "Unassigned"],
  ["etsy", "referral", null, "Organic Shopping"],
  ["amazon.co.uk", null, null, "Organic Shopping"],
  ["newsletter", "email", "summer shop", "Organic Shopping"],
  ["newsletter", "email", "shopping days", "Organic Shopping"],
  ["newsletter", "email", "workshop", "Email"],
  ["instagram", "bio", "shop", "Organic Shopping"],
  ["google", "organic", "photoshop", "Organic Search"],
  ["google", "organic", "webshop", "Organic Search"],
  ["google", "organic", "web shop", "Organic Shopping"],
  ["instagram", null, null, "Organic Social"],
  ["l.facebook.com", "referral", null, "Organic Social"],
  ["t.co", "referral", null, "Organic Social"],
  ["partner", "social", null, "Organic Social"],
  ["partner", "social-network", null, "Organic Social"],
  ["google", "sm", null, "Organic Social"],
  [null, "social media", null, "Organic Social"],
  ["partner", "socials", null, "Unassigned"],
  ["facebook", "email", null, "Organic Social"],
  ["facebook.com.evil.example", null, null, "Unassigned"],
  ["youtube", "referral", null, "Organic Video"],
  ["m.youtube.com", null, null, "Organic Video"],
  ["partner", "video", null, "Organic Video"],
  ["google", "in-video-ad", null, "Organic Video"],
  ["google", "organic", null, "Organic Search"],
  ["partner", "organic", null, "Organic Search"],
  ["bing", null, null, "Organic Search"],
  ["www.bing", "referral", null, "Organic Search"],
  ["news.google.com", "email", null, "Organic Search"],
  ["partner.example", "referral", null, "Referral"],
  [null, "app", null, "Referral"],
  ["newsletter", "link", null, "Referral"],
  ["email", "link", null, "Referral"],
  ["newsletter", "email", null, "Email"],
  ["newsletter", "e-mail", null, "Email"],
  ["newsletter", "e_mail", null, "Email"],
  ["newsletter", "exmail", null, "Unassigned"],
  ["e mail", "weekly", null, "Email"],
  ["email", null, null, "Email"],
  ["email", "affiliate", null, "Email"],
  ["partner", "affiliate", null, "Affiliates"],
  ["partner", "affiliates", null, "Unassigned"],
  ["affiliate", null, null, "Unassigned"],
  ["podcast", "audio", null, "Audio"],
  ["audio", null, null, "Unassigned"],
  ["partner", "sms", null, "SMS"],
  ["sms", null, null, "SMS"],
  ["sms", "mobile", null, "SMS"],
  ["partner", "webpush", null, "Mobile Push Notifications"],
  ["partner", "push", null, "Mobile Push Notifications"],
  ["partner", "mobile app", null, "Mobile Push Notifications"],
  ["partner", "notifications", null, "Mobile Push Notifications"],
  ["firebase", null, null, "Mobile Push Notifications"],
  ["partner", "pushed", null, "Unassigned"],
  ["flyer", "print", "spring", "Unassigned"],
];

const FRAGMENTS = [
  ..."(direct)|(none)|(not set)|cross-network|cp|cpc|ppc|paid|retargeting|shop|shopping|e|z|work|-| |_|.|www.".split(
    "|",
  ),
  ..."display|cpm|social|social media|sm|video|organic|referral|link|email|e-mail|e_mail|affiliate".split(
    "|",
  ),
  ..."audio|sms|push|mobile|notification|firebase|ai-assistant|google|facebook|.com|amazon|youtube".split(
    "|",
  ),
  ..."'|''|\"|%|*|[|]|^|?|é|ß|漢|🛒|;--".split("|"),
];

const text: fc.Arbitrary<Value> = fc.oneof(
  { weight: 1, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.constantFrom(...FRAGMENTS) },
  {
    weight: 3,
    arbitrary: fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 4 }).map((parts) => parts.join("")),
  },
);
const site = fc
  .tuple(fc.constantFrom("", "", "www.", "www.www.", "m."), fc.constantFrom(...Object.values(SITES).flat()))
  .map((parts) => parts.join(""));
const source: fc.Arbitrary<Value> = fc.oneof(text, site);

const toChannelOf = (source: Value, medium: Value, campaign: Value) =>
  toChannel({ source: source ?? "", medium: medium ?? "", campaign: campaign ?? "" });

test("toChannel assigns each source, medium and campaign to its GA4 channel", () => {
  expect(
    CASES.map(([source, medium, campaign]) => [
      source,
      medium,
      campaign,
      toChannelOf(source, medium, campaign),
    ]),
  ).toEqual(CASES);
  expect(new Set(CASES.map((row) => row[3]))).toEqual(new Set(CHANNELS));
});

test("toChannel agrees with GA4's regular expressions", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(source, text, text, (source, medium, campaign) => {
      const channel = toChannelOf(source, medium, campaign);
      expect(channel).toBe(channelOf(source ?? "", medium ?? "", campaign ?? ""));
      seen.add(channel);
    }),
    { numRuns: 5000 },
  );
  expect(seen.size).toBe(CHANNELS.length);
});

test("CHANNELS are unique, and their rules have a version", () => {
  expect(new Set(CHANNELS).size).toBe(CHANNELS.length);
  expect(CHANNEL_RULES_VERSION).toMatch(/^ga4-\d{4}-\d{2}-\d{2}$/);
});

test("SITES are folded, and each is in only one list", () => {
  const all = Object.values(SITES).flat();
  expect(all.filter((name) => name !== name.trim().toLowerCase() || name.startsWith("www."))).toEqual([]);
  expect(new Set(all).size).toBe(all.length);
});
