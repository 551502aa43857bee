import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashCall } from "../../src/call/call.ts";
import type { Call } from "../../src/call/columns.ts";
import { FULL_CALL, makeCall } from "../support/calls.ts";
import { draws, least } from "../support/draws.ts";

const KIB = 1024;
const MIB = KIB * KIB;

/** Lengths at which something could be truncated, or held in a buffer of another length. */
const EDGES = [64 * KIB, 128 * KIB, MIB];

const where = fc.record({
  /** Bytes of the row, about. */
  length: fc.constantFrom(...EDGES).chain((edge) => fc.integer({ min: edge - 2, max: edge + 300 })),
  /** The distance from the end at which rows differ: nowhere else. */
  place: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("start", "middle", "end", "end") },
    { weight: 1, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  ),
});

/** The index of a place in a text of some length. */
function indexOf(place: string | number, length: number): number {
  if (place === "start") return 0;
  if (place === "middle") return Math.floor(length / 2);
  return place === "end" ? length - 1 : Math.min(length - 1, Math.floor(Number(place) * length));
}

const change = (text: string, at: number, to = "y") => text.slice(0, at) + to + text.slice(at + 1);

describe("hashCall with long members", () => {
  const TEXTS = ["summary", "transcription", "transcription_details", "extra", "insight_name"] as const;

  it("changes with any change in them", () => {
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
    expect(met.beyond64).toBeGreaterThan(least(5));
    expect(met.beyond1024).toBeGreaterThan(least(1));
  });

  it("distinguishes members with the same concatenated text", () => {
    const x = "x".repeat(MIB);
    const of = (summary: string, transcription: string) => hashCall(makeCall({ summary, transcription }));
    const hashes = [of(x, "x"), of("x", x), of(`${x}x`, ""), of("", `${x}x`), of(x.slice(1), "xx")];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
