import { describe, expect, it } from "vitest";
import { attributeCall, explainAttribution } from "../../../src/calls/attribution/attribute-call.ts";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { type ChannelLine, compileChannels } from "../../../src/calls/attribution/own-channels.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

const ANY = { source: "", medium: "", campaign: "", referrer: "" };
const line = (patterns: Partial<ChannelLine>): ChannelLine => ({ channel: "Own", ...ANY, ...patterns });

describe("compileChannels", () => {
  it.each([
    ["partner-*", "partner-north", true],
    ["partner-*", "partner-", true],
    ["partner-*", "my-partner-north", false],
    ["*north", "partner-north", true],
    ["*north", "partner-north-2", false],
    ["a*b*c", "aXbYc", true],
    ["a*b*c", "acb", false],
    ["ab*ba", "aba", false],
    ["*", "", false],
    ["*", "x", true],
    ["**", "x", true],
    ["Brand | Exact", "brand | exact", true],
    ["Straße", "STRASSE", true],
    ["e\u0301t\u00e9", "\u00e9te\u0301", true],
    ["a.c", "abc", false],
    ["(x", "(x", true],
    ["(not set)", "", true],
    ["(not set)", "x", false],
    ["(direct)", "(direct)", true],
    ["\u0645\u0628\u064a\u0639\u0627\u062a*", "\u0645\u0628\u064a\u0639\u0627\u062a 2026", true],
    ["*\u{1f525}*", "sale \u{1f525} now", true],
    ["\u{1f525}", "\u{1f526}", false],
    ["=HYPERLINK(*", '=hyperlink("https://x.example")', true],
  ])("matches %j with %j: %j", (pattern, value, isMatch) => {
    for (const field of ["source", "medium", "campaign", "referrer"] as const) {
      const { lineOf } = compileChannels([line({ [field]: pattern })]);
      expect(lineOf({ ...ANY, [field]: value })).toBe(isMatch ? 0 : -1);
    }
  });

  it("takes the first line whose patterns all match, then GA4's rules", () => {
    const { channelOf } = compileChannels([
      line({ channel: "Brand", source: "google", campaign: "*brand*" }),
      line({ channel: "Google", source: "google" }),
    ]);
    const google = { ...ANY, source: "google", medium: "cpc" };
    expect(channelOf({ ...google, campaign: "us brand" })).toBe("Brand");
    expect(channelOf({ ...google, campaign: "generic" })).toBe("Google");
    expect(channelOf({ ...google, source: "bing", campaign: "brand" })).toBe("Paid Search");
  });

  it("matches many stars in less than exponential time", () => {
    const { lineOf } = compileChannels([line({ campaign: `${"*a".repeat(5000)}b` })]);
    expect(lineOf({ ...ANY, campaign: "a".repeat(20_000) })).toBe(-1);
  });
});

describe("attributeCall", () => {
  it("looks at values as they count, and at the referring host", () => {
    const rules = {
      ...DEFAULT_RULES,
      aliases: { fb: "facebook" },
      channels: [
        line({ channel: "Facebook", source: "facebook" }),
        line({ channel: "Reviews", referrer: "*.reviews.example" }),
      ],
    };
    const channelOf = (members: Parameters<typeof makeCall>[0]) =>
      attributeCall(makeCall(members), rules).channel;
    expect(channelOf({ utm_source: "FB" })).toBe("Facebook");
    expect(channelOf({ referring_url: "https://www.reviews.example/x" })).toBe("Referral");
    expect(channelOf({ referring_url: "https://best.reviews.example/x" })).toBe("Reviews");
    expect(channelOf({})).toBe("Direct");
  });

  it("names the line of the file, and no rules of GA4 then", () => {
    const rules = {
      ...DEFAULT_RULES,
      channels: [line({ source: "bing" }), line({ source: "google", line: 7 })],
    };
    const reasonsOf = (utm_source: string) => explainAttribution(makeCall({ utm_source }), rules).reasons;
    expect(reasonsOf("google")).toMatchObject({ channel_line: 7, channel_rules: { tried: [] } });
    expect(reasonsOf("bing")).toMatchObject({ channel_line: 2 });
    expect(reasonsOf("other").channel_line).toBeNull();
  });
});
