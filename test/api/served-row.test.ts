import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fetchAttributionPage, fetchServedPage } from "../../src/api/attribution-client.ts";
import { ApiClient } from "../../src/api/client.ts";
import type { ParsedRow } from "../../src/api/parse-row.ts";
import { parseServedRow, takeFingerprint } from "../../src/api/served-row.ts";
import { startBadServer, text } from "../support/bad-server.ts";
import { draws, least } from "../support/draws.ts";
import { FakeClock } from "../support/fake-clock.ts";

const QUERY = { limit: 10, offset: 0 };

/** What makes cutting go wrong: names and signs of JSON inside of texts, lists and objects inside of calls. */
const oddText = fc.oneof(
  fc.constantFrom(
    '"',
    "\\",
    '},{"call_id":1',
    '"calls":[{"call_id":1}]',
    "]}",
    "☎ Zürich",
    "\ud800",
    "a\nb",
    ",",
  ),
  fc.string({ maxLength: 5 }),
);
const member = fc.oneof(
  oddText,
  fc.constantFrom(null, true, 1, 12345678901234567890n, [], {}, [{ call_id: 1 }, { call_id: 2 }], {
    call_id: 3,
  }),
);
const call = fc.record(
  {
    call_id: fc.oneof({ weight: 9, arbitrary: fc.integer() }, { weight: 1, arbitrary: member }),
    recording_url: fc.oneof(fc.webUrl({ withQueryParameters: true }), member),
    summary: fc.oneof(oddText, member),
    dni_data: fc.option(fc.record({ call_id: member, recording_url: member }, { requiredKeys: [] })),
    transcription_details: fc.array(fc.record({ call_id: member, text: oddText }, { requiredKeys: [] })),
    extra: member,
  },
  { requiredKeys: ["call_id"] },
);
const body = fc.record({
  calls: fc.array(fc.oneof({ weight: 40, arbitrary: call }, { weight: 1, arbitrary: member }), {
    maxLength: 5,
  }),
  before: fc.dictionary(
    fc.constantFrom("message", "calls", "note"),
    fc.oneof(
      oddText,
      fc.constant([]),
      fc.constant([{ calls: [{}] }]),
      fc.constant({ calls: [{ call_id: 1 }] }),
    ),
  ),
  after: fc.dictionary(fc.constantFrom("timestamp", "warnings"), fc.oneof(oddText, fc.constant([{ a: 1 }]))),
  indent: fc.constantFrom(undefined, 1, "\t"),
  escapesSlashes: fc.boolean(),
});

const withBigints = (_key: string, value: unknown) =>
  typeof value === "bigint" ? JSON.rawJSON(String(value)) : value;

type Parts = typeof body extends fc.Arbitrary<infer P> ? P : never;

function write({ calls, before, after, indent, escapesSlashes }: Parts): string {
  const data = { calls, total: calls.length, limit: 10, offset: 0 };
  const json = JSON.stringify({ code: 200, ...before, data, ...after }, withBigints, indent);
  return escapesSlashes ? json.replaceAll("/", "\\/") : json;
}

function withoutHash(row: ParsedRow): ParsedRow {
  return "call" in row ? { call: row.call, drift: row.drift } : row;
}

describe("fetchServedPage", () => {
  it("has the same calls in it as fetchAttributionPage, whatever is in them", async () => {
    let answer = "";
    await using server = await startBadServer((request, response) => text(answer)(request, response));
    const clock = new FakeClock();
    await using client = new ApiClient({
      baseUrl: server.url,
      token: "token",
      clock,
      retry: { attempts: 1 },
    });
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(body, async (parts) => {
        answer = write(parts);
        const exchange = expect.anything();
        const whole = await fetchAttributionPage(client, QUERY).then(
          (page) => ({ ...page, exchange }),
          (error: unknown) => String(error),
        );
        const page = await fetchServedPage(client, QUERY).catch((error: unknown) => String(error));
        if (typeof page === "string" || "rows" in page) {
          expect(page).toEqual(whole);
          return;
        }
        const { served, parse, startDeadline, ...place } = page;
        startDeadline()();
        expect(parse()).toEqual(whole);
        try {
          const rows = served.map((bytes) => withoutHash(parseServedRow(bytes)));
          expect({ ...place, rows }).toEqual(whole);
          cut++;
        } catch (error) {
          // Cut in the wrong places, which whoever parses it notices.
          if (!(error instanceof SyntaxError)) throw error;
        }
      }),
      { numRuns: draws(1000) },
    );
    expect(cut).toBeGreaterThanOrEqual(least(20));
  });
});

describe("takeFingerprint", () => {
  const row = (members: object) => Buffer.from(JSON.stringify({ call_id: -7, ...members }));
  const signed = (signature: string) =>
    row({ recording_url: `https://r.example/1?Sig=${signature}`, summary: "A tap." });

  it("is the same for another signature of the recording, and names the call", () => {
    const print = takeFingerprint(signed("one"));
    const link = (signature: string) => `https://r.example/1?Sig=${signature}`;
    expect(print).toEqual({
      call_id: -7,
      hash: expect.stringMatching(/^3\.[\w-]{22}$/),
      recording_url: link("one"),
    });
    expect(takeFingerprint(signed("another"))).toEqual({ ...print, recording_url: link("another") });
  });

  it("is the same only for bytes that parse to the same call, but for the signature", () => {
    const unsigned = (parsed: ParsedRow) => {
      if (!("call" in parsed)) throw new Error("A fingerprint was kept for a row that was rejected");
      return { ...parsed.call, recording_url: parsed.call.recording_url?.split(/[?#]/)[0] };
    };
    const url = fc.constantFrom(
      "https://r.example/1",
      "https://r.example/1?a",
      "https://r.example/1#b",
      "/1\\?a",
      "?",
      null,
      3,
    );
    const few = fc.record(
      {
        call_id: fc.constantFrom(1, 2),
        recording_url: url,
        summary: fc.constantFrom("?a", "", null),
        dni_data: fc.record({ recording_url: url, gclid: fc.constantFrom("a", "b") }, { requiredKeys: [] }),
        extra: url,
      },
      { requiredKeys: ["call_id"] },
    );
    let alike = 0;
    fc.assert(
      fc.property(
        few,
        few,
        fc.constantFrom("recording_url", "summary", "extra", "dni_data"),
        (left, other, name) => {
          const right = { ...left, [name]: other[name] };
          const [a, b] = [left, right].map((members) => parseServedRow(Buffer.from(JSON.stringify(members))));
          if (!a || !b || !("served" in a) || !("served" in b) || a.served !== b.served) return;
          alike++;
          expect(unsigned(a)).toEqual(unsigned(b));
        },
      ),
      { numRuns: draws(5000) },
    );
    expect(alike).toBeGreaterThanOrEqual(least(20));
  });

  it.each([
    ["a call without an id", row({ call_id: undefined })],
    ["an id that is too long", Buffer.from('{"call_id":12345678901234567890}')],
    ["two members of the recording's name", row({ recording_url: "a?b", dni_data: { recording_url: "c" } })],
    ["an address with escapes that may hide its end", row({ recording_url: 'a?b"c' })],
  ])("is undefined for %s", (_, bytes) => {
    expect(takeFingerprint(bytes)).toBeUndefined();
  });

  it("is not kept where a member's name may be in disguise", () => {
    const disguised = String.raw`{"call_id":1,"recording\u005furl":"https://r/1","dni_data":{"recording_url":"a?1"}}`;
    expect(takeFingerprint(Buffer.from(disguised))).toBeDefined();
    expect(parseServedRow(Buffer.from(disguised))).not.toHaveProperty("served");
    expect(parseServedRow(row({ recording_url: "a?1", summary: "☎" }))).toHaveProperty("served");
  });
});
