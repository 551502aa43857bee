import fc from "fast-check";
import { expect, test } from "vitest";
import { CHANNEL_RULES_VERSION, CHANNELS, toChannel } from "../../src/attribution/channel-rules.ts";
import { SITES } from "../../src/attribution/channel-sites.ts";
import { channelOf } from "./channel-of.ts";

type Value = string | null;

/** Source, medium, campaign, and the channel that GA4 gives. */
const CASES: [Value, Value, Value, string][] = [
  ["(direct)", "(none)", null, "Direct"],
  ["(direct)", "(none)", "shop", "Direct"],
  ["(direct)", "cpc", null, "Paid Other"],
  ["direct", "(none)", null, "Unassigned"],
  [null, null, null, "Unassigned"],
  ["google", "cpc", "cross-network", "Cross-network"],
  ["google", "cpc", "2026 cross-network sale", "Cross-network"],
  ["google", "cpc", "cross network", "Paid Search"],
  ["amazon", "cpc", null, "Paid Shopping"],
  ["www.ebay.de", "ppc", null, "Paid Shopping"],
  ["google", "cpc", "shop", "Paid Shopping"],
  ["google", "cpc", "summer\nshop", "Paid Shopping"],
  ["facebook", "paid_social", "eshop", "Paid Shopping"],
  ["google", "cpc", "workshop", "Paid Search"],
  ["google", "cpc", "windowshopping", "Paid Shopping"],
  ["google", "cpc", "éshop", "Paid Shopping"],
  ["google", "cpc", null, "Paid Search"],
  ["google.com", "ppc", null, "Paid Other"],
  ["duckduckgo", "retargeting", null, "Paid Search"],
  ["de.search.yahoo.com", "xcpx", null, "Paid Search"],
  ["facebook", "paid_social", null, "Paid Social"],
  ["youtube", "cpc", null, "Paid Video"],
  ["partner", "paid_video", null, "Paid Other"],
  ["partner", "display", null, "Display"],
  ["facebook", "banner", null, "Display"],
  ["youtube", "expandable", null, "Display"],
  [null, "interstitial", null, "Display"],
  ["partner", "cpm", null, "Display"],
  ["partner", "cpm2", null, "Paid Other"],
  ["partner", "cpc", null, "Paid Other"],
  ["partner", "unpaid", null, "Unassigned"],
  ["partner", "ppc2", null, "Unassigned"],
  ["chatgpt.com", "ai-assistant", null, "AI Assistant"],
  [null, "ai-assistant", "shop", "AI Assistant"],
  ["etsy", "referral", null, "Organic Shopping"],
  ["newsletter", "email", "summer shop", "Organic Shopping"],
  ["newsletter", "email", "workshop", "Email"],
  ["instagram", null, null, "Organic Social"],
  ["partner", "social", null, "Organic Social"],
  ["partner", "social-network", null, "Organic Social"],
  ["google", "sm", null, "Organic Social"],
  [null, "social media", null, "Organic Social"],
  ["partner", "socials", null, "Unassigned"],
  ["facebook", "email", null, "Organic Social"],
  ["facebook.com.evil.example", null, null, "Unassigned"],
  ["youtube", "referral", null, "Organic Video"],
  ["google", "in-video-ad", null, "Organic Video"],
  ["google", "organic", null, "Organic Search"],
  ["news.google.com", "email", null, "Organic Search"],
  ["partner.example", "referral", null, "Referral"],
  [null, "app", null, "Referral"],
  ["newsletter", "link", null, "Referral"],
  ["newsletter", "email", null, "Email"],
  ["newsletter", "exmail", null, "Unassigned"],
  ["e mail", "weekly", null, "Email"],
  ["email", null, null, "Email"],
  ["email", "affiliate", null, "Email"],
  ["partner", "affiliate", null, "Affiliates"],
  ["partner", "affiliates", null, "Unassigned"],
  ["podcast", "audio", null, "Audio"],
  ["partner", "sms", null, "SMS"],
  ["sms", null, null, "SMS"],
  ["partner", "webpush", null, "Mobile Push Notifications"],
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
