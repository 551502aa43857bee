import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashCall } from "../../src/calls/call.ts";
import { CALL_COLUMNS, type Call, TRANSCRIPT_COLUMNS } from "../../src/calls/columns.ts";
import { FULL_CALL, makeCall } from "../support/warehouses/calls.ts";

const MEMBERS = [...CALL_COLUMNS, ...TRANSCRIPT_COLUMNS];

describe("CALL_COLUMNS, TRANSCRIPT_COLUMNS", () => {
  it("name every member of a call once", () => {
    expect(MEMBERS.toSorted()).toEqual(Object.keys(FULL_CALL).toSorted());
  });
});

describe("hashCall", () => {
  it("returns 256 bits that depend only on the content", () => {
    expect(hashCall(FULL_CALL)).toMatch(/^[\w-]{43}$/);
    expect(hashCall(Object.assign(makeCall(), FULL_CALL))).toBe(hashCall(FULL_CALL));
  });

  it.each(MEMBERS)("changes with %s, and with its absence", (member) => {
    const value = FULL_CALL[member];
    const other: Partial<Call> = { [member]: typeof value === "number" ? value + 1 : `x${value}` };
    const hashes = [FULL_CALL, { ...FULL_CALL, ...other }, { ...FULL_CALL, [member]: null }].map((call) =>
      hashCall(call),
    );
    expect(new Set(hashes).size).toBe(3);
  });

  it("distinguishes null, an empty text and similar texts", () => {
    const hashes = [null, "", "-", "0:", "null"].map((gclid) => hashCall(makeCall({ gclid })));
    expect(new Set(hashes).size).toBe(hashes.length);
  });

  it("distinguishes equal texts in different members", () => {
    const member = fc.constantFrom("", "-", "1:a", "a", "ab", "0:", "0:0:", "é", null);
    const texts = fc.tuple(member, member, member, member);
    const hashOf = ([utm_source, utm_medium, utm_campaign, utm_content]: (string | null)[]) =>
      hashCall({
        ...makeCall(),
        utm_source: utm_source ?? null,
        utm_medium: utm_medium ?? null,
        utm_campaign: utm_campaign ?? null,
        utm_content: utm_content ?? null,
      });
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(hashOf(a) === hashOf(b)).toBe(JSON.stringify(a) === JSON.stringify(b));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    { a: "https://r.example/5.mp3?Signature=a", b: "https://r.example/5.mp3?Signature=b", isSame: true },
    { a: "https://r.example/5.mp3?Signature=a", b: "https://r.example/5.mp3", isSame: true },
    { a: "https://r.example/5.mp3#a", b: "https://r.example/5.mp3#b", isSame: true },
    { a: "https://r.example/5.mp3?a", b: "https://r.example/6.mp3?a", isSame: false },
    { a: "https://r.example/5.mp3?a", b: "http://r.example/5.mp3?a", isSame: false },
    { a: "?Signature=a", b: null, isSame: false },
  ])("treats the recordings $a and $b as equal: $isSame", ({ a, b, isSame }) => {
    const [first, second] = [a, b].map((recording_url) => hashCall(makeCall({ recording_url })));
    expect(first === second).toBe(isSame);
  });

  it("includes the query of other URLs", () => {
    const [first, second, again] = ["?q=1", "?q=2", "?q=1"].map((query) =>
      hashCall(makeCall({ referring_url: `https://a.example/${query}` })),
    );
    expect(second).not.toBe(first);
    expect(again).toBe(first);
  });
});
