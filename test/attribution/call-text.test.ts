import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldUtm } from "../../src/attribution/call-text.ts";

describe("foldUtm", () => {
  it.each([
    { value: "google", folded: "google" },
    { value: " Google\t", folded: "google" },
    { value: "\u00a0GOOGLE\ufeff", folded: "google" },
    { value: "Face \u2003\n Book", folded: "face book" },
    { value: "ÉTÉ", folded: "été" },
    { value: "İ", folded: "i\u0307" },
    { value: "Straße", folded: "straße" },
    { value: "ΌΔΟΣ", folded: "όδος" },
    { value: "\u3000 \r\n", folded: "" },
    { value: "", folded: "" },
    { value: "a\0B", folded: "a\0b" },
    { value: " NULL ", folded: "" },
    { value: "undefined", folded: "" },
    { value: "(Not  Set)", folded: "" },
    { value: "{keyword}", folded: "" },
    { value: "{{campaign.name}}", folded: "" },
    { value: "brand-{keyword}", folded: "brand-{keyword}" },
    { value: "(none)", folded: "(none)" },
  ])("folds $value to $folded", ({ value, folded }) => {
    expect(foldUtm(value)).toBe(folded);
  });

  it("has nothing left to fold in what it returns", () => {
    const blanks = fc.string({ unit: fc.constantFrom(" ", "\t", "\u00a0", "A", "a", "É", "İ") });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), blanks), (value) => {
        expect(foldUtm(foldUtm(value))).toBe(foldUtm(value));
      }),
    );
  });
});
