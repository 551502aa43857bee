import { describe, expect, it } from "vitest";
import { DNI_FIELDS } from "../../src/call/columns.ts";
import { exitCodeOf } from "../../src/sync/run.ts";
import { type CallService, rowOf, startRowService } from "../support/call-service.ts";

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
const OTHERS = ["call_started", "duration", "org_unit_id", "transcription_details"];
const MEMBERS = [...TEXTS, ...OTHERS];

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

  it("treats null and absent members alike", async () => {
    const nulls = Object.fromEntries([...OTHERS, ...TEXTS.slice(0, 8)].map((name) => [name, null]));
    const nullDni = Object.fromEntries(DNI_FIELDS.map((name) => [name, null]));
    const rows = [
      { call_id: 1 },
      { call_id: 2, ...nulls },
      { call_id: 3, dni_data: null },
      { call_id: 4, dni_data: nullDni },
    ];
    await using service = await startRowService(rows.map((row) => JSON.stringify(row)));
    expect(await service.sync()).toMatchObject({ verdict: "exact", calls_new: 4 });
    const select = `SELECT call_id, ${MEMBERS.join()}, extra FROM calls LEFT JOIN transcripts USING (call_id)`;
    const empty = Object.fromEntries([...MEMBERS, "extra"].map((name) => [name, null]));
    expect(service.read(select)).toEqual([1, 2, 3, 4].map((call_id) => ({ call_id, ...empty })));
    expect(service.read("SELECT * FROM schema_drift")).toEqual([]);
    service.calls = service.calls.toReversed();
    expect(await service.sync()).toMatchObject({ calls_changed: 0, calls_unchanged: 4 });
  });

  it("reports each member that has a number in place of text once", async () => {
    await using service = await startRowService([withTexts(1, "5"), withTexts(2, "6"), withTexts(3, '"x"')]);
    await service.sync();
    await service.sync();
    const paths = TEXTS.map((name, index) => (index < 8 ? name : `dni_data.${name}`)).sort();
    expect(
      service.read("SELECT path, kind, json_type, first_run_id FROM schema_drift ORDER BY path"),
    ).toEqual(paths.map((path) => ({ path, kind: "type", json_type: "number", first_run_id: 1 })));
  });

  it("keeps unknown members verbatim, even __proto__, without being fooled by it", async () => {
    const proto =
      '{"call_id":5,"duration":3,"__proto__":{"call_id":99,"duration":7},"dni_data":{"__proto__":"p"}}';
    const deep = String.raw`{"call_id":6,"constructor":null,"score":12345678901234567890,"tags":["\ud800",{"__proto__":[1]}]}`;
    await using service = await startRowService([proto, deep]);
    expect(await service.sync()).toMatchObject({ verdict: "exact", calls_rejected: 0 });
    expect(service.read("SELECT call_id, duration, extra FROM calls")).toEqual([
      {
        call_id: 5,
        duration: 3,
        extra: '{"__proto__":{"call_id":99,"duration":7},"dni_data":{"__proto__":"p"}}',
      },
      {
        call_id: 6,
        duration: null,
        extra: String.raw`{"constructor":null,"score":12345678901234567890,"tags":["\ud800",{"__proto__":[1]}]}`,
      },
    ]);
    expect(service.read("SELECT path, kind, json_type FROM schema_drift ORDER BY path")).toEqual([
      { path: "__proto__", kind: "unknown", json_type: "object" },
      { path: "constructor", kind: "unknown", json_type: "null" },
      { path: "dni_data.__proto__", kind: "unknown", json_type: "string" },
      { path: "score", kind: "unknown", json_type: "number" },
      { path: "tags", kind: "unknown", json_type: "array" },
    ]);
    expect(Reflect.get({}, "call_id")).toBeUndefined();
  });

  it("keeps ids up to 2^53 − 1, and rejects larger ones with all their digits", async () => {
    const bad = [
      "9007199254740992",
      "9007199254740993",
      "-9007199254740992",
      "123456789012345678901234567890",
    ];
    const served = bad.map((id) => `{"call_id":${id},"duration":61}`);
    const good = ["9007199254740991", "9007199254740990", "-9007199254740991", "0"];
    await using service = await startRowService([...good.map((id) => `{"call_id":${id}}`), ...served]);
    const run = await service.sync();
    expect({ code: exitCodeOf(run), run }).toMatchObject({
      code: 3,
      run: { calls_new: 4, calls_rejected: 4 },
    });
    expect(service.read("SELECT CAST(call_id AS TEXT) AS id FROM calls ORDER BY call_id")).toEqual(
      [-9007199254740991n, 0n, 9007199254740990n, 9007199254740991n].map((id) => ({ id: `${id}` })),
    );
    const rejected = service.read("SELECT call_id, json, path, reason FROM rejected_calls ORDER BY json");
    expect(rejected).toEqual(
      bad
        .map((id, index) => ({
          call_id: null,
          json: served[index],
          path: "call_id",
          reason: `${id} is beyond 2^53 − 1 and would be rounded`,
        }))
        .sort((left, right) => (`${left.json}` < `${right.json}` ? -1 : 1)),
    );
  });
});

describe("sync of a call that cannot be parsed", () => {
  it.each([
    { path: "call_started", good: '"9999-12-31T23:59:59.999Z"', bad: '"9999-12-31T23:59:59.999-01:00"' },
    { path: "call_started", good: '"0000-01-01T00:00:00.000Z"', bad: '"0000-01-01T00:00:00.000+01:00"' },
    { path: "call_started", good: '"2026-11-20T00:00:00Z"', bad: '"+012026-11-20T00:00:00.000Z"' },
    { path: "duration", good: "2147483647", bad: "2147483648" },
    { path: "duration", good: "-2147483647", bad: "-9007199254740991" },
  ])("accepts $path of $good, and quarantines $bad", async ({ path, good, bad }) => {
    const rejected = `{"call_id":2,"${path}":${bad}}`;
    await using service = await startRowService([`{"call_id":1,"${path}":${good}}`, rejected]);
    const run = await service.sync();
    expect(run).toMatchObject({ calls_new: 1, calls_rejected: 1 });
    expect(service.read("SELECT call_id FROM calls")).toEqual([{ call_id: 1 }]);
    expect(service.read("SELECT call_id, json, path FROM rejected_calls")).toEqual([
      { call_id: 2, json: rejected, path },
    ]);
  });

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

  const broken = '{"call_id":3,"duration":"long"}';

  it("does not change what was stored of the call before", async () => {
    await using service = await startRowService([rowOf(1), rowOf(2), rowOf(3), rowOf(4)]);
    await service.sync();
    const before = service.read("SELECT * FROM calls");
    service.calls[2] = broken;
    expect(await service.sync({ force: "full" })).toMatchObject({
      verdict: "exact",
      calls_rejected: 1,
      calls_missing: 0,
      calls_unchanged: 3,
    });
    expect(service.read("SELECT * FROM calls")).toEqual(before);
  });
});
