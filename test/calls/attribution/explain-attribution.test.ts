import { describe, expect, it } from "vitest";
import { explainAttribution } from "../../../src/calls/attribution/attribute-call.ts";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { CHANNEL_RULES_VERSION, CHANNELS } from "../../../src/calls/attribution/channel-rules.ts";
import { UTM_FIELDS } from "../../../src/calls/columns.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

const RULES = { ...DEFAULT_RULES, aliases: { fb: "facebook", none: "" } };

describe("explainAttribution", () => {
  it("shows for each utm value the folded text and the alias", () => {
    const call = makeCall({
      utm_source: " FB ",
      utm_medium: "none",
      utm_campaign: "{campaign}",
      utm_content: "B",
    });
    const { facts, reasons } = explainAttribution(call, RULES);
    expect(reasons.utm).toEqual({
      utm_source: { folded: "fb", tallied_as: "facebook" },
      utm_medium: { folded: "none", tallied_as: null },
      utm_campaign: { folded: null, tallied_as: null },
      utm_content: { folded: "b", tallied_as: "b" },
      utm_term: { folded: null, tallied_as: null },
    });
    expect(Object.keys(reasons.utm)).toEqual(UTM_FIELDS);
    expect(facts.source).toBe("facebook");
    expect(reasons.click).toBeNull();
  });

  it("lists the rules up to the first that matches", () => {
    const { reasons } = explainAttribution(makeCall({ gclid: "Cj" }), RULES);
    expect(reasons.click).toMatchObject({ platform: "google", by: "gclid", id: "Cj" });
    expect(reasons.channel_rules).toEqual({
      version: CHANNEL_RULES_VERSION,
      tried: [
        { channel: "Direct", holds: false },
        { channel: "Cross-network", holds: false },
        { channel: "Paid Shopping", holds: false },
        { channel: "Paid Search", holds: true },
      ],
    });
    const direct = explainAttribution(makeCall({ utm_source: "(direct)" }), RULES);
    expect(direct.reasons.channel_rules.tried).toEqual([{ channel: "Direct", holds: true }]);
  });

  it.each([
    [{ utm_term: "a", gclid: "Cj", referring_url: "https://t.co/" }, "click id", "social"],
    [{ utm_source: "x", utm_medium: "cpc", gclid: "Cj" }, "utm", null],
    [{ gclid: "Cj", referring_url: "https://www.google.com/" }, "click id", "search"],
    [{ campaign_id: "7", referring_url: "https://shop.example/" }, "campaign", null],
    [{ referring_url: "https://m.youtube.com/watch" }, "referrer", "video"],
    [{ utm_source: "none" }, "none", null],
  ])("gives for %j the reason of its source: %s", (members, rule, kind) => {
    const { source_rule, referrer_kind } = explainAttribution(makeCall(members), RULES).reasons;
    expect({ source_rule, referrer_kind }).toEqual({ source_rule: rule, referrer_kind: kind });
  });

  it("lists all rules if none matches", () => {
    const { tried } = explainAttribution(makeCall({ utm_term: "a" }), RULES).reasons.channel_rules;
    expect(tried).toEqual(
      CHANNELS.filter((channel) => channel !== "Unassigned").map((channel) => ({ channel, holds: false })),
    );
  });
});
