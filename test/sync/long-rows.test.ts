import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseServedRow, takeFingerprint } from "../../src/api/served-row.ts";
import { type Call, hashCall } from "../../src/call.ts";
import { FULL_CALL, makeCall } from "../support/calls.ts";
import { draws, least } from "../support/draws.ts";
import { rowOf, startRowService, syncFrom } from "../support/row-service.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { readRows } from "../support/warehouse.ts";

const KIB = 1024;
const MIB = KIB * KIB;

/** Lengths around which something could be cut off, or held in a buffer of another length. */
const EDGES = [64 * KIB, 128 * KIB, MIB];

const where = fc.record({
  /** Bytes of the row, about. */
  length: fc.constantFrom(...EDGES).chain((edge) => fc.integer({ min: edge - 2, max: edge + 300 })),
  /** How far from its end rows differ: nowhere else. */
  place: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("start", "middle", "end", "end") },
    { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  ),
  hasLink: fc.boolean(),
});

/** Where of a text of some length a place is. */
function indexOf(place: string | number, length: number): number {
  if (place === "start") return 0;
  if (place === "middle") return Math.floor(length / 2);
  return place === "end" ? length - 1 : Math.min(length - 1, Math.floor(Number(place) * length));
}

const change = (text: string, at: number, to = "y") => text.slice(0, at) + to + text.slice(at + 1);

const rowWith = (transcription: string, link: string | undefined) =>
  Buffer.from(
    JSON.stringify({ call_id: 7, ...(link !== undefined && { recording_url: link }), transcription }),
  );

describe("the fingerprint of a long row", () => {
  it("is another one for a change at its start, in its middle or at its end, and the same for none", () => {
    const met = { beyond64: 0, beyond1024: 0, atEnd: 0, linked: 0 };
    fc.assert(
      fc.property(where, ({ length, place, hasLink }) => {
        const text = "x".repeat(length);
        const at = indexOf(place, length);
        const link = (signature: string) => (hasLink ? `https://r.example/1?Sig=${signature}` : undefined);
        const print = takeFingerprint(rowWith(text, link("a")));
        expect(print?.hash).toMatch(/^3\.[\w-]{22}$/);
        // A longer one and a shorter one before it leave nothing in it.
        takeFingerprint(rowWith("z".repeat(length + 100), link("a")));
        takeFingerprint(rowWith("z".repeat(10), link("a")));
        expect(takeFingerprint(rowWith(text, link("b")))?.hash).toBe(print?.hash);
        expect(takeFingerprint(rowWith(change(text, at), link("a")))?.hash).not.toBe(print?.hash);
        expect(takeFingerprint(rowWith(text.slice(1), link("a")))?.hash).not.toBe(print?.hash);
        if (hasLink) met.linked++;
        if (at > 64 * KIB) met.beyond64++;
        if (at > MIB) met.beyond1024++;
        if (place === "end") met.atEnd++;
      }),
      { numRuns: draws(75) },
    );
    expect(Math.min(...Object.values(met))).toBeGreaterThanOrEqual(least(1));
    expect(met.linked).toBeLessThan(draws(75));
  });

  it("is that of all of its bytes, not of those that another of the same length shares", () => {
    // Of all places of one row, each changed by itself: no two hashes are the same.
    const text = "x".repeat(200 * KIB);
    const step = 4999;
    const places = Array.from({ length: Math.floor(text.length / step) }, (_, index) => index * step);
    for (const link of [undefined, "https://r.example/1?Sig=a"]) {
      const hashes = places.map((at) => takeFingerprint(rowWith(change(text, at), link))?.hash);
      expect(new Set(hashes).size).toBe(places.length);
    }
  });

  it("keeps a row recognized once it is parsed, however long it is", () => {
    for (const length of EDGES) {
      const row = rowWith("x".repeat(length), "https://r.example/1?Sig=a");
      const parsed = parseServedRow(row);
      expect(parsed).toMatchObject({ served: takeFingerprint(row)?.hash, call: { call_id: 7 } });
    }
  });
});

describe("hashCall, of long members,", () => {
  const TEXTS = ["summary", "transcription", "transcription_details", "extra", "insight_name"] as const;

  it("is another one for a change anywhere in them", () => {
    const met = { beyond64: 0, beyond1024: 0 };
    fc.assert(
      fc.property(where, fc.constantFrom(...TEXTS), ({ length, place }, member) => {
        const text = "x".repeat(length);
        const at = indexOf(place, length);
        const of = (value: string): Call => ({ ...FULL_CALL, [member]: value });
        const hash = hashCall(of(text));
        expect(hash).toMatch(/^[\w-]{43}$/);
        expect(hashCall(of(`${text}`))).toBe(hash);
        expect(hashCall(of(change(text, at)))).not.toBe(hash);
        expect(hashCall(of(text.slice(1)))).not.toBe(hash);
        if (at > 64 * KIB) met.beyond64++;
        if (at > MIB) met.beyond1024++;
      }),
      { numRuns: draws(75) },
    );
    expect(met.beyond64).toBeGreaterThanOrEqual(least(5));
    expect(met.beyond1024).toBeGreaterThanOrEqual(least(1));
  });

  it("tells apart members of which one ends where the next begins", () => {
    const x = "x".repeat(MIB);
    const of = (summary: string, transcription: string) => hashCall(makeCall({ summary, transcription }));
    const hashes = [of(x, "x"), of("x", x), of(`${x}x`, ""), of("", `${x}x`), of(x.slice(1), "xx")];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

describe("sync, of rows beyond 64 KiB and a megabyte,", () => {
  it("sees a change wherever it is, and none where there is none", async () => {
    using folder = makeTempFolder();
    const database = join(folder.path, "calls.db");
    const lengths = [65_000, 66_000, 140_000, MIB + 1, 10];
    const texts = lengths.map((length) => "x".repeat(length));
    const rowsWith = (changed: readonly string[], signature: string) =>
      changed.map((transcription, index) =>
        JSON.stringify({
          ...JSON.parse(rowOf(index)),
          ...(index % 2 === 0 && { recording_url: `https://r.example/${index}?Sig=${signature}` }),
          transcription,
        }),
      );
    await using service = await startRowService(rowsWith(texts, "a"));
    const sync = async () => await syncFrom(service, folder.path, { limit: 20, force: "full" });
    expect(await sync()).toMatchObject({ calls_new: texts.length, verdict: "exact" });
    let now = texts;
    for (const place of ["middle", "end"]) {
      service.rows = rowsWith(now, place);
      expect(await sync()).toMatchObject({ calls_changed: 0, calls_unchanged: texts.length });
      now = now.map((text, index) =>
        index === texts.length - 1 ? text : change(text, indexOf(place, text.length), place[0]),
      );
      service.rows = rowsWith(now, place);
      expect(await sync()).toMatchObject({ calls_changed: texts.length - 1, calls_unchanged: 1 });
      expect(readRows(database, "SELECT call_id, transcription FROM transcripts ORDER BY call_id")).toEqual(
        now.map((transcription, call_id) => ({ call_id, transcription })),
      );
    }
  });
});
