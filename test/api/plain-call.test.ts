import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../src/api/parse-json.ts";
import { parseRow, parseRowText } from "../../src/api/parse-row.ts";
import { parsePlainCall } from "../../src/api/plain-call.ts";
import { DNI_FIELDS, MAX_DURATION } from "../../src/call.ts";

const text = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom("google", "", null, "☎", "\ud800") },
  { weight: 1, arbitrary: fc.constantFrom(1, 1.5, true, [], {}, 12345678901234567890n) },
);
const integer = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(0, -1, 2 ** 53 - 1, null) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 53, 1.5, "1", true) },
);
const duration = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(0, -1, MAX_DURATION, -MAX_DURATION, null) },
  { weight: 1, arbitrary: fc.constantFrom(MAX_DURATION + 1, -MAX_DURATION - 1, 2 ** 53 - 1, 1.5, "1") },
);
const time = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    null,
    "2026-09-15T14:30:00Z",
    "2026-09-15T14:30:00.5+02:00",
    "2026-02-30T00:00:00.000Z",
    "2026-09-15T24:00:00.000Z",
    "9999-12-31T23:59:59.999Z",
    "9999-12-31T23:59:59.999-01:00",
    "0000-01-01T00:00:00.000Z",
    "0000-01-01T00:00:00+01:00",
    "soon",
    "",
    5,
  ),
);
const line = fc.record({ channel: text, time: text, text }, { requiredKeys: [] });
const members = fc.record(
  {
    call_id: integer,
    insight_name: text,
    caller_id: text,
    call_started: time,
    duration,
    org_unit_id: integer,
    recording_url: text,
    dni_data: fc.oneof(fc.constantFrom(null, [], "x"), fc.dictionary(fc.constantFrom(...DNI_FIELDS), text)),
    transcription: text,
    transcription_details: fc.oneof(fc.constantFrom(null, {}, "x"), fc.array(line, { maxLength: 2 })),
  },
  { requiredKeys: ["call_id"] },
);

it("parsePlainCall gives what the schema gives, for the rows that it takes", () => {
  let taken = 0;
  fc.assert(
    fc.property(members, (row) => {
      if (parsePlainCall(row, () => null) !== undefined) taken++;
      const plain = parseRow(row);
      // A member that nobody knows is none of its business.
      const thorough = parseRow({ ...row, unheard_of: null });
      if ("call" in plain && "call" in thorough) {
        expect({ ...thorough.call, extra: null }).toEqual(plain.call);
      } else if ("rejected" in plain && "rejected" in thorough) {
        expect({ ...thorough.rejected, json: plain.rejected.json }).toEqual(plain.rejected);
      } else expect(plain).toEqual(thorough);
    }),
    { numRuns: 3000 },
  );
  expect(taken).toBeGreaterThan(100);
});

describe("parseRowText", () => {
  const LINES = '"transcription_details":[{"channel":"agent","time":"00:01","text":"Hello"}]';
  const spoken = fc.record({
    channel: fc.constantFrom("agent", "caller"),
    time: fc.constantFrom("00:00", "61:05"),
    text: fc.oneof(
      { weight: 9, arbitrary: fc.string({ maxLength: 5 }) },
      {
        weight: 1,
        arbitrary: fc.constantFrom('"', "\\", "]}", "},{", "\u2028", "\ud800", "☎ Zürich", LINES, 5),
      },
    ),
  });
  const lines = fc.oneof(
    { weight: 9, arbitrary: fc.array(spoken, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(null, true, {}, [null], [[]]) },
  );
  /** Members as they may stand in a row's text, among them some that come twice or where they do not belong. */
  const member = fc.oneof(
    { weight: 6, arbitrary: lines.map((value) => `"transcription_details":${JSON.stringify(value)}`) },
    lines.map((value) => `"transcription_details":${JSON.stringify(value, null, 1)}`),
    fc.constantFrom(
      `"dni_data":{${LINES}}`,
      `"extra":{${LINES}}`,
      `"a ${JSON.stringify(LINES).slice(1, -1)}":1`,
      `"summary":${JSON.stringify(LINES)}`,
      `"a \\${LINES}`,
      '"transcription_details":true',
      '"transcription_details" :true',
      '"transcription\\u005fdetails":true',
      '"duration":61',
    ),
  );

  it("gives what parseRow gives of its JSON, whatever is in its transcript", () => {
    let cut = 0;
    fc.assert(
      fc.property(fc.array(member, { maxLength: 3 }), (members) => {
        const text = `{"call_id":1${members.map((one) => `,${one}`).join("")}}`;
        const parsed = parseRowText(text);
        if ("call" in parsed && text.includes(`"transcription_details":${parsed.call.transcription_details}`))
          cut++;
        expect(parsed).toEqual(parseRow(parseJson(text)));
      }),
      { numRuns: 5000 },
    );
    expect(cut).toBeGreaterThan(1000);
  });

  it.each([20_000, 2_000_000])("takes a transcript of %d lines", (length) => {
    const spokenLines = Array.from({ length }, () => ({ channel: "", time: "", text: "" }));
    const row = { call_id: 1, transcription_details: spokenLines };
    expect(parseRowText(JSON.stringify(row))).toEqual(parseRow(row));
  });
});
