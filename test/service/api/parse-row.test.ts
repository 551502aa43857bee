import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson, stringifyJson } from "../../../src/base/text/parse-json.ts";
import { MAX_DURATION } from "../../../src/calls/call.ts";
import type { Call } from "../../../src/calls/columns.ts";
import { type ParsedRow, parseRow, type RejectedRow } from "../../../src/service/api/parse-row.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

/** A call of which the service sent only the id. */
const BARE = makeCall();

const DNI = {
  utm_source: "google",
  utm_medium: "cpc",
  utm_campaign: "Spring sale",
  utm_content: "ad 1",
  utm_term: "plumber",
  gclid: "Cj0KCQ",
  gclsrc: "aw.ds",
  google_analytics_cid: "1.2",
  referring_url: "https://www.google.com/?q=plumber",
  campaign_name: "Spring",
  campaign_id: "77",
};

const ROW = {
  insight_name: "Google Ads",
  call_id: 42,
  caller_id: "+4915112345678",
  tracking_number: "+4930123456",
  call_started: "2026-11-20T15:00:00.000Z",
  duration: 61,
  disposition: "ANSWERED",
  org_unit_id: 7,
  org_unit_name: "Berlin",
  recording_url: "https://rec.example/42.mp3?sig=abc",
  dni_data: DNI,
  summary: "Asks for a plumber.",
  transcription: "Hello.",
  transcription_details: [{ channel: "caller", time: "00:01", text: "Hello." }],
};

const parseText = (text: string) => parseRow(parseJson(text));

/** A parsed row: a bare call except for the given members. */
const parsed = (members: Partial<Call>, drift: unknown[] = []) => ({ call: { ...BARE, ...members }, drift });

function callOf(row: ParsedRow): Call {
  if ("call" in row) return row.call;
  throw new Error(`Rejected: ${row.rejected.path}: ${row.rejected.reason}`);
}

function rejectionOf(row: ParsedRow): RejectedRow {
  if ("rejected" in row) return row.rejected;
  throw new Error("Was not rejected");
}

describe("parseRow: accepted members", () => {
  it("accepts every documented member, with those of dni_data next to the others", () => {
    const { dni_data, ...members } = ROW;
    expect(parseRow(ROW)).toEqual({
      call: {
        ...members,
        ...dni_data,
        transcription_details: '[{"channel":"caller","time":"00:01","text":"Hello."}]',
        extra: null,
      },
      drift: [],
    });
  });

  it("reads null members as null", () => {
    const nulls = Object.fromEntries(Object.keys(ROW).map((key) => [key, null]));
    const noDni = Object.fromEntries(Object.keys(DNI).map((key) => [key, null]));
    expect(parseRow({ ...nulls, call_id: 1 })).toEqual(parsed({}));
    expect(parseRow({ ...nulls, call_id: 1, dni_data: noDni })).toEqual(parsed({}));
  });

  it("accepts an id of 2^53 − 1, and numbers of 0", () => {
    expect(parseText('{"call_id":9007199254740991,"duration":0,"org_unit_id":0}')).toEqual(
      parsed({ call_id: Number.MAX_SAFE_INTEGER, duration: 0, org_unit_id: 0 }),
    );
  });

  it("keeps long integers in transcription_details with all their digits", () => {
    const json = '[{"time":12345678901234567890}]';
    expect(parseText(`{"call_id":1,"transcription_details":${json}}`)).toEqual(
      parsed({ transcription_details: json }),
    );
  });
});

describe("parseRow: call_started", () => {
  it.each([
    ["2026-11-20T15:00:00.5Z", "2026-11-20T15:00:00.500Z"],
    ["2026-11-20T15:00:00.999999Z", "2026-11-20T15:00:00.999Z"],
    ["2026-11-20T15:00:00", "2026-11-20T15:00:00.000Z"],
    ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999Z"],
  ])("normalises %s to UTC milliseconds", (served, kept) => {
    expect(parseRow({ call_id: 1, call_started: served })).toEqual(parsed({ call_started: kept }));
  });

  it("normalises call_started from any offset, so that text order is time order", () => {
    const date = fc.date({
      min: new Date("1990-01-01T00:00:00Z"),
      max: new Date("2100-01-01T00:00:00Z"),
      noInvalidDate: true,
    });
    const offsetMinutes = fc.integer({ min: -14 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(date, offsetMinutes, (moment, minutes) => {
        const local = new Date(moment.getTime() + minutes * 60_000).toISOString().slice(0, -1);
        const size = Math.abs(minutes);
        const two = (n: number) => String(n).padStart(2, "0");
        const offset = `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
        const { call_started } = callOf(parseRow({ call_id: 1, call_started: local + offset }));
        expect(call_started).toBe(moment.toISOString());
      }),
    );
  });
});

describe("parseRow: drift and undocumented members", () => {
  it("keeps unknown members in extra, those of dni_data under that key", () => {
    const row = {
      call_id: 1,
      score: 0.5,
      tags: ["a"],
      note: null,
      dni_data: { utm_source: "bing", msclkid: "x", nested: { deep: [true] } },
    };
    expect(parseRow(row)).toEqual(
      parsed(
        {
          utm_source: "bing",
          extra: '{"score":0.5,"tags":["a"],"note":null,"dni_data":{"msclkid":"x","nested":{"deep":[true]}}}',
        },
        [
          { path: "score", kind: "unknown", json_type: "number" },
          { path: "tags", kind: "unknown", json_type: "array" },
          { path: "note", kind: "unknown", json_type: "null" },
          { path: "dni_data.msclkid", kind: "unknown", json_type: "string" },
          { path: "dni_data.nested", kind: "unknown", json_type: "object" },
        ],
      ),
    );
  });

  it("keeps all unknown members, and reports the first hundred with at most 200 characters of a name", () => {
    const long = "n".repeat(201);
    const names = [long, long.slice(1), ...Array.from({ length: 99 }, (_, index) => `m${index}`)];
    const unknown = Object.fromEntries(names.map((name) => [name, 1]));
    const shown = [`${long.slice(1)}…`, ...names.slice(1, 100)];
    expect(parseRow({ call_id: 1, ...unknown })).toEqual(
      parsed(
        { extra: JSON.stringify(unknown) },
        shown.map((path) => ({ path, kind: "unknown", json_type: "number" })),
      ),
    );
  });

  it("keeps unknown members named like members of every JavaScript object: __proto__, constructor", () => {
    const unknown = '"__proto__":{"call_id":9,"__proto__":{"x":1}},"constructor":true,"toString":"t"';
    const row = `{"call_id":1,${unknown},"dni_data":{"__proto__":{"utm_source":"y"},"hasOwnProperty":1}}`;
    expect(parseText(row)).toEqual(
      parsed({ extra: `{${unknown},"dni_data":{"__proto__":{"utm_source":"y"},"hasOwnProperty":1}}` }, [
        { path: "__proto__", kind: "unknown", json_type: "object" },
        { path: "constructor", kind: "unknown", json_type: "boolean" },
        { path: "toString", kind: "unknown", json_type: "string" },
        { path: "dni_data.__proto__", kind: "unknown", json_type: "object" },
        { path: "dni_data.hasOwnProperty", kind: "unknown", json_type: "number" },
      ]),
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it("reports numbers in place of text and keeps them as text", () => {
    const row = `{"call_id":1,"caller_id":4915112345678,"insight_name":1.5,"disposition":0,
      "dni_data":{"campaign_id":9007199254740993,"gclid":-12345678901234567890123,"utm_term":7}}`;
    expect(parseText(row)).toEqual(
      parsed(
        {
          caller_id: "4915112345678",
          insight_name: "1.5",
          disposition: "0",
          campaign_id: "9007199254740993",
          gclid: "-12345678901234567890123",
          utm_term: "7",
        },
        [
          { path: "insight_name", kind: "type", json_type: "number" },
          { path: "caller_id", kind: "type", json_type: "number" },
          { path: "disposition", kind: "type", json_type: "number" },
          { path: "dni_data.utm_term", kind: "type", json_type: "number" },
          { path: "dni_data.gclid", kind: "type", json_type: "number" },
          { path: "dni_data.campaign_id", kind: "type", json_type: "number" },
        ],
      ),
    );
  });

  it.each<{ served: Record<string, unknown>; is: Partial<Call>; json_type: string; path?: string }>([
    { served: { duration: "120" }, is: { duration: 120 }, json_type: "string" },
    { served: { duration: " 120 " }, is: { duration: 120 }, json_type: "string" },
    { served: { duration: "" }, is: { duration: null }, json_type: "string" },
    { served: { duration: "12.7" }, is: { duration: 13 }, json_type: "string" },
    { served: { org_unit_id: "7" }, is: { org_unit_id: 7 }, json_type: "string" },
    { served: { dni_data: [] }, is: {}, json_type: "array" },
    { served: { dni_data: "" }, is: {}, json_type: "string" },
    { served: { dni_data: false }, is: {}, json_type: "boolean" },
    {
      served: { dni_data: { utm_content: true } },
      is: { utm_content: "true" },
      json_type: "boolean",
      path: "dni_data.utm_content",
    },
    ...[
      "2026-11-01T10:00:00.000+0530",
      "2026-11-01 10:00:00+05:30",
      "2026-11-01 04:30:00",
      "2026-11-01 10:00 +0530",
    ].map((call_started) => ({
      served: { call_started },
      is: { call_started: "2026-11-01T04:30:00.000Z" },
      json_type: "string",
    })),
    {
      served: { call_started: "2026-11-01T10:00:00+05" },
      is: { call_started: "2026-11-01T05:00:00.000Z" },
      json_type: "string",
    },
    { served: { call_started: "" }, is: {}, json_type: "string" },
  ])("reports what is read in another form than documented: $served", ({ served, is, json_type, path }) => {
    const drift = [{ path: path ?? Object.keys(served)[0], kind: "type", json_type }];
    expect(parseRow({ call_id: 1, ...served })).toEqual(parsed(is, drift));
  });

  it("keeps the id of a rejected row, also as text", () => {
    expect(rejectionOf(parseRow({ call_id: "81", duration: "long" }))).toMatchObject({ call_id: 81 });
  });
});

describe("parseRow: rejected rows, with the row as served, the path and the reason", () => {
  it("rejects any call_id beyond ±(2^53 − 1), never rounded to its neighbour", () => {
    const beyond = fc
      .tuple(fc.bigInt({ min: 2n ** 53n, max: 2n ** 200n }), fc.boolean())
      .map(([size, negative]) => (negative ? -size : size));
    fc.assert(
      fc.property(beyond, (id) => {
        const json = `{"call_id":${id},"x":[${id},"${id}"]}`;
        expect(rejectionOf(parseText(json))).toEqual({
          call_id: null,
          json,
          path: "call_id",
          reason: `${id} is beyond 2^53 − 1 and would be rounded`,
        });
      }),
    );
  });

  it.each(['"one"', '""', '"01"', '"1.5"', "1.5", "null", "true", "{}", "[1]", "1e300", "-1e17"])(
    "rejects a call_id that is %s",
    (id) => {
      expect(rejectionOf(parseText(`{"call_id":${id}}`))).toEqual({
        call_id: null,
        json: stringifyJson({ call_id: JSON.parse(id) }),
        path: "call_id",
        reason: "expected an integer",
      });
    },
  );

  it.each([
    "yesterday",
    "2026-13-01T10:00:00.000Z",
    "2025-02-29T10:00:00.000Z",
    "2026-11-20T15:00:00 CET",
    "20/11/2026 15:00",
    "+012026-11-20T15:00:00Z",
    "9999-12-31T23:00:00-01:00",
    1_795_186_800_000,
  ])("rejects a call_started of %j", (call_started) => {
    const row = { call_id: 5, call_started };
    expect(rejectionOf(parseRow(row))).toEqual({
      call_id: 5,
      json: JSON.stringify(row),
      path: "call_started",
      reason: expect.stringMatching(/./),
    });
  });

  it.each([
    { member: "duration", value: "1:01" },
    { member: "duration", value: true },
    { member: "org_unit_id", value: "7a" },
    { member: "caller_id", value: true },
    { member: "summary", value: { text: "x" } },
    { member: "transcription_details", value: { text: "x" } },
    { member: "dni_data", value: [DNI] },
    { member: "dni_data", value: "google" },
  ])("rejects $member of $value", ({ member, value }) => {
    const row = { ...ROW, [member]: value };
    expect(rejectionOf(parseRow(row))).toEqual({
      call_id: 42,
      json: JSON.stringify(row),
      path: member,
      reason: expect.stringMatching(/./),
    });
  });

  it.each([MAX_DURATION + 1, -MAX_DURATION - 1, Number.MAX_SAFE_INTEGER])(
    "rejects a duration of %d, which could not be summed exactly",
    (duration) => {
      expect(rejectionOf(parseRow({ ...ROW, duration }))).toMatchObject({
        call_id: 42,
        path: "duration",
        reason: "not from -2147483647 to 2147483647: sums of longer ones would not be exact",
      });
    },
  );

  it("rejects a duration beyond 2^53 − 1, with all its digits", () => {
    const json = '{"call_id":5,"duration":12345678901234567890}';
    expect(rejectionOf(parseText(json))).toMatchObject({ call_id: 5, json, path: "duration" });
  });

  it("rejects a member of dni_data that is neither text nor number", () => {
    const row = { call_id: 5, dni_data: { ...DNI, utm_source: ["google"] } };
    expect(rejectionOf(parseRow(row))).toMatchObject({
      call_id: 5,
      json: JSON.stringify(row),
      path: "dni_data.utm_source",
    });
  });

  it.each([
    { kind: "null", row: null },
    { kind: "an empty array", row: [] },
    { kind: "an array that contains a call", row: [ROW] },
  ])("rejects a row that is $kind", ({ row }) => {
    expect(rejectionOf(parseRow(row))).toEqual({
      call_id: null,
      json: JSON.stringify(row),
      path: "",
      reason: expect.stringMatching(/object/),
    });
  });

  it("parses or rejects any JSON value without losing text", () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    const names = fc.constantFrom(...Object.keys(ROW), ...Object.keys(DNI), "__proto__", "more");
    const almost = fc
      .array(fc.tuple(names, value), { maxLength: 6 })
      .map((entries) => Object.fromEntries([["call_id", 1], ...entries]));
    fc.assert(
      fc.property(fc.oneof(value, almost), (row) => {
        const text = JSON.stringify(row);
        const result = parseText(text);
        if ("rejected" in result) expect(result.rejected.json).toBe(text);
        else expect(Object.keys(result.call).sort()).toEqual(Object.keys(BARE).sort());
      }),
      { numRuns: 500 },
    );
  });
});

describe("parseJson and stringifyJson", () => {
  const integer = fc.oneof(
    fc.bigInt({ min: -(2n ** 300n), max: 2n ** 300n }),
    fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }),
    fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }),
  );

  it("keep integers of any size at any place", () => {
    fc.assert(
      fc.property(integer, fc.constantFrom("", " ", "\n\t"), (n, space) => {
        for (const text of [`${n}`, `[${n}]`, `[1,${n}]`, `{"a":${n}}`, `{"a":{"b":["x",${n},${n}]}}`]) {
          const spaced = text.replaceAll(/[[\]{}:,]/g, `${space}$&${space}`);
          expect(stringifyJson(parseJson(space + spaced))).toBe(text);
        }
        const isSafe = Number.isSafeInteger(Number(n)) && BigInt(Number(n)) === n;
        expect(parseJson(`[${n}]`)).toEqual([isSafe ? Number(n) : n]);
      }),
    );
  });

  it("keep every other JSON value as JSON.parse and JSON.stringify do, with or without a long integer nearby", () => {
    fc.assert(
      fc.property(fc.jsonValue(), integer, (value, n) => {
        const text = JSON.stringify(value);
        expect(stringifyJson(parseJson(text))).toBe(text);
        expect(stringifyJson(parseJson(`[${n},${text}]`))).toBe(`[${n},${text}]`);
      }),
    );
  });

  it("do not change digits in texts and keys", () => {
    const text = '{"12345678901234567890":"12345678901234567890","a":",98765432109876543210"}';
    expect(parseJson(text)).toEqual({
      "12345678901234567890": "12345678901234567890",
      a: ",98765432109876543210",
    });
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  it("parseJson throws a SyntaxError for invalid JSON, with or without long numbers", () => {
    for (const text of ["", "{", "[1,]", "[12345678901234567890", "NaN", "0123"]) {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    }
  });
});
