import { describe, expect, it } from "vitest";
import { cutoffsAt, KEEP_ALL, KEEP_KINDS, kindsPast, parseKeepFor } from "../../src/privacy/keep.ts";
import { withhold, withholdFromRow } from "../../src/privacy/withhold.ts";
import { FULL_CALL, makeCall } from "../calls.ts";

const NOW = Date.parse("2026-11-20T12:00:00.000Z");

describe("parseKeepFor", () => {
  it("reads always, never and days", () => {
    expect(["always", "never", "1d", "36500d"].map(parseKeepFor)).toEqual(["always", "never", 1, 36_500]);
  });

  it.each(["", "90", "0d", "2h", "-1d", "36501d", "Never"])("refuses %j", (text) => {
    expect(() => parseKeepFor(text)).toThrow("must be always, never, or a number of days");
  });
});

describe("kindsPast", () => {
  it("names what is never kept, and what began before its days", () => {
    const cutoffs = cutoffsAt({ ...KEEP_ALL, transcripts: "never", caller_numbers: 90 }, NOW);
    expect(kindsPast(cutoffs, "2026-08-22T12:00:00.000Z")).toEqual(["transcripts"]);
    expect(kindsPast(cutoffs, "2026-08-22T11:59:59.999Z")).toEqual(["transcripts", "caller_numbers"]);
    // Of a clock that was ahead.
    expect(kindsPast(cutoffs, "9999-12-31T23:59:59.999Z")).toEqual(["transcripts"]);
  });

  it("names nothing where all is always kept", () => {
    expect(kindsPast(cutoffsAt(KEEP_ALL, NOW), "0000-01-01T00:00:00.000Z")).toEqual([]);
  });
});

describe("withhold", () => {
  it("takes out the members of a kind, and leaves the others", () => {
    expect(withhold(FULL_CALL, ["transcripts", "caller_numbers"])).toEqual({
      call: { ...FULL_CALL, transcription: null, transcription_details: null, caller_id: null },
      withheld: ["transcripts", "caller_numbers"],
    });
  });

  it("names no kind of which the call has nothing", () => {
    const call = makeCall({ extra: '{"score":3,"caller_city":null}' });
    expect(withhold(call, KEEP_KINDS)).toEqual({ call, withheld: [] });
  });

  it.each([
    ["+4930123456", "caller_numbers"],
    ["0049 30 123456", "caller_numbers"],
    ["(030) 12 34-56", "caller_numbers"],
    [4930123456, "caller_numbers"],
    ["He said: My tap leaks. Hello. My tap leaks. Bye.", "transcripts"],
    ["A leaking tap.", "summaries"],
    ["https://recordings.example.com/5.mp3?Expires=9", "recording_urls"],
  ] as const)("finds %j below another name, as one of %s", (value, kind) => {
    const extra = JSON.stringify({ a: { b: [1, value] }, c: 2 });
    const { call, withheld } = withhold({ ...FULL_CALL, extra }, [kind]);
    expect(call.extra).toBe('{"a":{"b":[1]},"c":2}');
    expect(withheld).toEqual([kind]);
  });

  it("takes names for what they say, and keeps large integers", () => {
    const extra = `{"caller_name":"Ada","transcript_text":"x","id":90071992547409931}`;
    expect(withhold(makeCall({ extra }), KEEP_KINDS)).toEqual({
      call: makeCall({ extra: '{"id":90071992547409931}' }),
      withheld: ["transcripts", "caller_numbers"],
    });
    expect(withhold(makeCall({ extra: '{"ani":"1"}' }), KEEP_KINDS).call.extra).toBe(null);
  });
});

describe("withholdFromRow", () => {
  it("takes the same out of a row that does not parse", () => {
    const row = {
      call_id: 5,
      caller_id: "+4930123456",
      duration: "x",
      dni_data: { gclid: "a", note: "from 030 123456" },
      summary: { text: "A leaking tap." },
      recording_url: ["https://recordings.example.com/5.mp3"],
    };
    expect(withholdFromRow(JSON.stringify(row), KEEP_KINDS)).toBe(
      '{"call_id":5,"duration":"x","dni_data":{"gclid":"a"}}',
    );
    expect(withholdFromRow(JSON.stringify(row), [])).toBe(JSON.stringify(row));
  });

  it("leaves nothing of a row that is no object", () => {
    expect(withholdFromRow('["+4930123456"]', ["summaries"])).toBe("null");
  });
});
