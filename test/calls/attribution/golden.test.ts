import { hash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attributeCall } from "../../../src/calls/attribution/attribute-call.ts";
import { type AttributionRules, DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { ATTRIBUTION_VERSION } from "../../../src/calls/attribution/derive-facts.ts";
import { hashCall } from "../../../src/calls/call.ts";
import { parseRow } from "../../../src/service/api/parse-row.ts";
import { arbitraryCalls, makeCall } from "../../support/warehouses/calls.ts";

/*
 * Stored derivations carry the version of the code that derived them. If one of these fails, the same calls are
 * derived differently: raise the version, so that stored values are derived again, and put the new digest here.
 */

/** The same calls on every machine. */
const CALLS = fc.sample(arbitraryCalls(40), { seed: 20261122, numRuns: 60 }).flat();
/** Texts that look like missing values or like other texts. */
const ODD_CALLS = [
  makeCall({ caller_id: "0049 30 77", tracking_number: "0049 30 77", disposition: "-", duration: -5 }),
  makeCall({ caller_id: "null", tracking_number: "Desk", disposition: " null ", utm_source: "STRAẞE" }),
  makeCall({ transcription: "My tap  leaks.", disposition: "no answer" }),
  makeCall({ transcription_details: '[{"channel":"caller","text":"hello"}]', disposition: "no answer" }),
  makeCall({ caller_id: "Anonymous", extra: '{"gbraid":"0A"}', referring_url: "https://claude.ai/" }),
  makeCall({ caller_id: "+2562533", utm_source: "www.perplexity.ai", utm_campaign: "us__brand__new" }),
  makeCall({ caller_id: "{caller}", tracking_number: "-", disposition: "", referring_url: "tel:493" }),
  ...[
    "tel:+1-512-555-0101;ext=12",
    "Cell: (512) 555-0101 x12",
    "+49 (0)30 1234567",
    "+15125550101 or +15125550102",
    "sip:+15125550101@10.0.0.1",
    "1-800-FLOWERS",
    "5.12555E+09",
  ].map((caller_id) => makeCall({ caller_id })),
  // Tags of the page that the visit came from do not count, a click id there does.
  makeCall({ referring_url: "https://blog.example/?utm_source=facebook&utm_medium=paid_social" }),
  makeCall({ referring_url: "https://blog.example/?utm_source=facebook&gclid=Cj0" }),
];
const RULES: AttributionRules[] = [
  DEFAULT_RULES,
  {
    answered: ["no answer", "Übergeben"],
    missed: ["answered"],
    qualified_seconds: 1,
    duration_unit: "milliseconds",
    aliases: { google: "goggle", "face book": "" },
    aliases_of: {
      source: { google: "goog" },
      medium: { cpc: "paid" },
      campaign: { "autumn sale": "Autumn" },
    },
    topics: [
      { topic: "tap", phrase: "tap leaks", speaker: null, qualifies: null, value: null },
      { topic: "greeting", phrase: "HELLO", speaker: "Caller", qualifies: true, value: "5" },
    ],
    channels: [],
    hours: {
      week: "Mon-Fri 08:00-18:00, Sun 01:30-03:00",
      closed: ["2026-01-01"],
      timezone: "Europe/Berlin",
    },
  },
];

const digestOf = (values: readonly unknown[]) => hash("sha256", JSON.stringify(values)).slice(0, 16);

describe("golden digests", () => {
  it("attributeCall derives the facts of its version", () => {
    const facts = RULES.flatMap((rules) =>
      [...CALLS, ...ODD_CALLS].map((call) => Object.entries(attributeCall(call, rules)).sort()),
    );
    expect([ATTRIBUTION_VERSION, digestOf(facts)]).toEqual([10, "458619f3ffaab484"]);
  });

  it("calls are parsed and hashed as before: a different hash would count as a change in the next run", () => {
    const parsed = CALLS.map(({ extra: _, transcription_details: __, ...call }) => {
      const { gclid, gclsrc, utm_source, utm_medium, ...rest } = call;
      const result = parseRow({ ...rest, dni_data: { gclid, gclsrc, utm_source, utm_medium } });
      return "call" in result ? [result, hashCall(result.call)] : result;
    });
    expect(digestOf(parsed)).toBe("3703bff4b69185c0");
  });
});
