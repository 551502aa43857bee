import { describe, expect, it } from "vitest";
import { toReferrer, toTrafficSource, type Visit } from "../../../src/calls/attribution/traffic-source.ts";

const VISIT: Visit = {
  source: null,
  medium: null,
  isTagged: false,
  isTaggedByAssistant: false,
  clickOn: null,
  hasCampaign: false,
  referringHost: null,
};

const sourceOf = (visit: Partial<Visit>) =>
  toTrafficSource({ ...VISIT, ...visit }, (source) => (source === "fb.me" ? "facebook" : source));

describe("toReferrer", () => {
  it.each([
    ["google.com", "google", "search"],
    ["google.co.uk", "google", "search"],
    ["google.com.au", "google", "search"],
    ["google.de", "google", "search"],
    ["images.google.fr", "google", "search"],
    ["bing.com", "bing", "search"],
    ["cn.bing.com", "bing", "search"],
    ["duckduckgo.com", "duckduckgo", "search"],
    ["search.yahoo.com", "yahoo", "search"],
    ["r.search.yahoo.com", "yahoo", "search"],
    ["malaysia.search.yahoo.com", "yahoo", "search"],
    ["search.yahoo.co.jp", "yahoo", "search"],
    ["m.baidu.com", "baidu", "search"],
    ["m.search.naver.com", "naver", "search"],
    ["yandex.com.tr", "yandex", "search"],
    ["ecosia.org", "ecosia.org", "search"],
    ["news.google.com", "news.google.com", "search"],
    ["lite.qwant.com", "qwant", "search"],
    ["docs.google.com", "docs.google.com", undefined],
    ["mail.google.com", "mail.google.com", undefined],
    ["sites.google.com", "sites.google.com", "social"],
    ["finance.yahoo.com", "finance.yahoo.com", undefined],
    ["answers.yahoo.com", "answers.yahoo.com", "social"],
    ["google.com.evil.example", "google.com.evil.example", undefined],
    ["notgoogle.com", "notgoogle.com", undefined],
    ["google.example", "google.example", undefined],
    ["ask.fm", "ask.fm", undefined],
    ["m.facebook.com", "m.facebook.com", "social"],
    ["yelp.com", "yelp.com", "social"],
    ["t.co", "t.co", "social"],
    ["m.youtube.com", "m.youtube.com", "video"],
    ["amazon.com", "amazon.com", "shopping"],
    ["chatgpt.com", "chatgpt.com", undefined],
    ["com.google.android.gm", "com.google.android.gm", undefined],
  ])("of %s is %s, %s", (host, name, kind) => {
    expect(toReferrer(host)).toEqual({ name, kind });
  });
});

describe("toTrafficSource", () => {
  it("uses the tags, the click, the campaign and the referrer, in this order", () => {
    const all = {
      source: "newsletter",
      medium: "email",
      isTagged: true,
      clickOn: "google" as const,
      hasCampaign: true,
      referringHost: "bing.com",
    };
    const untagged = { ...all, source: null, medium: null, isTagged: false };
    const microsoft = { ...untagged, clickOn: "microsoft" as const };
    const otherClick = { ...untagged, clickOn: "other" as const };
    const campaign = { ...otherClick, clickOn: null };
    const referrer = { ...campaign, hasCampaign: false };
    expect(
      [all, untagged, microsoft, otherClick, campaign, referrer, { ...referrer, referringHost: null }].map(
        sourceOf,
      ),
    ).toEqual([
      { source: "newsletter", medium: "email", rule: "utm" },
      { source: "google", medium: "cpc", rule: "click id" },
      { source: "bing", medium: "cpc", rule: "click id" },
      { source: null, medium: null, rule: "click id" },
      { source: null, medium: null, rule: "campaign" },
      { source: "bing", medium: "organic", rule: "referrer" },
      { source: "(direct)", medium: "(none)", rule: "none" },
    ]);
  });

  it("does not complete tags with the referrer", () => {
    expect(sourceOf({ medium: "email", isTagged: true, referringHost: "bing.com" })).toEqual({
      source: null,
      medium: "email",
      rule: "utm",
    });
    expect(sourceOf({ isTagged: true, referringHost: "bing.com" })).toEqual({
      source: null,
      medium: null,
      rule: "utm",
    });
  });

  it.each([
    { source: "bing", medium: null, clickOn: "google", counts: "google / cpc" },
    { source: "bing", medium: "organic", clickOn: "google", counts: "google / cpc" },
    { source: "google", medium: "organic", clickOn: "google", counts: "google / cpc" },
    { source: "google", medium: "organic", clickOn: "microsoft", counts: "bing / cpc" },
    { source: "google", medium: null, clickOn: "microsoft", counts: "bing / cpc" },
    { source: "facebook", medium: null, clickOn: "google", counts: "google / cpc" },
    {
      source: "facebook",
      medium: null,
      clickOn: "google",
      isTaggedByAssistant: true,
      counts: "google / cpc",
    },
    { source: null, medium: null, clickOn: "microsoft", counts: "bing / cpc" },
    { source: null, medium: "email", clickOn: "google", counts: "google / cpc" },
    { source: null, medium: "referral", clickOn: "google", counts: "google / cpc" },
    { source: "newsletter", medium: "email", clickOn: "google", counts: "newsletter / email" },
    {
      source: "partner.example",
      medium: "referral",
      clickOn: "microsoft",
      counts: "partner.example / referral",
    },
    { source: "google", medium: "display", clickOn: "google", counts: "google / display" },
    { source: "bing", medium: "organic", clickOn: "other", counts: "bing / organic" },
  ] as const)(
    "uses source and medium both of the click or both of the tags: $source / $medium, $clickOn",
    ({ counts, ...visit }) => {
      const { source, medium, rule } = sourceOf({ ...visit, isTagged: true });
      expect(`${source} / ${medium}`).toBe(counts);
      expect(rule).toBe(counts.endsWith("cpc") ? "click id" : "utm");
    },
  );

  it("counts a referrer under its alias", () => {
    expect(sourceOf({ referringHost: "fb.me" })).toEqual({
      source: "facebook",
      medium: "referral",
      rule: "referrer",
    });
  });
});
