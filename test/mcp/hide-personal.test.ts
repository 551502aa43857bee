import { describe, expect, it } from "vitest";
import { toShown } from "../../src/mcp/hide-personal.ts";

describe("toShown", () => {
  it.each([
    { given: { source: "call 0049 30 555 012 345" }, shown: { source: "[looks like a phone number]" } },
    { given: { utm_term: ["a@example.com"] }, shown: { utm_term: ["[looks like a mail address]"] } },
    { given: { source: "2026-09-15T14:30:00.125Z" }, shown: { source: "2026-09-15T14:30:00.125Z" } },
    { given: { source: "4930-55-50T12:34:50.125Z" }, shown: { source: "[looks like a phone number]" } },
    { given: { tracking_number: "+4989654321" }, shown: { tracking_number: "…4321" } },
    {
      given: { source: "2026-09-15 09:30:00 -05:00", local_time: "2026-09-15 09:30:00 -05:00" },
      shown: { source: "[looks like a phone number]", local_time: "2026-09-15 09:30:00 -05:00" },
    },
    { given: { path: "/out/4930123456.csv" }, shown: { path: "/out/4930123456.csv" } },
    { given: { tracking_number: "1234" }, shown: { tracking_number: "1234" } },
    { given: { tracking_number: "(not set)" }, shown: { tracking_number: "(not set)" } },
    {
      given: { tracking_number: "a@example.com" },
      shown: { tracking_number: "[looks like a mail address]" },
    },
    { given: { campaign_id: "1234567890" }, shown: { campaign_id: "1234567890" } },
    { given: { order_id: "1234567890" }, shown: { order_id: "1234567890" } },
    { given: { order_id: "call-1234567890-2" }, shown: { order_id: "call-1234567890-2" } },
    { given: { campaign_id: "4930123456 Mia" }, shown: { campaign_id: "[looks like a phone number]" } },
    { given: { campaign_id: "+4930123456" }, shown: { campaign_id: "[looks like a phone number]" } },
    { given: { campaign: "1234567890" }, shown: { campaign: "[looks like a phone number]" } },
    { given: { call: { caller_id: "x", words: "y", phrase: "z", id: 1 } }, shown: { call: { id: 1 } } },
    { given: { rows: [{ caller: "x", calls: null }] }, shown: { rows: [{ calls: null }] } },
  ])("shows $given as $shown, and unchanged if allowed", ({ given, shown }) => {
    expect(toShown(given, false)).toEqual(shown);
    expect(toShown(given, true)).toEqual(given);
  });

  it("removes invisible characters in any case", () => {
    const given = { source: "goo\u{e0041}\u{e0042}gle\u202e\u2066\u200b\ufe0f\u{e0100}\ufff9" };
    for (const isPersonal of [false, true]) expect(toShown(given, isPersonal)).toEqual({ source: "google" });
  });

  it("replaces control characters and lone surrogates", () => {
    expect(toShown({ source: "goo\u0000gle\ud83d" }, true)).toEqual({ source: "goo\ufffdgle\ufffd" });
  });

  it("truncates texts, but hides personal data across the cut", () => {
    const longest = "x".repeat(200);
    expect(toShown({ text: longest }, true)).toEqual({ text: longest });
    expect(toShown({ text: `😀${"x".repeat(197)}😀😀` }, true)).toEqual({ text: `😀${"x".repeat(197)}…` });
    expect(toShown({ text: `${"x".repeat(198)}😀😀` }, true)).toEqual({ text: `${"x".repeat(198)}…` });
    const text = "x".repeat(250);
    expect(toShown({ text }, true)).toEqual({ text: `${"x".repeat(199)}…` });
    expect(toShown({ text }, false)).toEqual({ text: `${"x".repeat(199)}…` });
    expect(toShown({ text: `${text} +4930123456` }, false)).toEqual({ text: "[looks like a phone number]" });
  });
});
