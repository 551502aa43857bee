import { describe, expect, it } from "vitest";
import { attributeCall } from "../../../src/calls/attribution/attribute-call.ts";
import { type AttributionRules, DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { compileRules, toDuration } from "../../../src/calls/attribution/compiled-rules.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { OUTCOMES } from "../../../src/calls/facts.ts";
import { FULL_CALL, makeCall } from "../../support/warehouses/calls.ts";

const factsOf = (members: Parameters<typeof makeCall>[0], rules: Partial<AttributionRules> = {}) =>
  attributeCall(makeCall(members), { ...DEFAULT_RULES, ...rules });

type Text = string | null;
type Row = [members: Partial<Call>, channel: string, source: Text, medium: Text, campaign?: Text];

describe("attributeCall", () => {
  it("derives every fact of a call with every member", () => {
    expect(attributeCall({ ...FULL_CALL, gclid: " CjA " }, DEFAULT_RULES)).toEqual({
      call_started: "2026-09-15T14:30:00.125Z",
      duration: 61,
      outcome: "answered",
      topic: null,
      is_qualified: true,
      in_hours: null,
      caller: "+4930123456",
      source: "google",
      medium: "cpc",
      campaign: "Autumn sale",
      campaign_id: "99",
      gclid: "CjA",
      gclsrc: "aw.ds",
      channel: "Paid Search",
      referring_host: "google.com",
      utm_source_folded: "google",
      utm_medium_folded: "cpc",
      utm_campaign_folded: "autumn",
      utm_content_folded: "headline",
      utm_term_folded: "plumber",
      insight_name: "Google Ads",
      org_unit_id: 7,
      org_unit_name: "Munich",
      tracking_number: "+4989654321",
      disposition: "ANSWERED",
    });
  });

  it("attributes a call without members to direct traffic", () => {
    const { outcome, is_qualified, source, medium, channel, ...others } = factsOf({});
    expect({ outcome, is_qualified, source, medium, channel }).toEqual({
      outcome: "other",
      is_qualified: false,
      source: "(direct)",
      medium: "(none)",
      channel: "Direct",
    });
    expect(new Set(Object.values(others))).toEqual(new Set([null]));
  });

  it.each<Row>([
    [{ gclid: "Cj" }, "Paid Search", "google", "cpc"],
    [{ gclid: "Cj", utm_medium: "Organic" }, "Paid Search", "google", "cpc"],
    [{ gclid: "Cj", utm_medium: "email" }, "Paid Search", "google", "cpc"],
    [{ gclid: "Cj", utm_source: "Bing" }, "Paid Search", "google", "cpc"],
    [{ gclid: "Cj", gclsrc: " 3P.ds " }, "Unassigned", null, null],
    [{ gclid: "{gclid}" }, "Direct", "(direct)", "(none)"],
    [{ gclsrc: "aw.ds" }, "Direct", "(direct)", "(none)"],
    [{ utm_source: "{source}" }, "Direct", "(direct)", "(none)"],
    [{ referring_url: "null" }, "Direct", "(direct)", "(none)"],
    [{ referring_url: "https://www.google.co.uk/" }, "Organic Search", "google", "organic"],
    [{ referring_url: "http://m.facebook.com/x?y" }, "Organic Social", "m.facebook.com", "referral"],
    [{ referring_url: "https://youtube.com/" }, "Organic Video", "youtube.com", "referral"],
    [{ referring_url: "https://www.ebay.de/" }, "Organic Shopping", "ebay.de", "referral"],
    [{ referring_url: "https://www.bbb.org/us" }, "Referral", "bbb.org", "referral"],
    [{ referring_url: "https://bing.com/?msclkid=1" }, "Paid Search", "bing", "cpc"],
    // Its tags are those of a visit to that page.
    [
      { referring_url: "https://blog.example/?utm_source=facebook&utm_medium=paid_social&utm_term=tap" },
      ...(["Referral", "blog.example", "referral"] as const),
    ],
    [{ referring_url: "https://bing.com/", utm_term: "plumber" }, "Unassigned", null, null],
    [{ utm_medium: "organic" }, "Organic Search", null, "organic"],
    [{ utm_source: "(direct)" }, "Direct", "(direct)", "(none)"],
    [{ utm_source: "(direct)", utm_medium: "(none)", gclid: "Cj" }, "Paid Search", "google", "cpc"],
    [{ utm_source: "bing", extra: '{"msclkid":"1"}' }, "Paid Search", "bing", "cpc"],
    [
      { extra: '{"dni_data":{"wbraid":"Cl"}}', referring_url: "https://www.google.com/" },
      "Paid Search",
      "google",
      "cpc",
    ],
    ...["gbraid=0AAA", "gclid=Cj"].map((parameter): Row => {
      const referring_url = `https://www.plumber.example/?gad_source=1&${parameter}`;
      return [{ referring_url }, "Paid Search", "google", "cpc"];
    }),
    ...[
      ["https://chatgpt.com/", "chatgpt.com"],
      ["https://gemini.google.com/app", "gemini.google.com"],
      ["https://claude.ai/", "claude.ai"],
      ["https://www.perplexity.ai/", "perplexity.ai"],
      ["https://copilot.microsoft.com/", "copilot.microsoft.com"],
    ].map(
      ([referring_url = "", source = ""]): Row => [
        { referring_url },
        "AI Assistant",
        source,
        "ai-assistant",
        "(ai-assistant)",
      ],
    ),
    [{ utm_source: "ChatGPT.com" }, "AI Assistant", "chatgpt.com", "ai-assistant", "(ai-assistant)"],
    [
      { utm_source: "chatgpt.com", utm_campaign: "x", campaign_name: "shop" },
      "AI Assistant",
      "chatgpt.com",
      "ai-assistant",
      "shop",
    ],
    [{ utm_source: "chatgpt.com", utm_medium: "referral" }, "Referral", "chatgpt.com", "referral", null],
    [{ gclid: "Cj", referring_url: "https://chatgpt.com/" }, "Paid Search", "google", "cpc", null],
    // A campaign determines the channel first by its utm value, which is folded, and then by its name.
    [{ utm_campaign: "Summer  SHOP" }, "Organic Shopping", null, null],
    [{ campaign_name: "SHOPPING" }, "Organic Shopping", null, null],
    [{ utm_campaign: "a", campaign_name: "shop" }, "Unassigned", null, null],
  ])("assigns %j to %s, %s / %s", (members, channel, source, medium, campaign) => {
    const named = campaign === undefined ? {} : { campaign };
    expect(factsOf(members)).toMatchObject({ channel, source, medium, ...named });
  });

  it.each([
    "__CAMPAIGN_NAME__",
    "*|CAMPAIGN_UID|*",
    "%7B%7Bcampaign.name%7D%7D",
    "fb_{{campaign.name}}",
    "(none)",
    "(organic)",
  ])("ignores %s in place of a campaign", (text) => {
    const members = { campaign_name: text, utm_campaign: text, campaign_id: text };
    const direct = { channel: "Direct", source: "(direct)", medium: "(none)" };
    expect(factsOf(members)).toMatchObject({ ...direct, campaign: null, campaign_id: null });
  });

  it("finds the Google click id in every place", () => {
    const gclids = [
      { gclid: "Cj", referring_url: "https://a.example/?gclid=other" },
      { referring_url: "https://a.example/?gclid=Cj&gclsrc=AW.ds" },
      { extra: '{"gbraid":"0A"}' },
    ];
    expect(gclids.map((members) => factsOf(members)).map(({ gclid, gclsrc }) => [gclid, gclsrc])).toEqual([
      ["Cj", null],
      ["Cj", "aw.ds"],
      [null, null],
    ]);
  });

  it("recognizes an AI assistant as the source despite an alias", () => {
    const aliases = { "chatgpt.com": "chatgpt" };
    const calls = [{ utm_source: "chatgpt.com" }, { referring_url: "https://chatgpt.com/" }];
    for (const members of calls)
      expect(factsOf(members, { aliases })).toMatchObject({ source: "chatgpt", channel: "AI Assistant" });
  });

  it("takes the campaign's name, or else its utm value", () => {
    const campaigns = [
      { campaign_name: " Autumn ", utm_campaign: "x" },
      { campaign_name: "null", utm_campaign: " Fall " },
      {},
    ];
    expect(campaigns.map((members) => factsOf(members).campaign)).toEqual(["Autumn", "Fall", null]);
  });

  it.each([
    { disposition: "ANSWERED", duration: 60, outcome: "answered", is_qualified: true },
    { disposition: "ANSWERED", duration: 59, outcome: "answered", is_qualified: false },
    { disposition: "ANSWERED", duration: null, outcome: "answered", is_qualified: false },
    { disposition: "No-Answer", duration: 60, outcome: "missed", is_qualified: false },
    { disposition: "spam", duration: 60, outcome: "other", is_qualified: false },
    { disposition: "null", duration: 60, outcome: "other", is_qualified: false },
  ])("of $disposition and $duration s is $outcome, qualified: $is_qualified", (each) => {
    expect(factsOf(each)).toMatchObject({ outcome: each.outcome, is_qualified: each.is_qualified });
  });

  it("qualifies a call of length 0 if no length is required", () => {
    const rules = { qualified_seconds: 0 };
    expect(factsOf({ disposition: "answered", duration: 0 }, rules).is_qualified).toBe(true);
    expect(factsOf({ disposition: "answered" }, rules).is_qualified).toBe(false);
  });

  it.each([
    ["2026-11-20T17:59:59.999Z", "yes"],
    ["2026-11-20T18:00:00.000Z", "no"],
    [null, "no"],
  ])("of %s is in hours: %s", (call_started, in_hours) => {
    const hours = { week: "Mon-Fri 08:00-18:00", closed: [], timezone: "UTC" };
    expect(factsOf({ call_started }, { hours }).in_hours).toBe(in_hours);
  });

  it.each([
    { said: "burst pipe", duration: 5, topic: "emergency", is_qualified: true },
    { said: "burst pipe", duration: null, topic: "emergency", is_qualified: true },
    { said: "burst pipe", disposition: "voicemail", topic: "emergency", is_qualified: false },
    { said: "a job", topic: "job", is_qualified: false },
    { said: "a quote", topic: "quote", is_qualified: true },
    { said: "a quote", duration: 59, topic: "quote", is_qualified: false },
    { said: "hello", topic: null, is_qualified: true },
  ])("finds the topic $topic in $said: $is_qualified", ({ said, topic, is_qualified, ...members }) => {
    const line = (topic: string, phrase: string, qualifies: boolean | null) => ({
      topic,
      phrase,
      qualifies,
      speaker: null,
      value: null,
    });
    const topics = [
      line("emergency", "burst pipe", true),
      line("job", "job", false),
      line("quote", "quote", null),
    ];
    const call = { disposition: "answered", duration: 60, transcription: said, ...members };
    expect(factsOf(call, { topics })).toMatchObject({ topic, is_qualified });
    expect(
      attributeCall(makeCall({ ...call, transcription: null }), { ...DEFAULT_RULES, topics }, topic),
    ).toMatchObject({ topic, is_qualified });
  });

  it("renames a field by its own aliases before the others, whatever its value is from", () => {
    const rules = {
      aliases: { goo: "google", brand: "b" },
      aliases_of: {
        source: { goo: "gg", google: "gg" },
        medium: { cpc: "paid", organic: "seo" },
        campaign: { brand: "Brand | Exact", "4930 123456": "Spring", junk: "" },
      },
    };
    expect(
      factsOf({ utm_source: "Goo", utm_medium: "CPC", utm_campaign: "BRAND", utm_term: "goo" }, rules),
    ).toMatchObject({
      source: "gg",
      utm_source_folded: "gg",
      medium: "paid",
      utm_medium_folded: "paid",
      campaign: "Brand | Exact",
      utm_campaign_folded: "brand | exact",
      utm_term_folded: "google",
    });
    expect(factsOf({ campaign_name: " 4930  123456 ", gclid: "x" }, rules)).toMatchObject({
      campaign: "Spring",
      source: "gg",
      medium: "paid",
      utm_campaign_folded: null,
    });
    expect(factsOf({ campaign_name: "Junk", utm_campaign: "brand" }, rules).campaign).toBe("Brand | Exact");
    expect(factsOf({ campaign_name: "Junk", referring_url: "https://google.com/" }, rules)).toMatchObject({
      campaign: null,
      source: "gg",
      medium: "seo",
    });
    const assistant = factsOf(
      { referring_url: "https://chatgpt.com/" },
      { aliases_of: { medium: { "ai-assistant": "ai" } } },
    );
    expect(assistant).toMatchObject({ medium: "ai", campaign: "(ai-assistant)" });
  });

  it("counts a utm value under its alias, or under none if the alias is empty", () => {
    const aliases = { "face book": "facebook", x: "", goo: "google" };
    expect(
      factsOf({ utm_source: "Face  Book", utm_medium: "X", utm_term: "goo" }, { aliases }),
    ).toMatchObject({
      utm_source_folded: "facebook",
      utm_medium_folded: null,
      utm_term_folded: "google",
      source: "facebook",
    });
    const ofReferrer = factsOf({ referring_url: "https://goo/" }, { aliases });
    expect([ofReferrer.source, ofReferrer.referring_host]).toEqual(["google", "goo"]);
  });
});

describe("compileRules", () => {
  it("compiles each rules object once", () => {
    const rules = { ...DEFAULT_RULES };
    expect(compileRules(rules)).toBe(compileRules(rules));
    const milliseconds = compileRules({ ...DEFAULT_RULES, duration_unit: "milliseconds" });
    expect([compileRules(rules), milliseconds].map((each) => each.qualifiedDuration)).toEqual([60, 60_000]);
  });

  it("treats a disposition in both lists as answered", () => {
    const { outcomeOf } = compileRules({ ...DEFAULT_RULES, answered: ["Busy_line"], missed: ["busy line"] });
    expect(["BUSY-LINE", "busy"].map(outcomeOf)).toEqual(["answered", "other"]);
    expect(OUTCOMES).toEqual(["answered", "missed", "other"]);
  });
});

describe("toDuration", () => {
  it("returns a duration in the service's unit", () => {
    expect(toDuration(2, { duration_unit: "seconds" })).toBe(2);
    expect(toDuration(2, { duration_unit: "milliseconds" })).toBe(2000);
  });
});
