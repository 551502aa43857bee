import fc from "fast-check";
import { expect, it } from "vitest";
import { parseRow } from "../../src/api/parse.ts";
import { parsePlainCall } from "../../src/api/plain-call.ts";
import { DNI_FIELDS } from "../../src/call.ts";

const text = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom("google", "", null, "☎", "\ud800") },
  { weight: 1, arbitrary: fc.constantFrom(1, 1.5, true, [], {}, 12345678901234567890n) },
);
const integer = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(0, -1, 2 ** 53 - 1, null) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 53, 1.5, "1", true) },
);
const time = fc.oneof(
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.constantFrom(
    null,
    "2026-09-15T14:30:00Z",
    "2026-09-15T14:30:00.5+02:00",
    "2026-02-30T00:00:00.000Z",
    "2026-09-15T24:00:00.000Z",
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
    duration: integer,
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
