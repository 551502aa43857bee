import { describe, expect, it } from "vitest";
import { type AttributionRules, DEFAULT_RULES } from "../../src/calls/attribution/attribution-rules.ts";
import type { FactColumn } from "../../src/calls/facts.ts";
import type { CallFilter } from "../../src/calls/filter.ts";
import { findUnmatched, toConditions } from "../../src/sources/call-filter.ts";

/** The values of calls for each fact that filters use. */
const VALUES: Partial<Record<FactColumn, readonly (string | number | null)[]>> = {
  org_unit_name: ["Straße", "Munich", null],
  org_unit_id: [7, -1, 0, null],
  channel: ["Paid Search", "Email"],
  source: ["google", "(other)", "é", null],
  campaign: ["Autumn", "AUTUMN", "99", '"(total)"', null],
  campaign_id: ["Ab1", "99", null],
  disposition: ["NO ANSWER", "no_answer", "-", "__", null],
  tracking_number: ["+4930", "Desk", "-", null],
};
const readValues = (fact: FactColumn) => VALUES[fact] ?? [];
const MILLISECONDS: AttributionRules = { ...DEFAULT_RULES, duration_unit: "milliseconds" };

const conditionsOf = (filter: CallFilter, rules = DEFAULT_RULES) =>
  toConditions({ include_gone: true, ...filter }, rules, { readValues });

describe("toConditions", () => {
  it("selects live calls without a filter, and all calls with include_gone", () => {
    expect(toConditions({}, DEFAULT_RULES, { readValues })).toEqual([{ fact: "is_live", holds: true }]);
    expect(conditionsOf({})).toEqual([]);
  });

  it.each<[CallFilter, Partial<Record<FactColumn, unknown[]>>]>([
    [{ org_unit: ["STRASSE", "no such"] }, { org_unit_name: ["Straße"], org_unit_id: [] }],
    [{ org_unit: ["007", "-1"] }, { org_unit_name: [], org_unit_id: [7, -1] }],
    [{ org_unit: ["0"] }, { org_unit_name: [], org_unit_id: [0] }],
    // Not ids: neither is a whole number of at most 16 digits.
    [
      { org_unit: ["7.0", "+7", "7 ", " 7", "--1", "00000000000000007", "7x", "x7", ""] },
      { org_unit_name: [], org_unit_id: [] },
    ],
    [{ org_unit: ["0000000000000007"] }, { org_unit_name: [], org_unit_id: [7] }],
    [{ org_unit: ["(not set)"] }, { org_unit_name: [null], org_unit_id: [] }],
    [{ channel: ["paid  SEARCH"] }, { channel: ["Paid Search"] }],
    [{ channel: ["(not set)"] }, { channel: [] }],
    [{ source: [" GOOGLE", "(Not Set)", "e\u0301"] }, { source: ["google", "é", null] }],
    [{ source: ['"(other)"'] }, { source: ["(other)"] }],
    [{ source: ["(other)"] }, { source: ["(other)"] }],
    [{ campaign: ["autumn"] }, { campaign: ["Autumn", "AUTUMN"], campaign_id: [] }],
    [{ campaign: ["99", "AB1"] }, { campaign: ["99"], campaign_id: ["Ab1", "99"] }],
    [{ campaign: ['""(total)""'] }, { campaign: ['"(total)"'], campaign_id: [] }],
    [{ campaign: ["(not set)", "99"] }, { campaign: ["99", null], campaign_id: ["99"] }],
    [{ disposition: ["no-answer"] }, { disposition: ["NO ANSWER", "no_answer"] }],
    [{ disposition: ["-"] }, { disposition: ["-"] }],
    [{ disposition: ["__", "(not set)"] }, { disposition: ["__", null] }],
    [{ tracking_number: ["0049 (30)"] }, { tracking_number: ["+4930"] }],
    [{ tracking_number: [" desk", "-"] }, { tracking_number: ["Desk", "-"] }],
    [{ source: [] }, { source: [] }],
  ])("finds the values for %j", (filter, expected) => {
    expect(conditionsOf(filter)).toEqual([
      { any: Object.entries(expected).map(([fact, isOneOf]) => ({ fact, isOneOf })) },
    ]);
  });

  it("selects campaigns by the name of their id, and calls without such an id by their own", () => {
    const campaignNames = () =>
      new Map([
        ["Ab1", "Autumn"],
        ["7", "Spring"],
      ]);
    const of = (text: string) =>
      toConditions({ include_gone: true, campaign: [text] }, DEFAULT_RULES, { readValues, campaignNames });
    const others = { fact: "campaign_id", isNoneOf: ["Ab1", "7"] };
    const either = (named: (string | null)[], ids: string[]) => {
      const byName = { all: [{ fact: "campaign", isOneOf: named }, others] };
      return [{ any: [byName, { fact: "campaign_id", isOneOf: ids }] }];
    };
    expect([of("autumn"), of("(not set)"), of("ab1")]).toEqual([
      either(["Autumn", "AUTUMN"], ["Ab1"]),
      either([null], []),
      either([], ["Ab1"]),
    ]);
  });

  it("matches callers by their digits, or by the names in the facts", () => {
    const exclude_callers = ["+49 (30) 1", "0049301", "Anonymous", "-"];
    expect(conditionsOf({ exclude_callers })).toEqual([
      { fact: "caller", isNoneOf: ["+49301", "+49301", "anonymous", ""] },
    ]);
    const named = toConditions({ exclude_callers: ["+491"] }, DEFAULT_RULES, {
      readValues,
      nameCaller: (digits) => `<${digits}>`,
    });
    expect(named).toEqual([
      { fact: "is_live", holds: true },
      { fact: "caller", isNoneOf: ["<+491>"] },
    ]);
  });

  it("compares durations in the stored unit, even 0", () => {
    expect(conditionsOf({ min_duration_seconds: 1.5 })).toEqual([{ fact: "duration", isAtLeast: 1.5 }]);
    expect(conditionsOf({ min_duration_seconds: 1.5 }, MILLISECONDS)).toEqual([
      { fact: "duration", isAtLeast: 1500 },
    ]);
    expect(conditionsOf({ min_duration_seconds: 0 })).toEqual([{ fact: "duration", isAtLeast: 0 }]);
  });

  it("combines one condition for each filter", () => {
    const filter: CallFilter = {
      org_unit: ["Munich"],
      channel: ["Email"],
      source: ["google"],
      campaign: ["Ab1"],
      disposition: ["-"],
      min_duration_seconds: 60,
      first_time: true,
      has_gclid: true,
      tracking_number: ["desk"],
      exclude_callers: ["1"],
    };
    expect(toConditions(filter, DEFAULT_RULES, { readValues })).toEqual([
      { fact: "is_live", holds: true },
      {
        any: [
          { fact: "org_unit_name", isOneOf: ["Munich"] },
          { fact: "org_unit_id", isOneOf: [] },
        ],
      },
      { any: [{ fact: "channel", isOneOf: ["Email"] }] },
      { any: [{ fact: "source", isOneOf: ["google"] }] },
      {
        any: [
          { fact: "campaign", isOneOf: [] },
          { fact: "campaign_id", isOneOf: ["Ab1"] },
        ],
      },
      { any: [{ fact: "disposition", isOneOf: ["-"] }] },
      { any: [{ fact: "tracking_number", isOneOf: ["Desk"] }] },
      { fact: "caller", isNoneOf: ["+1"] },
      { fact: "duration", isAtLeast: 60 },
      { fact: "is_first_call", holds: true },
      { fact: "gclid", isPresent: true },
    ]);
  });
});

describe("findUnmatched", () => {
  it("finds each value that no call has, with the nearest one in the spelling of files", () => {
    const filter: CallFilter = {
      org_unit: ["Strase", "8", "Munich", "-1", "(not set)"],
      channel: ["Emial"],
      source: ["gogle", "othr", "(othr)", "GOOGLE", "(not set)"],
      campaign: ["Autum", "98", "nothing like it", "(total)", '""(total)""', "ab1"],
      disposition: ["no answr", "-"],
      tracking_number: ["+4931", "desc", "Desk"],
      exclude_callers: ["+1"],
    };
    expect(findUnmatched(filter, readValues)).toEqual([
      { filter: "org_unit", text: "Strase", advice: "Did you mean Straße?" },
      { filter: "org_unit", text: "8", advice: undefined },
      { filter: "channel", text: "Emial", advice: "Did you mean Email?" },
      { filter: "source", text: "gogle", advice: "Did you mean google?" },
      { filter: "source", text: "othr", advice: 'Did you mean "(other)"?' },
      { filter: "source", text: "(othr)", advice: 'Did you mean "(other)"?' },
      { filter: "campaign", text: "Autum", advice: "Did you mean Autumn?" },
      { filter: "campaign", text: "98", advice: "Did you mean 99?" },
      { filter: "campaign", text: "nothing like it", advice: undefined },
      { filter: "campaign", text: "(total)", advice: 'Did you mean ""(total)""?' },
      { filter: "disposition", text: "no answr", advice: "Did you mean NO ANSWER?" },
      { filter: "tracking_number", text: "+4931", advice: "Did you mean +4930?" },
      { filter: "tracking_number", text: "desc", advice: "Did you mean Desk?" },
    ]);
  });

  it("accepts (not set) even if every call has a value", () => {
    const full = (fact: FactColumn) => readValues(fact).filter((value) => value !== null);
    expect(findUnmatched({ source: ["(not set)"] }, full)).toEqual([]);
  });

  it("suggests campaigns whose name contains the text", () => {
    const campaigns = ["Generic", "Brand | Exact | DE", "Brand | Broad"];
    const [found] = findUnmatched({ campaign: ["brand"] }, (fact) =>
      fact === "campaign_id" ? [] : campaigns,
    );
    expect(found?.advice).toBe("Did you mean Brand | Broad or Brand | Exact | DE?");
  });

  it("finds nothing if there are no calls", () => {
    expect(findUnmatched({ source: ["gogle"] }, () => [])).toEqual([]);
    expect(findUnmatched({}, readValues)).toEqual([]);
  });
});
