import { describe, expect, it } from "vitest";
import { DEFAULT_RULES } from "../../../src/calls/attribution/attribution-rules.ts";
import { forgetCallers } from "../../../src/operate/forget/forget-callers.ts";
import { findCallers, noCallsError } from "../../../src/warehouse/by-number/find-callers.ts";
import { call_facts } from "../../../src/warehouse/calls/facts.ts";
import type { Reader } from "../../../src/warehouse/warehouse.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { locked, newWarehouse, setRules } from "../../support/warehouses/warehouse.ts";

const AS = "the number";
const AMERICANS = ["+15126386276", "+15126386277", "5126386278", "+15126386279 x4"];
const GERMANS = ["+4930123456", "030 123457", "+4930123458"];

const storing = (callers: readonly string[], tracking_number: string | null = null) =>
  newWarehouse(
    callers.map((caller_id, index) => makeCall({ call_id: 701 + index, caller_id, tracking_number })),
  );

/** The calls of the callers that a number may be. */
function callsOf(reader: Reader, text: string, countryCode?: string): number[] {
  const { ids } = findCallers(reader, text, { countryCode, as: AS });
  const calls = reader.db
    .select({ call_id: call_facts.call_id, caller_id: call_facts.caller_id })
    .from(call_facts)
    .all();
  return calls.flatMap(({ call_id, caller_id }) => (ids.includes(caller_id ?? 0) ? [call_id] : []));
}

describe("findCallers", () => {
  it.each([
    ["(512) 638-6276", 701],
    ["512.638.6276", 701],
    ["1 512 638 6276", 701],
    ["+1 512-638-6277", 702],
    ["tel:+15126386277;ext=9", 702],
    ["011 1 512 638 6277", undefined],
    ["+1 (512) 638-6278", 703],
    ["5126386278", 703],
    ["(512) 638-6279 ext. 12", 704],
    ["+1 512 638 6270", undefined],
  ])("finds the callers of %s, where nearly all have the code 1", (text, call) => {
    using warehouse = storing([...AMERICANS, ...Array.from({ length: 20 }, (_, n) => `+15125550${100 + n}`)]);
    expect(callsOf(warehouse, text)).toEqual(call === undefined ? [] : [call]);
  });

  it.each([
    ["+49 30 123456", undefined, 701],
    ["030 123456", "49", 701],
    ["030 123457", undefined, 702],
    ["+49 (0)30 123457", undefined, 702],
    ["0049 30 123458", undefined, 703],
    ["030 123458", undefined, undefined],
    ["030 123458", "44", undefined],
  ])("finds the callers of %s with the country code %s, where no code is assumed", (text, code, call) => {
    using warehouse = storing(GERMANS);
    expect(callsOf(warehouse, text, code)).toEqual(call === undefined ? [] : [call]);
  });

  it("assumes a country code only where nearly all have it, and says so", () => {
    using americans = storing(AMERICANS);
    using mixed = storing([...AMERICANS, ...GERMANS]);
    const ask = (reader: Reader, text: string) => {
      const { assumedCode, isOpen } = findCallers(reader, text, { as: AS });
      return { assumedCode, isOpen };
    };
    using clean = storing(["+15126386276", "+15126386277"]);
    expect(ask(clean, "512 638 6276")).toEqual({ assumedCode: "1", isOpen: false });
    expect(ask(clean, "+1 512 638 6276")).toEqual({ assumedCode: undefined, isOpen: false });
    expect(ask(clean, "030 123456")).toEqual({ assumedCode: undefined, isOpen: true });
    expect(ask(americans, "512 638 6276").isOpen).toBe(true);
    expect(ask(mixed, "512 638 6276")).toEqual({ assumedCode: undefined, isOpen: true });
    expect(noCallsError({ assumedCode: "1", isOpen: false }, AS).hint).toContain("the country code +1");
  });

  it("finds callers by digests where numbers are not kept; tracking numbers decide the country code then", () => {
    using warehouse = storing(["+15126386276", "+15126386277"], "+15125550199");
    setRules(warehouse, { ...DEFAULT_RULES, caller_digests: true });
    expect(callsOf(warehouse, "512-638-6277")).toEqual([702]);
    using abroad = storing(["+15126386276"], "+4930555019");
    setRules(abroad, { ...DEFAULT_RULES, caller_digests: true });
    expect(callsOf(abroad, "512-638-6276")).toEqual([]);
    expect(callsOf(abroad, "+1 512-638-6276")).toEqual([701]);
  });

  it("refuses each spelling of a forgotten caller, without the number", () => {
    using warehouse = storing(["+15126386276", "+15126386277"]);
    forgetCallers(locked(warehouse), [{ caller: "+15126386276" }], {
      nowMs: Date.parse("2026-11-07T00:00:00Z"),
    });
    for (const text of ["+1 512 638 6276", "(512) 638-6276", "15126386276"])
      expect(() => callsOf(warehouse, text)).toThrow(
        /^Cannot find calls by the number: its caller was forgotten$/,
      );
    expect(callsOf(warehouse, "(512) 638-6277")).toEqual([702]);
  });

  it.each([
    ["hello", "is not a phone number"],
    ["5.12555E+09", "is not a phone number"],
    ["512 638 XXXX", "is not a phone number"],
    ["+1 512 638 6276, +1 512 638 6277", "has several phone numbers"],
  ])("refuses %s", (text, problem) => {
    using warehouse = storing(AMERICANS);
    expect(() => callsOf(warehouse, text)).toThrow(`Cannot find calls by the number: it ${problem}`);
  });
});
