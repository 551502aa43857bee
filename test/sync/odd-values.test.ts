import { describe, expect, it } from "vitest";
import { DNI_FIELDS } from "../../src/call/columns.ts";
import { type CallService, startRowService } from "../support/call-service.ts";

const TEXTS = [
  "insight_name",
  "caller_id",
  "tracking_number",
  "disposition",
  "org_unit_name",
  "recording_url",
  "summary",
  "transcription",
  ...DNI_FIELDS,
];

/** Returns a row as sent by the service, in which every text member has this JSON value. */
function withTexts(id: number | string, json: string): string {
  const [own, dni] = [TEXTS.slice(0, 8), TEXTS.slice(8)].map((members) =>
    members.map((member) => `"${member}":${json}`).join(),
  );
  return `{"call_id":${id},${own},"dni_data":{${dni}}}`;
}

/** The bytes of each text member of a call, in hex; its type if it is not text. */
function readTextBytes({ read }: CallService<string>): Record<string, unknown> | undefined {
  const columns = TEXTS.map(
    (name) => `iif(typeof(${name}) = 'text', hex(${name}), typeof(${name})) AS ${name}`,
  );
  return read(`SELECT ${columns.join()} FROM calls LEFT JOIN transcripts USING (call_id)`)[0];
}

const everyText = (value: string) => Object.fromEntries(TEXTS.map((name) => [name, value]));

describe("sync of odd but legal values", () => {
  it.each([
    { title: "an empty text", json: '""', stored: "" },
    { title: "spaces and line ends", json: String.raw`" \t\r\n\u00a0 "`, stored: " \t\r\n\u00a0 " },
    { title: "NUL", json: String.raw`"a\u0000b\u0000"`, stored: "a\0b\0" },
    { title: "an emoji, literal and escaped", json: String.raw`"😀 \ud83d\ude00"`, stored: "😀 😀" },
    { title: "letters composed in two ways", json: String.raw`"é e\u0301"`, stored: "é e\u0301" },
    {
      title: "a byte order mark and noncharacters",
      json: String.raw`"\ufeffx\uffff\ufffe"`,
      stored: "\ufeffx\uffff\ufffe",
    },
    {
      title: "quotes, backslashes and controls",
      json: String.raw`"\"\\\/'\u0001\u001b[31m\u007f"`,
      stored: "\"\\/'\u0001\u001b[31m\u007f",
    },
    { title: "the last code point", json: '"\u{10ffff}"', stored: "\u{10ffff}" },
    {
      title: "lone surrogates, which become U+FFFD",
      json: String.raw`"a\ud83d, \ude00b, \udc00\ud800"`,
      stored: "a\ufffd, \ufffdb, \ufffd\ufffd",
    },
    { title: "a text that looks like a number", json: '"007"', stored: "007" },
    { title: "a number", json: "491234", stored: "491234" },
    { title: "a fraction", json: "-1.5", stored: "-1.5" },
    { title: "a number beyond 2^53", json: "90071992547409931234", stored: "90071992547409931234" },
  ])("stores $title byte for byte and finds it unchanged", async ({ json, stored }) => {
    await using service = await startRowService([withTexts(1, json)]);
    expect(await service.sync()).toMatchObject({ verdict: "exact", calls_rejected: 0 });
    const hex = Buffer.from(stored).toString("hex").toUpperCase();
    expect(readTextBytes(service)).toEqual(everyText(hex));
    expect(await service.sync()).toMatchObject({ calls_changed: 0, calls_unchanged: 1 });
  });
});

describe("sync of a call that cannot be parsed", () => {
  it("does not accept a number beyond all doubles as text", async () => {
    await using service = await startRowService([
      '{"call_id":1,"summary":1e300}',
      '{"call_id":2,"summary":1e400}',
    ]);
    expect(await service.sync()).toMatchObject({ calls_new: 1, calls_rejected: 1 });
    expect(service.read("SELECT call_id, path FROM rejected_calls")).toEqual([
      { call_id: 2, path: "summary" },
    ]);
    expect(service.read("SELECT call_id, summary FROM transcripts")).toEqual([
      { call_id: 1, summary: "1e+300" },
    ]);
  });
});
