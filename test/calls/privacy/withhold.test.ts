import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KEEP_KINDS, WITHHELD_KINDS, type WithheldKind } from "../../../src/calls/privacy/keep-settings.ts";
import { startOfRow, withhold, withholdFromRow } from "../../../src/calls/privacy/withhold.ts";
import { draws } from "../../support/draws.ts";
import { FULL_CALL, makeCall } from "../../support/warehouses/calls.ts";

const PSEUDONYM = "forgotten0123456789abcdef";

describe("withhold", () => {
  it.each([
    { kinds: ["transcripts"], gone: { transcription: null, transcription_details: null } },
    { kinds: ["summaries"], gone: { summary: null } },
    { kinds: ["caller_numbers"], gone: { caller_id: null } },
    { kinds: ["recording_urls"], gone: { recording_url: null } },
    { kinds: ["extra"], gone: { extra: '{"score":{"type":"number"}}' } },
    {
      kinds: ["recording_urls", "caller_numbers", "transcripts"],
      gone: { recording_url: null, caller_id: null, transcription: null, transcription_details: null },
    },
  ] as const)("removes the members of $kinds and no others", ({ kinds, gone }) => {
    expect(withhold(FULL_CALL, kinds)).toEqual({
      call: { ...FULL_CALL, ...gone },
      withheld: WITHHELD_KINDS.filter((kind) => (kinds as readonly WithheldKind[]).includes(kind)),
    });
  });

  it.each([
    { title: "nothing is to be removed", call: FULL_CALL, kinds: [] },
    { title: "it has no such members", call: makeCall(), kinds: WITHHELD_KINDS },
  ])("returns the same call if $title", ({ call, kinds }) => {
    const kept = withhold(call, kinds);
    expect(kept.call).toBe(call);
    expect(kept.withheld).toEqual([]);
  });

  it("keeps a pseudonym, which is not a number, and removes the rest", () => {
    const call = { ...FULL_CALL, caller_id: PSEUDONYM };
    expect(withhold(call, ["caller_numbers"]).call).toBe(call);
    expect(withhold(call, ["caller_numbers", "summaries"])).toEqual({
      call: { ...call, summary: null },
      withheld: ["summaries"],
    });
  });

  it("removes an empty text", () => {
    const call = makeCall({ transcription: "", summary: "" });
    expect(withhold(call, KEEP_KINDS)).toEqual({
      call: makeCall(),
      withheld: ["transcripts", "summaries"],
    });
  });
});

/** The remainder of members that the API's document does not name. */
const describeExtra = (extra: string) => withhold(makeCall({ extra }), ["extra"]).call.extra;

describe("withhold of undocumented members", () => {
  it.each([
    // Whatever their names, and however deep their values.
    ['{"callback":"+49 30 123456","n":1}', '{"callback":"string","n":"number"}'],
    ['{"a":{"b":[1,"030 123456"]},"c":["x"]}', '{"a":"object","c":"array"}'],
    ['{"a":true,"id":90071992547409931}', '{"a":"boolean","id":"number"}'],
    [
      '{"dni_data":{"msclkid":"ab12","page":{"url":"/"}},"z":""}',
      '{"dni_data":{"msclkid":"string","page":"object"},"z":"string","msclkid":"ab12"}',
    ],
    // A name may be a value.
    ['{"+4930123456":1,"a 1 2 3 4 5 6 7":1}', '{"[name]":"number"}'],
    ['{"jane@example.com":1,"x":1}', '{"[name]":"number","x":"number"}'],
    [`{"${"a".repeat(64)}":1,"${"b".repeat(65)}":1}`, `{"${"a".repeat(64)}":"number","[name]":"number"}`],
    ['{"__proto__":"x","a-b_ö2":"1"}', '{"__proto__":"string","a-b_ö2":"string"}'],
    ['["x"]', "array"],
  ])("keeps only names and types of %s", (extra, types) => {
    const expected = types.replace(/:"([a-z]+)"/g, ':{"type":"$1"}').replace(/^(\w+)$/, '{"type":"$1"}');
    expect(describeExtra(extra)).toBe(expected);
    // A description is not described again.
    const again = withhold(makeCall({ extra: expected }), ["extra"]);
    expect(again.withheld).toEqual([]);
  });

  it.each([
    // Kept at any place: figures and uploads do not change.
    ['{"clicks":[{"GBRAID":"0Ab-_"}]}', '{"clicks":{"type":"array"},"gbraid":"0Ab-_"}'],
    ['{"gclid":"Cj","gclsrc":"3p.ds"}', '{"gclid":"Cj","gclsrc":"3p.ds"}'],
    ['{"msclkid":"4930123456"}', '{"msclkid":{"type":"string"}}'],
    ['{"msclkid":"call +49 30 123456"}', '{"msclkid":{"type":"string"}}'],
  ])("keeps the click id of %s: %s", (extra, left) => {
    expect(describeExtra(extra)).toBe(left);
    expect(describeExtra(left)).toBe(left);
  });

  it("describes undocumented members in the lines of a transcript", () => {
    const call = makeCall({
      transcription_details:
        '[{"channel":"caller","time":"00:01","text":"Hello.","phone":"+4930123456"},"+4930123456",{"text":["x"]}]',
    });
    expect(withhold(call, ["extra"])).toEqual({
      call: makeCall({
        transcription_details:
          '[{"channel":"caller","time":"00:01","text":"Hello.","phone":{"type":"string"}},{"type":"string"},{"text":{"type":"array"}}]',
      }),
      withheld: ["extra"],
    });
    expect(withhold(call, ["transcripts", "extra"]).call).toEqual(makeCall());
  });
});

describe("withholdFromRow", () => {
  const row = {
    call_id: 5,
    caller_id: "+4930123456",
    duration: "+49 30 123456",
    org_unit_id: 7,
    call_started: "2026-11-05T00:00:00Z",
    gclid: "not of the call",
    dni_data: { gclid: "a", note: "from 030 123456", utm_term: null },
    summary: { text: "A leaking tap." },
    recording_url: ["https://recordings.example.com/5.mp3"],
    transcription_details: { first: "My tap leaks." },
  };
  const { caller_id, call_started } = row;
  const described = {
    call_id: 5,
    caller_id,
    duration: { type: "string" },
    org_unit_id: 7,
    call_started,
    gclid: { type: "string" },
    dni_data: { gclid: "a", note: { type: "string" }, utm_term: null },
    summary: { type: "object" },
    recording_url: { type: "array" },
    transcription_details: { type: "object" },
  };

  it("keeps documented members by their names, and only names and types of all others", () => {
    const json = JSON.stringify(row);
    expect(withholdFromRow(json, ["extra"])).toBe(JSON.stringify(described));
    const { caller_id: _, summary: __, recording_url: ___, transcription_details: ____, ...left } = described;
    expect(withholdFromRow(json, WITHHELD_KINDS)).toBe(JSON.stringify(left));
    for (const kinds of [["extra"], WITHHELD_KINDS] as const) {
      const once = withholdFromRow(json, kinds);
      expect(withholdFromRow(once, kinds)).toBe(once);
    }
  });

  it("does not change a row if everything may be kept", () => {
    expect(withholdFromRow("no JSON", [])).toBe("no JSON");
  });

  it.each([
    ['["+4930123456"]', "array"],
    ['"+4930123456"', "string"],
    ["4930123456", "number"],
  ])("keeps only the type of %s, which is not an object", (json, type) => {
    expect(withholdFromRow(json, ["extra"])).toBe(JSON.stringify({ type }));
  });
});

const TYPES = new Set(["null", "boolean", "number", "string", "array", "object"]);

/** Whether it contains only names and types. */
function isDescribed(value: unknown): boolean {
  if (value === null) return true;
  if (typeof value !== "object") return false;
  const members = Object.entries(value);
  return members.length === 1 && members.every(([name, type]) => name === "type" && TYPES.has(type));
}

describe("remainder of any row", () => {
  const name = fc.oneof(fc.string(), fc.constantFrom("note", "dni_data", "type", "a1234567", "a123456"));
  const undocumented = fc.dictionary(
    name.filter((each) => each !== "dni_data"),
    fc.jsonValue(),
  );
  const run = { numRuns: draws(500) };

  it("withholds values of undocumented members, and names that contain a number", () => {
    const property = fc.property(undocumented, (extra) => {
      const left = describeExtra(JSON.stringify(extra)) ?? "";
      const members = Object.entries(JSON.parse(left));
      expect(members.filter(([, value]) => !isDescribed(value))).toEqual([]);
      expect(members.filter(([each]) => each.length > 64 || each.replace(/\D/g, "").length > 6)).toEqual([]);
      expect(describeExtra(left)).toBe(left);
    });
    fc.assert(property, run);
  });

  it("withholds the value of a documented member of another type", () => {
    const documented = fc.constantFrom(
      "duration",
      "disposition",
      "summary",
      "dni_data",
      "transcription_details",
    );
    const property = fc.property(undocumented, documented, fc.jsonValue(), (row, member, value) => {
      const left = JSON.parse(withholdFromRow(JSON.stringify({ ...row, [member]: value }), ["extra"]));
      const kept = left[member];
      const isScalar = typeof value === "string" || typeof value === "number";
      if (
        member === "duration"
          ? typeof value === "number"
          : isScalar && member !== "dni_data" && member !== "transcription_details"
      ) {
        expect(JSON.stringify(kept)).toBe(JSON.stringify(value));
      } else if (member === "dni_data" && !Array.isArray(value)) {
        const isAlone = isDescribed(kept) || Object.values(kept).every(isDescribed);
        expect(isAlone).toBe(true);
      } else if (member === "transcription_details" && Array.isArray(value)) {
        expect(
          kept.every((line: object) => isDescribed(line) || Object.values(line).every(isDescribed)),
        ).toBe(true);
      } else {
        expect(isDescribed(kept)).toBe(true);
      }
    });
    fc.assert(property, run);
  });
});

describe("startOfRow", () => {
  it.each([
    ["2026-03-29T01:30:00.125Z", "2026-03-29T01:30:00.125Z"],
    ["2026-03-29T01:30:00+05:45", "2026-03-28T19:45:00.000Z"],
    // Without an offset it is UTC.
    ["2026-03-29T01:30:00", "2026-03-29T01:30:00.000Z"],
  ])("reads %j as %s", (call_started, start) => {
    expect(startOfRow(JSON.stringify({ call_id: "x", call_started }))).toBe(start);
  });

  it.each([
    "{}",
    '{"call_started":1790000000000}',
    // Times in other notations: nothing may be kept longer because of them.
    '{"call_started":"2099"}',
    '{"call_started":"2026-02-30T00:00:00Z"}',
    '{"call_started":"+010000-01-01T00:00:00Z"}',
    "null",
    '["2026-03-29T01:30:00Z"]',
    '"2026-03-29T01:30:00Z"',
  ])("returns null for %s", (json) => {
    expect(startOfRow(json)).toBeNull();
  });
});
