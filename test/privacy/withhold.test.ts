import { describe, expect, it } from "vitest";
import { KEEP_KINDS, type KeepKind } from "../../src/privacy/keep.ts";
import { startOfRow, withhold, withholdFromRow } from "../../src/privacy/withhold.ts";
import { FULL_CALL, makeCall } from "../calls.ts";

const PSEUDONYM = "forgotten0123456789abcdef";

/** What is left of the members that the API's document does not name; undefined where they stay as they are. */
function withholdExtra(extra: string, kinds: readonly KeepKind[] = KEEP_KINDS, call = makeCall()) {
  const kept = withhold({ ...call, extra }, kinds);
  if (kept.call.extra === extra) return undefined;
  return kept.call.extra;
}

describe("withhold", () => {
  it.each([
    { kinds: ["transcripts"], gone: { transcription: null, transcription_details: null } },
    { kinds: ["summaries"], gone: { summary: null } },
    { kinds: ["caller_numbers"], gone: { caller_id: null } },
    { kinds: ["recording_urls"], gone: { recording_url: null } },
    {
      kinds: ["recording_urls", "caller_numbers", "transcripts"],
      gone: { recording_url: null, caller_id: null, transcription: null, transcription_details: null },
    },
  ] as const)("takes out the members of $kinds, and leaves the others", ({ kinds, gone }) => {
    expect(withhold(FULL_CALL, kinds)).toEqual({
      call: { ...FULL_CALL, ...gone },
      withheld: KEEP_KINDS.filter((kind) => (kinds as readonly string[]).includes(kind)),
    });
  });

  it.each([
    { title: "nothing is to be taken out", call: FULL_CALL, kinds: [] },
    { title: "there is nothing", call: makeCall(), kinds: KEEP_KINDS },
    {
      title: "there are other members alone",
      call: makeCall({ extra: '{ "score":3, "caller_city":null, "phone":"" }' }),
      kinds: KEEP_KINDS,
    },
    {
      title: "it has another kind",
      call: makeCall({ summary: "A tap.", extra: '{"caller_name":"Ada"}' }),
      kinds: ["transcripts"] as const,
    },
  ])("returns the call itself where $title", ({ call, kinds }) => {
    const kept = withhold(call, kinds);
    expect(kept.call).toBe(call);
    expect(kept.withheld).toEqual([]);
  });

  it("leaves a pseudonym, which is no number, and takes out the rest", () => {
    const call = { ...FULL_CALL, caller_id: PSEUDONYM };
    expect(withhold(call, ["caller_numbers"]).call).toBe(call);
    expect(withhold(call, ["caller_numbers", "summaries"])).toEqual({
      call: { ...call, summary: null },
      withheld: ["summaries"],
    });
  });

  it("leaves other members as they were written where it takes out something else", () => {
    for (const extra of ['{ "score":3 }', "{ }"]) {
      expect(withhold({ ...FULL_CALL, extra }, ["summaries"]).call).toEqual({
        ...FULL_CALL,
        extra,
        summary: null,
      });
    }
  });

  it("takes out an empty text, and looks for it nowhere", () => {
    const call = makeCall({ transcription: "", summary: "", extra: '{"a":"b"}' });
    expect(withhold(call, KEEP_KINDS)).toEqual({
      call: { ...call, transcription: null, summary: null },
      withheld: ["transcripts", "summaries"],
    });
  });

  it.each([
    ["+4930123456", "caller_numbers"],
    ["0049 30 123456", "caller_numbers"],
    ["(030) 12 34-56", "caller_numbers"],
    ["0123456", "caller_numbers"],
    ["a 1 0 1 2 3 4 5 6 b 7", "caller_numbers"],
    [4930123456, "caller_numbers"],
    ["He said: My tap leaks. Hello. My tap leaks. Bye.", "transcripts"],
    ['[{"channel":"caller","time":"00:01","text":"Hello."}]', "transcripts"],
    ["A leaking tap.", "summaries"],
    ["https://recordings.example.com/5.mp3?Expires=9", "recording_urls"],
    ["https://recordings.example.com/5.mp3", "recording_urls"],
    ["https://recordings.example", "recording_urls"],
  ] as const)("finds %j below another name, as one of %s", (value, kind) => {
    const extra = JSON.stringify({ a: { b: [1, value] }, c: 2 });
    const { call, withheld } = withhold({ ...FULL_CALL, extra }, [kind]);
    expect(call.extra).toBe('{"a":{"b":[1]},"c":2}');
    expect(withheld).toEqual([kind]);
    // As a name as well, whatever that has.
    expect(withholdExtra(JSON.stringify({ [value]: null, c: 2 }), [kind], FULL_CALL)).toBe('{"c":2}');
    // And not where that kind is kept.
    const others = KEEP_KINDS.filter((other) => other !== kind);
    expect(withholdExtra(extra, others, FULL_CALL)).toBeUndefined();
  });

  it.each([
    "123456",
    "+49 30 123457",
    "My tap leaks",
    "https://recordings.example.com/6.mp3",
    "",
    "A leaking",
  ])("leaves %j below another name", (value) => {
    expect(withholdExtra(JSON.stringify({ a: [value] }), KEEP_KINDS, FULL_CALL)).toBeUndefined();
  });

  it("knows a piece of a text from twenty characters on", () => {
    const call = makeCall({ transcription: "The quick brown fox jumps over the lazy dog." });
    expect(withholdExtra('{"a":"quick brown fox jump"}', ["transcripts"], call)).toBeNull();
    expect(withholdExtra('{"a":"ick brown fox jumps "}', ["transcripts"], call)).toBeNull();
    expect(withholdExtra('{"a":"ick brown fox jumps"}', ["transcripts"], call)).toBeUndefined();
    expect(withholdExtra('{"a":"quick brown fox leaps over"}', ["transcripts"], call)).toBeUndefined();
  });

  it("knows a link without its query, and no other text without what follows a question mark", () => {
    const link = "https://recordings.example.com/a/b.mp3";
    for (const rest of ["?x=1", "#t=1", "?x=1\ny=2", "#?"]) {
      const call = makeCall({ recording_url: link + rest, summary: "Why? Because.#1" });
      expect(withholdExtra(`{"a":"${link}"}`, KEEP_KINDS, call)).toBeNull();
      expect(withholdExtra('{"a":"Why"}', KEEP_KINDS, call)).toBeUndefined();
    }
  });

  it("looks for no number of fewer than seven digits", () => {
    const extra = '{"a":"+123456","b":123456}';
    expect(withholdExtra(extra, KEEP_KINDS, makeCall({ caller_id: "+123456" }))).toBeUndefined();
    expect(withholdExtra(extra, KEEP_KINDS, makeCall({ caller_id: "anonymous" }))).toBeUndefined();
    expect(withholdExtra('{"a":"1234567"}', KEEP_KINDS, makeCall({ caller_id: "123-4567" }))).toBeNull();
  });

  it.each([
    ["transcripts", ["transcript", "Full_Transcription", "TRANSCRIBED"], ["trans", "script"]],
    ["summaries", ["call_summary", "Summaries", "summarized"], ["sum"]],
    [
      "caller_numbers",
      ["caller_name", "isCaller", "Phone", "home_phone", "ani", "ANI_2", "the_ani", "from", "call_from_city"],
      ["animal", "mani", "fromage", "xfrom", "from2", "fan_in", "ani-x", "number"],
    ],
    ["recording_urls", ["recording", "hasRecordings"], ["record"]],
  ] as const)("takes names for what they say: %s", (kind, personal, other) => {
    for (const name of personal) {
      const extra = JSON.stringify({ [name]: { x: 1 }, rest: { [name]: false } });
      expect(withhold(makeCall({ extra }), KEEP_KINDS)).toEqual({
        call: makeCall({ extra: '{"rest":{}}' }),
        withheld: [kind],
      });
      const others = KEEP_KINDS.filter((each) => each !== kind);
      expect(withholdExtra(extra, others)).toBeUndefined();
      expect(withholdExtra(JSON.stringify({ [name]: null, rest: { [name]: "" } }))).toBeUndefined();
      expect(withholdExtra(JSON.stringify({ [name]: " " }))).toBeNull();
    }
    for (const name of other) expect(withholdExtra(JSON.stringify({ [name]: 1 }))).toBeUndefined();
  });

  it("keeps whatever else JSON may have, large integers among it", () => {
    const rest = '"id":90071992547409931,"b":[true,null,1.5,[],{}],"__proto__":{"x":1}';
    expect(withholdExtra(`{"caller_name":"Ada",${rest},"summary_text":"x"}`)).toBe(`{${rest}}`);
    expect(
      withholdExtra('{"a":9900000000001234567}', KEEP_KINDS, makeCall({ caller_id: "1234567" })),
    ).toBeNull();
    expect(withholdExtra('{"ani":"1"}')).toBeNull();
    expect(withholdExtra('{"ani":"1","b":{"from":"1"}}')).toBe('{"b":{}}');
    expect(withholdExtra('["x",{"ani":"1"}]')).toBe('["x",{}]');
    expect(withholdExtra('[{"ani":"1"}]')).toBe("[{}]");
  });
});

describe("withholdFromRow", () => {
  const row = {
    call_id: 5,
    caller_id: "+4930123456",
    duration: "x",
    dni_data: { gclid: "a", note: "from 030 123456" },
    summary: { text: "A leaking tap." },
    recording_url: ["https://recordings.example.com/5.mp3"],
  };

  it("takes the same out of a row that does not parse", () => {
    const json = JSON.stringify(row);
    expect(withholdFromRow(json, KEEP_KINDS)).toBe('{"call_id":5,"duration":"x","dni_data":{"gclid":"a"}}');
    expect(withholdFromRow(json, ["caller_numbers"])).toBe(
      JSON.stringify({ ...row, caller_id: undefined, dni_data: { gclid: "a" } }),
    );
  });

  it("finds what a member has by its value, be that a number", () => {
    expect(withholdFromRow('{"caller_id":4930123456,"a":"030 123456","b":1}', ["caller_numbers"])).toBe(
      '{"b":1}',
    );
    const summary = '{"summary":"A leaking tap.","a":"A leaking tap. Bye.","b":["A leaking tap."]}';
    expect(withholdFromRow(summary, ["summaries"])).toBe('{"b":[]}');
    // What an object says is found by its name alone, wherever it stands.
    expect(withholdFromRow('{"summary":{"a":"object"},"b":"[object Object]"}', ["summaries"])).toBe(
      '{"b":"[object Object]"}',
    );
  });

  it("leaves a row as it was written where there is nothing to take out", () => {
    const json = '{ "call_id": 5, "summary": null }';
    expect(withholdFromRow(json, KEEP_KINDS)).toBe(json);
    expect(withholdFromRow("no JSON", [])).toBe("no JSON");
  });

  it.each(['["+4930123456"]', '"+4930123456"', "4930123456", "null", "true"])(
    "leaves nothing of %s, which is no object",
    (json) => {
      expect(withholdFromRow(json, ["summaries"])).toBe("null");
      expect(withholdFromRow(json, [])).toBe(json);
    },
  );
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
    '{"call_started":null}',
    "{}",
    '{"call_started":1790000000000}',
    // These are times as others write them: nothing may be kept for longer because of them.
    '{"call_started":"2099"}',
    '{"call_started":"1"}',
    '{"call_started":"11/20/2099"}',
    '{"call_started":"2026-02-30T00:00:00Z"}',
    '{"call_started":"+010000-01-01T00:00:00Z"}',
    "null",
    '["2026-03-29T01:30:00Z"]',
    '"2026-03-29T01:30:00Z"',
  ])("is null for %s", (json) => {
    expect(startOfRow(json)).toBeNull();
  });
});
