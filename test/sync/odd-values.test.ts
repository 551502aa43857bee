import { expect, it } from "vitest";
import { DNI_FIELDS } from "../../src/calls/columns.ts";
import { startRowService } from "../support/services/call-service.ts";

const OWN = ["insight_name", "caller_id", "tracking_number", "disposition", "org_unit_name", "recording_url"];
const TEXTS = [...OWN, "summary", "transcription", ...DNI_FIELDS];

/** A row as sent by the service, in which every text member has this JSON value. */
function withTexts(id: number, json: string): string {
  const membersOf = (names: readonly string[]) => names.map((name) => `"${name}":${json}`).join();
  return `{"call_id":${id},${membersOf(TEXTS.slice(0, 8))},"dni_data":{${membersOf(DNI_FIELDS)}}}`;
}

/** Odd but legal JSON values, and the stored texts. */
const VALUES: readonly [json: string, stored: string][] = [
  ['""', ""],
  [String.raw`" \t\r\n\u00a0 "`, " \t\r\n\u00a0 "],
  [String.raw`"a\u0000b\u0000"`, "a\0b\0"],
  [String.raw`"😀 \ud83d\ude00"`, "😀 😀"],
  [String.raw`"é e\u0301"`, "é e\u0301"],
  [String.raw`"\ufeffx\uffff\ufffe"`, "\ufeffx\uffff\ufffe"],
  [String.raw`"\"\\\/'\u0001\u001b[31m\u007f"`, "\"\\/'\u0001\u001b[31m\u007f"],
  ['"\u{10ffff}"', "\u{10ffff}"],
  // Lone surrogates become U+FFFD.
  [String.raw`"a\ud83d, \ude00b, \udc00\ud800"`, "a\ufffd, \ufffdb, \ufffd\ufffd"],
  ['"007"', "007"],
  ["491234", "491234"],
  ["-1.5", "-1.5"],
  ["90071992547409931234", "90071992547409931234"],
  ["1e300", "1e+300"],
];

it("sync stores odd but legal values byte for byte, and finds them unchanged", async () => {
  await using service = await startRowService(VALUES.map(([json], id) => withTexts(id, json)));
  expect(await service.sync()).toMatchObject({ calls_new: VALUES.length, calls_rejected: 0 });
  const columns = TEXTS.map(
    (name) => `iif(typeof(${name}) = 'text', hex(${name}), typeof(${name})) AS ${name}`,
  );
  const rows = service.read(
    `SELECT ${columns.join()} FROM calls LEFT JOIN transcripts USING (call_id) ORDER BY call_id`,
  );
  for (const [id, [json, stored]] of VALUES.entries()) {
    const hex = Buffer.from(stored).toString("hex").toUpperCase();
    expect(rows[id], json).toEqual(Object.fromEntries(TEXTS.map((name) => [name, hex])));
  }
  const again = await service.sync({ force: "full" });
  expect(again).toMatchObject({ calls_changed: 0, calls_unchanged: VALUES.length });
});

it("sync does not accept a number beyond all doubles as text", async () => {
  await using service = await startRowService(['{"call_id":2,"summary":1e400}']);
  expect(await service.sync()).toMatchObject({ calls_new: 0, calls_rejected: 1 });
  expect(service.read("SELECT call_id, path FROM rejected_calls")).toEqual([{ call_id: 2, path: "summary" }]);
});
